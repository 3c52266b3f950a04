"""How much a request may bring, and how long it may take to bring it: an ASGI middleware."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OTHER = 4 * 2**20  # bytes of any request but an upload: choices and settings, some kilobytes of JSON
PATIENCE = 20.0  # seconds that any body may take;
SLOWEST = (
    16 * 2**10
)  # from then on as many as it has brought this often, in bytes: 128 kbit/s, a phone at the edge of its net


@dataclass(frozen=True)
class Bodies:
    """Refuses bodies that are too large (413) or come too slowly (408).

    upload  bytes of a request that brings files
    """

    app: ASGIApp
    upload: int
    other: int = OTHER
    patience: float = PATIENCE
    slowest: float = SLOWEST

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        most = self.upload if scope["path"].rstrip("/").endswith("/upload") else self.other
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > most:
            return await _refusal(413, most)(scope, receive, send)
        began, brought, is_whole = time.monotonic(), 0, False
        has_begun = is_refused = False

        async def refuse(status: int) -> Message:
            """Answer in place of the app, which is told that the visitor left."""
            nonlocal is_refused
            if not has_begun and not is_refused:
                is_refused = True
                await _refusal(status, most)(scope, receive, send)
            is_refused = True
            return {"type": "http.disconnect"}

        async def watched() -> Message:
            nonlocal brought, is_whole
            if is_refused:
                return {"type": "http.disconnect"}
            if is_whole:  # what comes now is that the visitor leaves, which may take as long as it likes
                return await receive()
            try:
                async with asyncio.timeout(began + max(self.patience, brought / self.slowest) - time.monotonic()):
                    message = await receive()
            except TimeoutError:
                return await refuse(408)
            brought += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            return await refuse(413) if brought > most else message

        async def passed_on(message: Message) -> None:
            nonlocal has_begun
            if not is_refused:
                has_begun = True
                await send(message)

        try:
            await self.app(scope, watched, passed_on)
        except Exception:
            if not is_refused:  # an app may well complain that its visitor left
                raise


def _refusal(status: int, most: int) -> PlainTextResponse:
    said = {
        408: "This request came too slowly.\n",
        413: f"This request is too large. At most {most / 2**20:.0f} MB are taken.\n",
    }
    return PlainTextResponse(said[status], status, headers={"connection": "close"})
