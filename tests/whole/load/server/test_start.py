"""The start: also where the machine is slow, and in words where it fails."""

import asyncio
import socket
from typing import Any, ClassVar

import gradio as gr
import httpx
import pytest
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from support.waiting import patience
from vizapp.errors import VizError
from vizapp.ui.server.address import any_port
from vizapp.ui.server.start import TRIES, launch


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
