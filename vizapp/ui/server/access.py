"""A line of JSON for each request to a public server, on stderr: what was asked, not by whom nor about which picture.

{"time": "2026-11-22T06:40:00.123Z", "method": "POST", "path": "/gradio_api/upload", "status": 200, "ms": 12.4, "bytes": 93,
"from": "5f1c09ab"}

`path` is the pattern of the address, never the address: names of pictures, sessions and events stand in the variable parts and
in the query. `from` tells visitors apart and says nothing of them: a hash of the address with a key that is thrown away with
the process. Behind a proxy it is the proxy's, unless uvicorn was told to believe it (FORWARDED_ALLOW_IPS, docs/server.md).
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PLAIN = ("/", "/health", "/ready", "/gradio_api/mcp")  # what is answered before Gradio's routes are asked


@dataclass(frozen=True)
class AccessLog:
    """Writes a line when a request has been answered."""

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
                "method": scope["method"] if scope["method"].isalpha() else "?",
                "path": pattern(scope),
                "status": status,  # 0: the visitor left before there was an answer
                "ms": round(1000 * (time.perf_counter() - began), 1),
                "bytes": sent,
                "from": self._visitor(scope),
            }
            with suppress(OSError, ValueError):  # nobody reads the log any more; visitors still read the page
                print(json.dumps(line), file=self.to or sys.stderr, flush=True)

    def _visitor(self, scope: Scope) -> str:
        address = scope["client"][0] if scope.get("client") else ""
        return hashlib.blake2b(address.encode(), digest_size=4, key=self.key).hexdigest() if address else ""


def pattern(scope: Scope) -> str:
    """The route that answered, with {names} in place of what varies; "?" where there was none."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    known = getattr(scope.get("route"), "path", None)
    return str(known) if known else path if path in PLAIN else "?"
