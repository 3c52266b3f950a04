"""Who listens: which answers somebody waits for at this moment. An ASGI middleware that sees streams begin and end.

What Gradio runs in its queue is answered on a stream, `queue/data` of a session or `call/NAME/EVENT`, which is another request
than the one that asked; nothing obliges anybody to open it. What is asked directly (`run/NAME`, `component_server`) is answered
on the line that asked.
"""

from __future__ import annotations

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
    """The connection of one request. Open until its visitor hangs up."""

    def __init__(self) -> None:
        self.is_open, self.since = True, time.monotonic()


class Listeners:
    """Sessions and events that somebody listens to. Safe with threads."""

    def __init__(self) -> None:
        self._lock, self._open = threading.Lock(), Counter[str]()

    def open(self, key: str) -> None:
        """A stream of the session, or of the event, has begun."""
        with self._lock:
            self._open[key] += 1

    def close(self, key: str) -> None:
        """It has ended."""
        with self._lock:
            self._open[key] -= 1
            if self._open[key] <= 0:
                del self._open[key]

    def has(self, *keys: str) -> bool:
        """Does anybody listen to one of them?"""
        return any(key in self._open for key in keys)


LISTENERS = Listeners()  # one for each process, as there is one processor


@dataclass(frozen=True)
class Listening:
    """The middleware.

    on_open  called when a stream has begun: what waited for it may be computed now
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
    """Pass a request on, and see whether its visitor hangs up before the answer."""
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
            after = asyncio.create_task(
                hears()
            )  # nothing asks for what comes after the body, but it says when they leave
        return message

    try:
        await app(scope, received, send)
    finally:
        if after is not None:
            after.cancel()
