"""The log of a public server: a line for each request, with nothing about anybody."""

import asyncio
import io
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr
import httpx
import pytest
from PIL import Image
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from support.pictures import encoded
from support.serving import Server, serving
from support.waiting import patience, until
from vizapp.errors import VizError
from vizapp.ui.server.access import AccessLog
from vizapp.ui.server.address import any_port
from vizapp.ui.server.start import TRIES, launch


@pytest.fixture
def logged(cache: Path) -> Iterator[tuple[Server, io.StringIO]]:
    log = io.StringIO()
    with serving("toy", public=True, log=log) as server:
        yield server, log


def test_a_line_a_request_and_nobody_in_it(logged: tuple[Server, io.StringIO]) -> None:
    server, log = logged
    path = server.upload(encoded(Image.new("RGB", (32, 32), "teal")), "holiday-in-rome.png")
    made = server.analyse(path, "toy")
    payload = server.http.get(made["file"]["url"]).content
    join = {"fn_index": 0, "data": [], "session_hash": "sessionhash1"}
    server.http.post(f"{server.url}gradio_api/queue/join", json=join)
    server.http.get(f"{server.url}health?who=me")
    server.http.get(f"{server.url}nobody/holiday-in-rome.png")
    server.http.get(server.url, headers={"Host": "evil.example"})

    until(lambda: '"path": "/", "status": 403' in log.getvalue())  # a line is written when the answer is out
    text = log.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    assert all(set(one) == {"time", "method", "path", "status", "ms", "bytes", "from"} for one in lines)
    seen = {(one["method"], one["path"], one["status"]) for one in lines}
    assert seen >= {
        ("POST", "/gradio_api/upload", 200),
        ("POST", "/gradio_api/call/{api_name}", 200),
        ("GET", "/gradio_api/call/{api_name}/{event_id}", 200),
        ("GET", "/gradio_api/file={path_or_url:path}", 200),
        ("GET", "/health", 200),
        ("GET", "?", 404),
        ("GET", "/", 403),
    }
    fetched = next(one for one in lines if one["path"].startswith("/gradio_api/file="))
    assert fetched["bytes"] == len(payload)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", one["time"]) for one in lines)
    assert {one["from"] for one in lines} == {lines[0]["from"]}, "one visitor is one"
    for secret in ("holiday", "rome", "sessionhash1", "127.0.0.1", Path(path).parent.name, "who=me", "evil"):
        assert secret not in text, secret


def test_each_server_has_its_own_log_and_at_home_nothing_is_logged(server: Server, capfd: Any, public: Server) -> None:
    server.heard()
    server.http.get(f"{server.url}config")
    assert capfd.readouterr() == ("", "")
    assert server.heard() == ""
    # Of an event of its queue, for example; nobody else's, and nothing on the terminal of whoever asked for it.
    for one in (server, public):
        one.heard()
    for one, refusal in ((server, "is not a picture"), (public, "a public page reads")):
        assert "error" in one.analyse(one.upload(b"Dear reader"), "toy")
        assert one.heard().count(refusal) == 1
    left = server.heard() + public.heard()
    assert "is not a picture" not in left
    assert "a public page reads" not in left
    assert capfd.readouterr() == ("", "")


def test_addresses_cannot_be_found_again() -> None:
    """The key goes with the process: nobody who has the log can try all addresses."""

    def told(log: AccessLog) -> str:
        return log._visitor({"client": ("203.0.113.7", 1)})

    one, other = AccessLog(None), AccessLog(None)  # type: ignore[arg-type]
    assert told(one) == told(one) != told(other)
    assert one._visitor({"client": None}) == ""


class Slow:
    """A machine that needs five seconds for the page: Gradio waited for three."""

    asked: ClassVar[set[str]] = set()  # by which methods

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/":
            self.asked.add(scope["method"])
            await asyncio.sleep(5)
        await self.app(scope, receive, send)


def test_a_slow_machine_starts(small: gr.Blocks, cache: Any) -> None:
    """A HEAD request for the page is answered without building it."""
    url = launch(small, host="127.0.0.1", inside=[Middleware(Slow)])
    try:
        head = httpx.head(url, timeout=patience())
        assert (head.status_code, head.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "content-security-policy" in head.headers
        assert httpx.head(url, headers={"host": "evil.example"}, timeout=patience()).status_code == 403
        assert b"gradio" in httpx.get(url, timeout=patience()).content
        assert Slow.asked == {"GET"}
    finally:
        small.close(verbose=False)


def test_a_proxy_in_between_is_said_in_words(
    small: gr.Blocks, cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Gradio requests its own page at the start, and a proxy in the environment may send that request elsewhere."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        where = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, where)
    with pytest.raises(VizError, match="NO_PROXY") as said:
        launch(small, host="127.0.0.1")
    assert "did not start" in str(said.value)
    assert not small.is_running


def test_a_port_that_is_taken_meanwhile_is_none(small: gr.Blocks, cache: Any) -> None:
    """Between the look at a port and Gradio's own start others take it; whoever names one port has that or none."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        first, tried = taken.getsockname()[1], list[int]()

        def port() -> int:
            tried.append(any_port("127.0.0.1") if tried else first)
            return tried[-1]

        with pytest.raises(VizError, match="did not start"):
            launch(small, host="127.0.0.1", port=first)
        try:
            url = launch(small, host="127.0.0.1", port=port)
            assert (tried[0], url) == (first, f"http://127.0.0.1:{tried[-1]}/")
            assert httpx.get(f"{url}config", timeout=patience()).status_code == 200
        finally:
            small.close(verbose=False)
        tried[:] = []
        with pytest.raises(VizError, match="did not start"):
            launch(small, host="127.0.0.1", port=lambda: tried.append(first) or first)
        assert len(tried) == TRIES
