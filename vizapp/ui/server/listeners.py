"""Knows which answers somebody is waiting for, from ASGI middleware that sees streams begin and end.

Gradio answers a queued event on a stream (`queue/data` of a session, or `call/NAME/EVENT`). The stream is a second request,
which a client need not open. A direct call (`run/NAME`, `component_server`) is answered on its own connection.
"""

import asyncio
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LINE = "vizapp.line"  # in the scope of a request: its `Line`
STREAM = re.compile(r"(?:/gradio_api)?(?:/queue/data|/call/(?:v2/)?[^/]+/(?P<event>[^/]+))/?")


class Line:
    """The connection of one request, open until its visitor disconnects."""

    def __init__(self) -> None:
        self.is_open, self.since = True, time.monotonic()


class Listeners:
    """The sessions and events that somebody listens to. Thread-safe."""

    def __init__(self) -> None:
        self._lock, self._open = threading.Lock(), Counter[str]()

    def open(self, key: str) -> None:
        """Count a stream of a session or event that has begun."""
        with self._lock:
            self._open[key] += 1

    def close(self, key: str) -> None:
        """Count off a stream that has ended."""
        with self._lock:
            self._open[key] -= 1
            if self._open[key] <= 0:
                del self._open[key]

    def has(self, *keys: str) -> bool:
        """Tell whether somebody listens to one of the sessions or events."""
        return any(key in self._open for key in keys)


LISTENERS = Listeners()  # one per process, like the processor


@dataclass(frozen=True)
class Listening:
    """The ASGI middleware.

    on_open  called when a stream begins: jobs that waited for a listener may run now
    """

    app: ASGIApp
    on_open: Callable[[], None] = lambda: None
    listeners: Listeners = field(default_factory=lambda: LISTENERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope["method"] == "POST":
            return await _watched(self.app, scope, receive, send)
        found = STREAM.fullmatch(scope["path"].removeprefix(scope.get("root_path", "")))
        key = (found["event"] or _session(scope)) if found and scope["method"] == "GET" else ""
        if not key:
            return await self.app(scope, receive, send)
        self.listeners.open(key)
        self.on_open()
        try:
            await self.app(scope, receive, send)
        finally:
            self.listeners.close(key)


def _session(scope: Scope) -> str:
    return parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [""])[0]


async def _watched(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a request on, and note in its `Line` if the visitor disconnects before the answer."""
    scope[LINE] = line = Line()
    after: asyncio.Task[Message] | None = None

    async def hears() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect":
            line.is_open = False
        return message

    async def received() -> Message:
        nonlocal after
        if after is not None:
            return await asyncio.shield(after)
        message = await hears()
        if message["type"] == "http.request" and not message.get("more_body", False):
            # Gradio never reads past the body, but the next message is the one that says that the visitor left.
            after = asyncio.create_task(hears())
        return message

    try:
        await app(scope, received, send)
    finally:
        if after is not None:
            after.cancel()
