"""What a visit costs on a slow line: the page travels compressed, and what never changes is not asked for again.

Gradio compresses by the ending of an address, and the page itself, the largest of its answers, has none. Its scripts and styles
have their content in their names, and yet it says nothing of how long they may be kept: a browser asks anew for a hundred.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache

import brotli  # comes with gradio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = "/assets/"
FOREVER = "public, max-age=31536000, immutable"
WORTH = 1024  # bytes: less than a packet or two is not made smaller
QUALITY = {"br": 5, "gzip": 6}  # 0.67 MB in 15 ms, a sixth remains


@dataclass(frozen=True)
class Smaller:
    """ASGI middleware: compresses whole answers of HTML, and lets what lies under /assets/ be kept."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            return await self.app(scope, receive, send)
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        coding = coding_for(Headers(scope=scope).get("accept-encoding", ""))
        start: Message | None = None
        body: list[bytes] = []

        async def told(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                heads = MutableHeaders(scope=message)
                if path.startswith(ASSETS) and message["status"] == 200:
                    heads["Cache-Control"] = FOREVER
                if is_page(heads):
                    heads.add_vary_header("Accept-Encoding")
                    if coding:  # held back until the whole answer is here
                        start = message
                        return
            elif start is not None and message["type"] == "http.response.body":
                body.append(message.get("body", b""))
                if message.get("more_body"):
                    return
                message = finished(start, b"".join(body), coding)
                await send(start)
            await send(message)

        await self.app(scope, receive, told)


def is_page(heads: Headers) -> bool:
    """Is this a whole answer of HTML that nobody has compressed?"""
    return heads.get("content-type", "").startswith("text/html") and "content-encoding" not in heads


def coding_for(accepted: str) -> str:
    """The better of the codings that a browser takes; "": none of ours."""
    takes = {one.partition(";")[0].strip() for one in accepted.split(",") if not one.replace(" ", "").endswith(";q=0")}
    return next((one for one in QUALITY if one in takes), "")


def finished(start: Message, body: bytes, coding: str) -> Message:
    """The one message of the body, compressed where that is worth it; `start` gets the heads that belong to it."""
    heads = MutableHeaders(scope=start)
    if len(body) >= WORTH:
        body = compressed(body, coding)
        heads["Content-Encoding"] = coding
    heads["Content-Length"] = str(len(body))
    return {"type": "http.response.body", "body": body, "more_body": False}


@lru_cache(maxsize=4)  # the page is the same for all visitors of a language
def compressed(body: bytes, coding: str) -> bytes:
    """`body` in a coding of `QUALITY`."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=QUALITY["br"], mode=brotli.MODE_TEXT))
    return gzip.compress(body, QUALITY["gzip"], mtime=0)
