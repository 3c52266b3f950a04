"""The page for strangers, asked over HTTP for what makes no sense: endpoints, the queue, component functions, uploads, files.

An answer of 500 is a slip, and a traceback on the terminal; so is a server that is not well afterwards.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx
from PIL import Image

from support.fuzz.nonsense import TEXTS, json_value, mutated

COUNT = 150
MEMORY = None
ALLOWED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)  # hung up on, while it was still sending
FORM = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n'
POSTS = (
    "cancel", "reset", "component_server", "upload", "queue/join", "call/analyse", "run/analyse", "run/predict", "none",
    "call/upload", "run/upload", "api/upload", "call/v2/upload", "x/upload", "upload/", "upload%00", "call/a%00b/upload",
)  # fmt: skip
GETS = (
    "queue/data", "queue/status", "file=", "upload_progress", "heartbeat/x", "theme.css", "static/x", "info", "call/analyse/",
    "custom_component/x/client/component/style.css", "monitoring", "svelte/x", "openapi.json", "proxy=", "startup-events",
    "assets/", "download",
)  # fmt: skip
WAYS = ("function", "function", "queue", "queue", "component", "component", "call", "body", "upload", "get", "head")
# In what is told of an event
OVER = ("process_completed", "close_stream", "event: error", "event: complete", "unexpected")
# Of sessions
NAMES = ("n" * 44, "n" * 65, "n" * 200_000, "a\0b", "\0" * 40, "\0" * 65, "\u00e4" * 40, "../..", "\r\n", "\u202e", " ")


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases, for a page that is started once."""
    from vizapp.ui.app import build, launch
    from vizapp.ui.server.sessions import LONGEST

    page = build("toy", device="cpu", public=True)
    url = launch(page, host="127.0.0.1", public=True)
    http = httpx.Client(base_url=url, timeout=30)
    config = http.get("config").raise_for_status().json()
    events, parts = config["dependencies"], [one["id"] for one in config["components"]]
    asked = sorted({name for one in events for name in [one["api_name"]] if name})
    served = sorted({name for one in config["components"] for name in one["props"].get("server_fns") or ()})
    Image.new("RGB", (40, 50), "teal").save(folder / "a.png")
    [uploaded] = http.post("gradio_api/upload", files={"files": ("a.png", (folder / "a.png").read_bytes())}).json()
    picture = {"path": uploaded, "meta": {"_type": "gradio.FileData"}}

    def value(rng: Random) -> Any:
        odd = ({"path": json_value(rng)}, picture | {"url": json_value(rng)})
        likely = (picture, *odd, "toy", "as_trained", "rollout", ["rollout"], 1)
        return rng.choice(likely) if rng.random() < 0.4 else json_value(rng)

    def data(rng: Random, event: dict[str, Any]) -> Any:
        if rng.random() < 0.1:
            return json_value(rng)
        return [value(rng) for _ in range(max(0, len(event["inputs"]) + rng.choice((0, 0, 0, 0, 0, 1, -1))))]

    def post(path: str, what: Any) -> httpx.Response:
        body = what if isinstance(what, bytes) else json.dumps(what).encode()
        return http.post(f"gradio_api/{path}", content=body, headers={"content-type": "application/json"})

    def status_of(answer: httpx.Response) -> int:
        """Gradio says 500 of what is refused in words, too."""
        # A redirect ("upload/" to "upload") has none.
        is_json = answer.headers.get("content-type") == "application/json"
        return 400 if answer.status_code == 500 and is_json and answer.json().get("error") else answer.status_code

    def until_over(path: str) -> int:
        """Read what is told of an event until it is over, or the server has told enough."""
        with http.stream("GET", f"gradio_api/{path}") as answer:
            for line in answer.iter_lines():
                if any(one in line for one in OVER):
                    break
            return answer.status_code

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        way, event, visitor = rng.choice(WAYS), rng.choice(events), f"v{rng.random()}"
        if rng.random() < 0.2:
            visitor = rng.choice(NAMES) + visitor[:20]
        status = [200]
        if way in ("function", "queue"):
            what: dict[str, Any] = {"fn_index": event["id"], "data": data(rng, event), "session_hash": visitor}
            if rng.random() < 0.2:
                what[rng.choice([*what, "event_id", "trigger_id", "event_data", "simple_format"])] = json_value(rng)
            path = "queue/join" if way == "queue" else f"run/{rng.choice((*asked, 'predict'))}"
            tries(f"POST {path} {json.dumps(what)}")
            answer = post(path, what)
            status = [status_of(answer)]
            if way == "queue" and answer.status_code == 200 and what["session_hash"] == visitor:
                status += [until_over(f"queue/data?session_hash={quote(visitor)}")]
        elif way == "call":
            name = rng.choice(asked)
            what = {"data": data(rng, next(one for one in events if one["api_name"] == name))}
            tries(f"POST call/{name} {json.dumps(what)}")
            answer = post(f"call/{name}", what)
            status = [status_of(answer)]
            if answer.status_code == 200:
                status += [until_over(f"call/{name}/{answer.json()['event_id']}")]
        elif way == "component":
            what = {
                "component_id": rng.choice(parts),
                "fn_name": rng.choice(served or ["ask"]),
                "data": json_value(rng),
                "session_hash": visitor,
            }
            if rng.random() < 0.4:
                what["data"] = [
                    [rng.choice(("maps", "proof", "sinks", "steps", json_value(rng))), json_value(rng), json_value(rng)]
                ]
            if rng.random() < 0.3:
                what[rng.choice(sorted(what))] = json_value(rng)
            tries(f"POST component_server {json.dumps(what)}")
            status = [status_of(post("component_server", what))]
        elif way == "body":
            path, body = (
                rng.choice(POSTS),
                mutated(rng, json.dumps({"data": [picture, "toy", None], "fn_index": 1, "session_hash": "a"}).encode()),
            )
            tries(f"POST {path} {body!r}")
            status = [status_of(post(path, body))]
        elif way == "upload":
            body = mutated(rng, FORM + (folder / "a.png").read_bytes() + b"\r\n--b--\r\n")
            kind = rng.choice(
                (
                    "multipart/form-data; boundary=b",
                    "multipart/form-data",
                    "multipart/form-data; boundary=",
                    "text/plain",
                    "",
                )
            )
            tries(f"POST upload {kind} {body!r}")
            status = [http.post("gradio_api/upload", content=body, headers={"content-type": kind}).status_code]
        else:
            path = (
                rng.choice(GETS)
                + rng.choice(("", "/", "?session_hash=", "?upload_id="))
                + rng.choice((*TEXTS, uploaded, str(Path(uploaded).parent)))
            )
            path = path.encode(errors="replace").decode().replace("\0", "%00").replace("\r", "%0D").replace("\n", "%0A")
            tries(f"GET {path}")
            with http.stream(
                "HEAD" if way == "head" else "GET", "gradio_api/" + httpx.QueryParams({"x": path}).get("x", "")
            ) as answer:
                status = [answer.status_code]
        assert max(status) < 500 or max(status) == 503, status
        assert http.get("health").status_code == 200
        assert max(map(len, page.state_holder.session_data), default=0) <= LONGEST

    return case
