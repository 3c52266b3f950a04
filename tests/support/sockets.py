"""A public page for strangers, and plain sockets, with which they may be rude."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
import pytest
import uvicorn

from support.serving import Server, serving
from support.waiting import patience, until
from vizapp.ui.server.connections import Limits, bounded


@pytest.fixture(scope="session")
def public(cache: Any) -> Iterator[Server]:
    """The built-in page, as strangers get it."""
    with serving("toy", public=True) as running:
        yield running


@pytest.fixture
def small() -> Iterator[gr.Blocks]:
    """A page that is built at once, and closed if it was served."""
    with gr.Blocks(analytics_enabled=False) as page:
        gr.HTML("a page")
    yield page
    page.close(verbose=False)


@contextmanager
def listening(app: Any, limits: Limits = Limits()) -> Iterator[int]:  # noqa: B008  frozen
    """An ASGI app on a port of its own, with limits of connections."""
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off")
    config.load()
    config.http_protocol_class = bounded(config.http_protocol_class, limits)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(patience())


@pytest.fixture
def dial() -> Iterator[Callable[[int], socket.socket]]:
    """Connections, by port."""
    opened: list[socket.socket] = []

    def connect(port: int) -> socket.socket:
        opened.append(socket.create_connection(("127.0.0.1", port), timeout=patience()))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


def answer(line: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    said = b""
    try:
        while part := line.recv(65536):
            said += part
    except ConnectionResetError:
        pass
    return said
