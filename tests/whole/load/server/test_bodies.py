"""Bodies that are too large or never end, over real sockets and against the page itself."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from support.serving import Server
from support.sockets import answer, listening
from support.waiting import Jumping, awaited
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


def test_a_body_that_does_not_come_is_not_waited_for(port: int, dial: Callable[[int], socket.socket]) -> None:
    lines = [dial(port) for _ in range(2)]
    for line, rest in zip(lines, ("Content-Length: 900\r\n", "Transfer-Encoding: chunked\r\n"), strict=True):
        line.sendall(POST.format(path="/join", rest=rest).encode())
    assert [answer(line)[:13] for line in lines] == [b"HTTP/1.1 408 "] * 2


def test_a_body_that_drips_is_not_waited_for(port: int, dial: Callable[[int], socket.socket]) -> None:
    """A server that waited would answer as soon as all 900 bytes had arrived."""
    line, said = dial(port), b""
    line.sendall(POST.format(path="/join", rest="Content-Length: 900\r\n").encode())
    line.settimeout(0.05)
    for _ in range(900):
        line.sendall(b"x")
        with suppress(TimeoutError):
            if said := line.recv(100):
                break
    assert said.startswith(b"HTTP/1.1 408 ")


def test_a_body_is_waited_for_as_long_as_it_brings_enough() -> None:
    """Pieces of 600 bytes: 0.1 s apart, longer than the patience for any body in all; then too few; then none for a while."""
    limits = replace(bounds.HOME, silence=0.5, slowest=4000)

    def answered(pauses: list[float]) -> tuple[int, float]:
        told, left = list[Message](), list(pauses)

        async def receive() -> Message:
            await asyncio.sleep(left.pop(0))
            return {"type": "http.request", "body": b"x" * 600, "more_body": bool(left)}

        async def send(message: Message) -> None:
            told.append(message)

        scope = {"type": "http", "method": "POST", "path": "/join", "headers": [], "query_string": b""}

        async def asked() -> float:
            await bounds.Bounded(echo, folder.current(), limits)(scope, receive, send)
            return round(asyncio.get_running_loop().time(), 2)

        took = awaited(asked(), Jumping)
        return told[0]["status"], took

    assert answered([0.1] * 8) == (200, 0.8)
    assert answered([0.2] * 8) == (408, 0.5)
    assert answered([0.1] * 8 + [0.6]) == (408, 1.2)


def test_a_message_of_lists_without_end_is_not_taken_and_an_answer_may_take_its_time(port: int) -> None:
    """A megabyte of them held up everybody for seconds."""
    url = f"http://127.0.0.1:{port}"
    assert httpx.post(f"{url}/join", content=b"[]{}" * 50).text == "200"
    assert httpx.post(f"{url}/join", content=b"[]" * 101).status_code == 413
    assert httpx.post(f"{url}/join", content=iter([b"{}" * 60] * 2)).status_code == 413
    assert httpx.post(f"{url}{bounds.UPLOAD}", content=b"[]" * 400).text == "800"
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
