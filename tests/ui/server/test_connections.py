"""Connections that are half-open, deaf or too many, over real sockets."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import gradio as gr
import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from ui.server.conftest import answer, listening
from vizapp.ui.server import connections
from vizapp.ui.server.address import free_port
from vizapp.ui.server.connections import Limits, is_one_visitor
from vizapp.ui.server.start import launch

Dial = Callable[[int], socket.socket]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """/long answers after a second, /large never stops, the rest says yes."""
    if scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
            await asyncio.sleep(0)
    await asyncio.sleep(1.0 if scope["path"] == "/long" else 0)
    await PlainTextResponse("yes")(scope, receive, send)


def is_closed_within(line: socket.socket, seconds: float) -> bool:
    began = time.monotonic()
    answer(line)
    return time.monotonic() - began < seconds


@pytest.mark.parametrize("start", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "])
def test_a_head_that_does_not_come_is_not_waited_for(dial: Dial, start: bytes) -> None:
    with listening(app, Limits(silence=0.4)) as port:
        line = dial(port)
        line.sendall(start)
        assert is_closed_within(line, 3)


def test_a_head_that_drips_is_not_waited_for(dial: Dial) -> None:
    """On a new connection, and after an answer, where one byte calls off uvicorn's own timer."""
    with listening(app, Limits(silence=0.4)) as port:
        for path in ("", "/", "/long"):
            line, began = dial(port), time.monotonic()
            if path:
                line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert line.recv(1000).startswith(b"HTTP/1.1 200")
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                for byte in b"GET / HTTP/1.1\r\nX-A: " + b"a" * 200:
                    line.sendall(bytes([byte]))
                    time.sleep(0.05)
            assert time.monotonic() - began < 5


def test_work_and_reuse_are_no_silence(dial: Dial) -> None:
    with listening(app, Limits(silence=0.4)) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for _ in range(4):
            assert client.get("/").text == "yes"
            time.sleep(0.15)
        assert client.get("/long").text == "yes"


def test_who_takes_nothing_is_let_go(dial: Dial) -> None:
    """Else what is to be sent, and what sends it, stay for as long as the other end likes."""
    with listening(app, Limits(deafness=0.4)) as port:
        line = dial(port)
        line.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1.2)
        read = 0  # what was under way; else it goes on for ever
        with suppress(ConnectionResetError):
            while (part := line.recv(2**20)) and read < 2**26:
                read += len(part)
        assert read < 2**26


def test_one_address_has_so_many_and_all_have_so_many(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "is_one_visitor", lambda address: True)
    few = {"each": Limits(each=3), "all": SimpleNamespace(**vars(Limits()), most=3)}
    for limits in few.values():
        with listening(app, limits) as port:  # type: ignore[arg-type]
            lines = [dial(port) for _ in range(5)]
            time.sleep(0.2)
            said = []
            for line in lines:
                with suppress(OSError):
                    line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                said.append(b"yes" in answer(line))
            assert said == [True, True, True, False, False]


def test_a_process_without_a_limit_of_files_takes_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unlimited is said as -1."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    assert 0 < Limits().most < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert Limits().most > 10_000


@pytest.mark.parametrize(
    ("address", "wanted"),
    [("8.8.8.8", True), ("2001:4860:4860::8888", True), ("127.0.0.1", False), ("10.1.2.3", False), ("", False)],
)
def test_a_private_address_is_a_proxys(address: str, wanted: bool) -> None:
    """Behind one, everybody has its address: a bound would be one for all visitors together."""
    assert is_one_visitor(address) is wanted


def test_the_page_has_these_limits(small: gr.Blocks, dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vizapp.ui.server.start.Limits", lambda: Limits(silence=0.4))
    port = free_port("127.0.0.1", 8880)
    try:
        launch(small, host="127.0.0.1", port=port)
        assert is_closed_within(dial(port), 3)
    finally:
        small.close(verbose=False)
