"""Compresses the page, and lets browsers keep what never changes, so that a visit is cheap on a slow line.

Gradio decides by the ending of an address what to compress, and the page itself, its largest answer, has no ending. Gradio's
scripts and styles carry a content hash in their names, yet it sends no cache lifetime: a browser asks again for a hundred files.
"""

import gzip
from dataclasses import dataclass
from functools import lru_cache

import brotli  # comes with gradio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = "/assets/"
FOREVER = "public, max-age=31536000, immutable"
WORTH = 1024  # bytes: an answer below one packet does not travel faster compressed
QUALITY = {"br": 5, "gzip": 6}  # compresses the page of 0.67 MB to a sixth in 15 ms


@dataclass(frozen=True)
class Smaller:
    """ASGI middleware: compresses HTML answers, and marks everything under /assets/ as cacheable for ever."""

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
                    if coding:  # held back until the body is complete: Content-Length must be known
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
    """Tell whether the answer is HTML that is not compressed yet."""
    return heads.get("content-type", "").startswith("text/html") and "content-encoding" not in heads


def coding_for(accepted: str) -> str:
    """The best coding of `QUALITY` that a browser accepts; "" if it accepts none."""
    takes = {one.partition(";")[0].strip() for one in accepted.split(",") if not one.replace(" ", "").endswith(";q=0")}
    return next((one for one in QUALITY if one in takes), "")


def finished(start: Message, body: bytes, coding: str) -> Message:
    """The body as one message, compressed if it is at least `WORTH` bytes. Sets the matching headers of `start`."""
    heads = MutableHeaders(scope=start)
    if len(body) >= WORTH:
        body = compressed(body, coding)
        heads["Content-Encoding"] = coding
    heads["Content-Length"] = str(len(body))
    return {"type": "http.response.body", "body": body, "more_body": False}


@lru_cache(maxsize=4)  # the page is the same for all visitors of a language
def compressed(body: bytes, coding: str) -> bytes:
    """Compress `body` with a coding of `QUALITY`."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=QUALITY["br"], mode=brotli.MODE_TEXT))
    return gzip.compress(body, QUALITY["gzip"], mtime=0)
