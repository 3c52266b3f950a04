"""Logs each request to a public server as a line of JSON on stderr, without the visitor's identity or the picture's name.

{"time": "2026-11-22T06:40:00.123Z", "method": "POST", "path": "/gradio_api/upload", "status": 200, "ms": 12.4, "bytes": 93,
"from": "5f1c09ab"}

`path` is the pattern of the route, never the address itself, because addresses contain the names of pictures, sessions and
events. `from` tells visitors apart without identifying them: it hashes the address with a key that lives only as long as the
process. Behind a proxy it is the proxy's address, unless uvicorn trusts the proxy (FORWARDED_ALLOW_IPS, docs/deploy.md).
"""

import hashlib
import json
import re
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vizapp.ui.terminal import write

WORD = re.compile("[A-Za-z]{1,16}")  # a method of HTTP
PLAIN = ("/", "/health", "/ready", "/gradio_api/mcp")  # answered before Gradio's routes, so the request has no route


@dataclass(frozen=True)
class AccessLog:
    """ASGI middleware: writes a line after each answer."""

    app: ASGIApp
    to: TextIO | None = None
    key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        status, sent = 0, 0
        began, at = time.perf_counter(), datetime.now(UTC)

        async def counted(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            line = {
                "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "method": scope["method"] if WORD.fullmatch(scope["method"]) else "?",
                "path": pattern(scope),
                "status": status,  # 0: the visitor left before the answer began
                "ms": round(1000 * (time.perf_counter() - began), 1),
                "bytes": sent,
                "from": self._visitor(scope),
            }
            write(json.dumps(line), self.to)

    def _visitor(self, scope: Scope) -> str:
        address = scope["client"][0] if scope.get("client") else ""
        return hashlib.blake2b(address.encode(), digest_size=4, key=self.key).hexdigest() if address else ""


def pattern(scope: Scope) -> str:
    """The pattern of the route that answered, with {names} for its variable parts; "?" if there was no route."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    known = getattr(scope.get("route"), "path", None)
    return str(known) if known else path if path in PLAIN else "?"
