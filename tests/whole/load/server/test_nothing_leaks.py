"""Nothing that is sent names a path outside of the cache folder: all answers of a session, and of slips and attacks."""

import json
import re
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest
from PIL import Image

from support.paths import ROOT
from support.pictures import encoded
from support.serving import Server
from support.waiting import until
from vizapp.ui.app import open_session
from vizapp.ui.page_events import _of
from vizapp.ui.server import folder
from vizapp.ui.views import Tab
from vizapp.ui.words import words_for

PLACES = {
    str(one)
    for one in (
        ROOT, Path.home(), Path.cwd(), Path(tempfile.gettempdir()), sys.prefix, sys.base_prefix,
        sysconfig.get_path("purelib"), Path(gr.__file__).parent,
    )
}  # fmt: skip


def named(answer: bytes, cache: Path) -> list[bytes]:
    """What an answer says of places of this machine, the cache folder aside."""
    rest = answer.replace(str(cache).encode(), b"").replace(str(cache.resolve()).encode(), b"")
    found = b"|".join(re.escape(place.encode()) for place in PLACES)
    return re.findall(rb"(?:%s)(?![\w-])/?[^\"]{0,60}" % found, rest)


@pytest.fixture
def answers(public: Server) -> list[tuple[str, bytes]]:
    """(what was asked, the whole answer)"""
    said: list[tuple[str, bytes]] = []

    def keep(response: httpx.Response) -> None:
        heads = "\n".join(map(str, response.headers.items())).encode()
        said.append((f"{response.request.method} {response.request.url}", heads + response.read()))

    with httpx.Client(timeout=60, base_url=f"{public.url}", event_hooks={"response": [keep]}) as http:
        server = Server(public.url, http)
        for path in ("", "config", "theme.css", "manifest.json", "health", "ready", "robots.txt", "nonsense"):
            http.get(path)
        for path in (
            "info",
            "info?all_endpoints=true",
            "openapi.json",
            "app_id",
            "startup-events",
            "upload_progress?upload_id=x",
        ):
            http.get(f"gradio_api/{path}")
        picture = encoded(Image.new("RGB", (64, 48), "teal"))
        made = server.analyse(server.upload(picture), "toy")
        http.get(made["file"]["url"])
        broken, empty = server.upload(picture[:60], "broken.png"), server.upload(b"", "empty.png")
        folder = str(Path(broken).parent)
        odd: list[Any] = [broken, empty, folder, f"{folder}/none.png", "", "none.png", "/none.png", "x" * 5000, "a\0b"]
        for one in odd:
            server.analyse(one, "toy")
        for name in (
            "nobody",
            7,
            None,
            [],
            {"a": 1},
            "file:none.safetensors?arch=vit_tiny_patch16_224",
            "hf-hub:no/none",
        ):
            server.analyse(broken, name)  # type: ignore[arg-type]
        http.get(f"gradio_api/file={folder}")
        http.get("gradio_api/file=none.png")
        for path in (
            "queue/join",
            "call/analyse",
            "run/analyse",
            "run/nothing",
            "cancel",
            "reset",
            "upload",
            "component_server",
        ):
            for body in (b"", b"{", b"[]", b'{"data": 3}', b'{"data": [[], {}, 3], "session_hash": "a"}'):
                with suppress(httpx.TransportError):  # an error may have ended the connection before
                    http.post(f"gradio_api/{path}", content=body, headers={"content-type": "application/json"})
        events = json.loads(http.get("config").content)["dependencies"]
        for number in range(len(events)):
            with suppress(httpx.TransportError):
                http.post("gradio_api/run/predict", json={"fn_index": number, "data": [{}] * 60, "session_hash": "a"})
    return said


def test_no_answer_names_a_place_of_this_machine(answers: list[tuple[str, bytes]], cache: Path) -> None:
    assert len(answers) > 80
    assert sum(str(cache).encode() in said for _, said in answers) > 5, "they are read"
    assert {asked: found for asked, said in answers if (found := named(said, cache))} == {}


def test_the_page_in_a_browser_is_sent_none_either(browser: Any, public: Server, cache: Path) -> None:
    """All that the browser is given until the first maps stand, the scripts included."""
    page, said, asked = browser.new_page(), list[tuple[str, bytes]](), list[str]()

    def ends(url: str) -> bool:
        return "heartbeat" not in url and "queue/data" not in url

    def keep(response: Any) -> None:
        if ends(response.url):
            said.append((response.url, response.body()))

    page.on("request", lambda request: asked.append(request.url) if ends(request.url) else None)
    page.on("requestfinished", lambda request: keep(request.response()))
    page.on("requestfailed", lambda request: said.append((request.url, b"")) if ends(request.url) else None)
    page.goto(public.url)
    page.wait_for_function("document.querySelector('.viz')?.viewer?.payload")
    page.evaluate("document.querySelector('.viz').viewer.use()")
    page.wait_for_function("document.querySelector('.viz').viewer.payload.complete")
    until(
        lambda: len(said) == len(asked), lambda: {*asked} - {url for url, _ in said}, lambda: page.wait_for_timeout(50)
    )
    page.close()
    assert len(said) > 20
    assert {asked: found for asked, body in said if (found := named(body, cache))} == {}


def slip(*given: Any) -> Any:
    raise RuntimeError(f"{ROOT}/secret")


@pytest.mark.parametrize("public", [True, False])
def test_a_tab_that_fails_tells_strangers_no_more_than_that(public: bool, cache: Path) -> None:
    session = open_session("toy", public=public)
    follow: Callable[..., Any] = slip
    alert = _of(session, Tab("a tab", follow=follow), session.request("a.png", "toy", None), [], words_for("en"))[0]
    assert "RuntimeError" in alert
    assert ("secret" in alert) is not public


def test_a_place_is_found(cache: Path) -> None:
    assert named(f'x "{ROOT}/vizapp" {cache}/a.png'.encode(), cache) == [f"{ROOT}/vizapp".encode()]


def test_a_part_of_a_file_is_not_answered_with_what_was_sent(public: Server) -> None:
    """Gradio's own answer to `Range` had all heads of the request in it, those that a script may not read, too."""
    whole = b"0123456789" * 10
    path = public.upload(whole, "a.png")
    for part, status, content in (
        ("bytes=0-20", 206, whole[:21]),
        ("bytes=95-99", 206, whole[95:]),
        ("bytes=95-1000", 206, whole[95:]),  # what is not there is left out
        ("bytes=500-600", 416, None),
        ("bytes=20-", 200, whole),  # no page of ours asks so
        ("bytes=0-1,5-9", 200, whole),
        ("bytes=9-0-9", 200, whole),
    ):
        heads = {"range": part, "cookie": "key=secret", "x-odd": "secret"}
        answer = public.http.get(f"{public.url}gradio_api/file={path}", headers=heads)
        assert "secret" not in str(answer.headers), part
        assert answer.status_code == status, part
        assert content is None or answer.content == content, part


def test_what_the_server_keeps_for_itself_is_not_there(public: Server) -> None:
    """Its lock, and what is just being written; and no second way to a file."""
    files = folder.current()
    half = files.path / ".part-1"
    half.mkdir()
    (half / "a.png").write_bytes(b"half")
    for path in (files.path / ".lock", half / "a.png", files.path / "x" / ".." / ".lock"):
        for method in ("GET", "HEAD"):
            answer = public.http.request(method, f"{public.url}gradio_api/file={path}".replace("..", "%2E%2E"))
            assert answer.status_code == 404, path
        assert files.ours(str(path)) is None
    uploaded = public.upload(b"x", "a.png")
    assert public.http.get(f"{public.url}gradio_api/file={uploaded}").status_code == 200
    assert public.http.get(f"{public.url}gradio_api/file/{uploaded}").status_code == 404
