"""Bodies that are too large or never end, and connections that are half-open, deaf or too many, over real sockets."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send
from uvicorn.server import ServerState

from support.serving import Server
from support.sockets import answer, listening
from support.together import together
from support.waiting import Jumping, awaited, patience
from vizapp.ui.server import bounds, connections, folder
from vizapp.ui.server.connections import Limits, bounded, is_one_visitor
from vizapp.ui.server.start import launch

Dial = Callable[[int], socket.socket]
GONE = threading.Event()  # nobody is there any more for whom /large was sent


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """/long answers after a second, /large does not stop as long as somebody is there, the rest says yes."""
    if scope["path"] == "/large":
        hangs_up = asyncio.create_task(until_gone(receive))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not hangs_up.done():
            await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
            await asyncio.sleep(0)
        GONE.set()
    await asyncio.sleep(1.0 if scope["path"] == "/long" else 0)
    await PlainTextResponse("yes")(scope, receive, send)


async def until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def test_a_head_that_does_not_come_is_not_waited_for(dial: Dial) -> None:
    with listening(app, Limits(silence=0.4)) as port:
        for start in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "):
            line = dial(port)
            line.sendall(start)
            assert answer(line) == b"", "it is closed"


class Wire(asyncio.Transport):
    """The server's end of a connection, without a socket: what is said over it, and whether it was cut."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.said, self.is_cut = b"", False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.said += bytes(data)

    def is_closing(self) -> bool:
        return self.is_cut

    def abort(self) -> None:
        self.is_cut = True

    close = abort

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def talk(limits: Limits, what: Callable[[Any, Wire], Awaitable[None]]) -> None:
    """Let a visitor talk to the server over a connection: by a clock that jumps, so that only the limits count."""

    async def run() -> None:
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        config.load()
        made = bounded(config.http_protocol_class, limits)
        server, wire = made(config=config, server_state=ServerState(), app_state={}), Wire()
        server.connection_made(wire)
        await what(server, wire)
        server.connection_lost(None)

    awaited(run(), Jumping)


async def asked(server: Any, wire: Wire, path: str) -> None:
    """Ask, and wait until the answer is there."""
    before = wire.said.count(b"yes")
    server.data_received(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    while wire.said.count(b"yes") == before:
        assert not wire.is_cut
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("path", ["", "/", "/long"])
def test_a_head_that_drips_is_not_waited_for(path: str) -> None:
    """On a new connection, and after an answer, where one byte calls off uvicorn's own timer."""

    async def drip(server: Any, wire: Wire) -> None:
        if path:
            await asked(server, wire, path)
            assert wire.said.startswith(b"HTTP/1.1 200")
        began = asyncio.get_running_loop().time()
        for byte in b"GET / HTTP/1.1\r\nX-A: " + b"a" * 200:
            if wire.is_cut:
                break
            server.data_received(bytes([byte]))
            await asyncio.sleep(0.05)
        assert wire.is_cut
        # After an answer, the timer that ran meanwhile ends first.
        assert 0.35 < asyncio.get_running_loop().time() - began < (0.9 if path else 0.5)

    talk(Limits(silence=0.4), drip)


def test_work_and_reuse_are_no_silence() -> None:
    async def reuse(server: Any, wire: Wire) -> None:
        for _ in range(4):
            await asked(server, wire, "/")
            await asyncio.sleep(0.39)
        await asked(server, wire, "/long")
        assert (wire.said.count(b"HTTP/1.1 200"), wire.is_cut) == (5, False)

    talk(Limits(silence=0.4), reuse)


def test_who_takes_nothing_is_let_go(dial: Dial) -> None:
    """Otherwise the other end decides how long an answer, and the task that sends it, stay in memory."""
    GONE.clear()
    with listening(app, Limits(deafness=0.4)) as port:
        dial(port).sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert GONE.wait(patience())


def is_answered(line: socket.socket) -> bool:
    with suppress(OSError):
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return b"HTTP/1.1 200" in answer(line)


def test_one_address_has_so_many_and_all_have_so_many(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "is_one_visitor", lambda address: True)
    few = {
        "each": Limits(each=3, silence=patience()),
        "all": SimpleNamespace(**vars(Limits(silence=patience())), most=3),
    }
    for limits in few.values():
        with listening(app, limits) as port:  # type: ignore[arg-type]
            lines = [dial(port) for _ in range(5)]
            # The last first: while it is answered, or not, the others hold their places.
            assert [is_answered(line) for line in reversed(lines)] == [False, False, True, True, True]


def test_a_process_without_a_limit_of_files_takes_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unlimited is said as -1."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    assert 0 < Limits().most < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert Limits().most > 10_000


@together(
    ("address", "wanted"),
    [("8.8.8.8", True), ("2001:4860:4860::8888", True), ("127.0.0.1", False), ("10.1.2.3", False), ("", False)],
)
def test_a_private_address_is_a_proxys(address: str, wanted: bool) -> None:
    """Behind one, everybody has its address: a bound would be one for all visitors together."""
    assert is_one_visitor(address) is wanted


def test_the_page_has_these_limits(small: gr.Blocks, dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    few = SimpleNamespace(**vars(Limits(silence=patience())), most=5)
    monkeypatch.setattr("vizapp.ui.server.start.Limits", lambda: few)
    try:
        port = httpx.URL(launch(small, host="127.0.0.1")).port
        assert port
        lines = [dial(port) for _ in range(6)]
        assert not is_answered(lines[-1])
    finally:
        small.close(verbose=False)


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
    for path in ("queue/join", "call/analyse", "component_server", "cancel", "call/upload", "run/upload"):
        refused = public.http.post(f"{public.url}gradio_api/{path}", content=b'{"data": "' + b"x" * (5 * 2**20) + b'"}')
        assert refused.status_code == 413, path
    fine = {"files": ("a.png", bytes(10**6))}
    assert public.http.post(f"{public.url}gradio_api/upload", files=fine).status_code == 200
