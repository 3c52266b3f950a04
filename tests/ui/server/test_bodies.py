"""Bodies that are too large or never end, over real sockets and against the page itself."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from ui.conftest import Server
from ui.server.conftest import answer, listening
from vizapp.ui.server import bounds, folder

POST = "POST {path} HTTP/1.1\r\nHost: localhost\r\n{rest}\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Says how much came; /slow answers slowly, as a queue does."""
    request = Request(scope, receive)
    if scope["path"] == "/slow":

        async def slowly() -> AsyncIterator[str]:
            for n in range(4):
                await asyncio.sleep(0.3)
                yield f"{n}"

        return await StreamingResponse(slowly())(scope, receive, send)
    await PlainTextResponse(str(len(await request.body())))(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    limits = replace(bounds.HOME, upload=5000, message=1000, lists=100, silence=0.5, slowest=4000)
    with listening(bounds.Bounded(echo, folder.current(), limits)) as where:
        yield where


def test_sizes_are_bounded(port: int) -> None:
    url = f"http://127.0.0.1:{port}"
    assert httpx.post(f"{url}{bounds.UPLOAD}", content=b"x" * 5000).text == "5000"
    assert httpx.post(f"{url}/join", content=b"x" * 1000).text == "1000"
    assert httpx.post(f"{url}{bounds.UPLOAD}", content=b"x" * 5001).status_code == 413
    assert httpx.post(f"{url}/join", content=b"x" * 1001).status_code == 413

    for path in (
        "/gradio_api/call/upload",
        "/gradio_api/run/upload",
        "/upload",
        "/gradio_api/x/upload/",
        "/gradio_api/upload/",
    ):
        assert httpx.post(f"{url}{path}", content=b"x" * 1001).status_code == 413, path

    def unannounced() -> Iterator[bytes]:
        yield from [b"x" * 500] * 3

    assert httpx.post(f"{url}/join", content=unannounced()).status_code == 413


@pytest.mark.parametrize("rest", ["Content-Length: 900\r\n", "Transfer-Encoding: chunked\r\n"])
def test_a_body_that_does_not_come_is_not_waited_for(
    port: int, dial: Callable[[int], socket.socket], rest: str
) -> None:
    line, began = dial(port), time.monotonic()
    line.sendall(POST.format(path="/join", rest=rest).encode())
    assert answer(line).startswith(b"HTTP/1.1 408 ")
    assert 0.3 < time.monotonic() - began < 4


def test_a_body_that_drips_is_not_waited_for(port: int, dial: Callable[[int], socket.socket]) -> None:
    line, began = dial(port), time.monotonic()
    line.sendall(POST.format(path="/join", rest="Content-Length: 900\r\n").encode())
    line.settimeout(0.05)
    said = b""
    while not said and time.monotonic() - began < 5:
        line.sendall(b"x")
        with suppress(TimeoutError):
            said = line.recv(100)
    assert said.startswith(b"HTTP/1.1 408 ")


def test_a_body_at_the_pace_of_a_poor_net_is_waited_for(port: int, dial: Callable[[int], socket.socket]) -> None:
    """Longer than the patience for any body, as it brings enough."""
    line, began = dial(port), time.monotonic()
    line.sendall(POST.format(path=bounds.UPLOAD, rest="Content-Length: 4800\r\nConnection: close\r\n").encode())
    for _ in range(8):
        line.sendall(b"x" * 600)
        time.sleep(0.1)
    assert answer(line).endswith(b"4800")
    assert time.monotonic() - began > 0.5


def test_a_message_of_lists_without_end_is_not_taken(port: int) -> None:
    """A megabyte of them held up everybody for seconds."""
    url = f"http://127.0.0.1:{port}"
    assert httpx.post(f"{url}/join", content=b"[]{}" * 50).text == "200"
    assert httpx.post(f"{url}/join", content=b"[]" * 101).status_code == 413
    assert httpx.post(f"{url}/join", content=iter([b"{}" * 60] * 2)).status_code == 413
    assert httpx.post(f"{url}{bounds.UPLOAD}", content=b"[]" * 400).text == "800"


def test_an_answer_may_take_its_time(port: int) -> None:
    assert httpx.get(f"http://127.0.0.1:{port}/slow").text == "0123"


def test_the_page_takes_one_picture_and_short_questions(public: Server) -> None:
    """Gradio alone: any number of files of 20 MB in one request, and questions without an end."""
    large = {"files": ("a.png", bytes(22 * 10**6))}
    assert public.http.post(f"{public.url}gradio_api/upload", files=large).status_code == 413
    many = [("files", (f"{n}.png", bytes(2 * 10**6))) for n in range(12)]
    assert public.http.post(f"{public.url}gradio_api/upload", files=many).status_code == 413
    for path in ("queue/join", "call/analyse", "component_server", "cancel", "call/upload", "run/upload"):
        refused = public.http.post(f"{public.url}gradio_api/{path}", content=b'{"data": "' + b"x" * (5 * 2**20) + b'"}')
        assert refused.status_code == 413, path
    fine = {"files": ("a.png", bytes(10**6))}
    assert public.http.post(f"{public.url}gradio_api/upload", files=fine).status_code == 200
