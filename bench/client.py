"""A visitor without a browser, light enough that fifty of them leave the server room on the same machine."""

import http.client
import io
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlparse
from uuid import uuid4

import numpy as np
from PIL import Image

LONGEST = 300.0  # seconds for one answer
BEAT = 5.0
IDLE = 2.0  # seconds after which a connection is made anew
API = "/gradio_api/"


def picture(seed: int) -> bytes:
    """A PNG that no other seed has."""
    stream, noise = io.BytesIO(), np.random.default_rng(seed).integers(0, 256, (28, 28, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((112, 112)).save(stream, "PNG")
    return stream.getvalue()


class Page:
    """What the server says of its page; asked for once for all visitors."""

    def __init__(self, url: str) -> None:
        self.host = urlparse(url).netloc
        config = json.loads(Client(self).request("GET", "/config"))
        self.events, self.parts = config["dependencies"], {part["id"]: part for part in config["components"]}
        self.values = {number: part["props"].get("value") for number, part in self.parts.items()}

    def named(self, elem_id: str) -> int:
        """The number of a component."""
        return next(number for number, part in self.parts.items() if part["props"].get("elem_id") == elem_id)

    def fired(self, elem_id: str, event: str) -> dict[str, Any]:
        """What an event of a component starts."""
        target = [self.named(elem_id), event]
        return next(one for one in self.events if target in [list(two) for two in one["targets"]])

    @property
    def look(self) -> dict[str, Any]:
        """The event that looks at a picture."""
        return next(one for one in self.events if one["api_name"] == "look")


class Client:
    """One visitor: a session of its own, one connection for what it asks, and one for each stream."""

    def __init__(self, page: Page) -> None:
        self.page, self.session, self.values = page, uuid4().hex, dict[int, Any]()
        self.done = 0
        self.joined = 0.0  # when the server had taken what was asked last
        self._used = 0.0
        self._line = http.client.HTTPConnection(page.host, timeout=LONGEST)

    def request(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of the answer. Raises `RuntimeError` if that is an error."""
        if time.perf_counter() - self._used > IDLE:  # the server may have closed it
            self._line.close()
        self._line.request(method, path, body, {"content-type": kind} if body else {})
        answer = self._line.getresponse()
        self._used = time.perf_counter()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {said[:200]!r}")
        return said

    def show(self, data: bytes) -> None:
        """Put a picture of its own on the page."""
        form = (
            b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n' + data + b"\r\n--b--\r\n"
        )
        path = json.loads(self.request("POST", f"{API}upload", form, "multipart/form-data; boundary=b"))[0]
        self.values[self.page.named("picture")] = {"path": path, "meta": {"_type": "gradio.FileData"}}

    def look(self) -> tuple[bytes, str]:
        """The maps of the picture, as the browser gets them, and the name of the run."""
        value, *_ = self.run(self.page.look)
        return self.request("GET", f"{API}file={quote(value['file']['path'])}"), value["run"]

    def ask(self, kind: str, run: str) -> Any:
        """What the viewer asks later."""
        asked = {"data": [kind, run, None], "component_id": self.page.named("viewer"), "fn_name": "ask"}
        return json.loads(
            self.request("POST", f"{API}component_server", json.dumps(asked | {"session_hash": self.session}).encode())
        )

    def join(self, event: dict[str, Any]) -> None:
        """Ask for an event, and do not listen."""
        self.request("POST", f"{API}queue/join", self._asked(event))
        self.joined = time.perf_counter()

    def run(self, event: dict[str, Any]) -> list[Any]:
        """What an event answers."""
        self.join(event)
        stream = http.client.HTTPConnection(self.page.host, timeout=LONGEST)
        stream.request("GET", f"{API}queue/data?session_hash={self.session}")
        try:
            for line in stream.getresponse():
                said = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
                if said.get("msg") == "process_completed":
                    if not said["success"]:
                        raise RuntimeError(str(said["output"]))
                    answers: list[Any] = said["output"]["data"]
                    return answers
        finally:
            stream.close()
        raise RuntimeError("the line ended before the answer")

    @contextmanager
    def comparing(self) -> "Iterator[Client]":
        """One comparison after the other goes on meanwhile, as a browser that stays would have it; `done` counts them."""
        over = threading.Event()
        threads = [threading.Thread(target=one, args=(over,), daemon=True) for one in (self._compare, self._beat)]
        for one in threads:
            one.start()
        time.sleep(2)
        try:
            yield self
        finally:
            over.set()
            self.request("POST", f"{API}run/predict", self._asked(self.page.fired("methods-stop", "click")))
            for one in threads:
                one.join()

    def _compare(self, over: threading.Event) -> None:
        while not over.is_set():
            try:
                other = Client(self.page)
                other.session, other.values = self.session, self.values
                other.run(self.page.fired("methods-go", "click"))
                self.done += 1
            except (RuntimeError, OSError):  # ended: it is told elsewhere how often
                time.sleep(0.2)

    def _beat(self, over: threading.Event) -> None:
        while not over.wait(BEAT):
            Client(self.page).request("POST", f"{API}run/predict", self._asked(self.page.fired("line", "beat")))

    def _asked(self, event: dict[str, Any]) -> bytes:
        """An event with what its inputs hold, as a page sends it: a call without is one that no page makes."""
        values = self.page.values | self.values
        given = [values.get(one) for one in event["inputs"]]
        return json.dumps({"fn_index": event["id"], "data": given, "session_hash": self.session}).encode()
