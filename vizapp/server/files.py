"""A file of the page as it is sent: compressed once, and kept by browsers as long as it is the same."""

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import brotli  # comes with gradio
from starlette.datastructures import Headers
from starlette.responses import Response

from vizapp.ui.server.compression import coding_for

FOR_EVER, ANEW = "public, max-age=31536000, immutable", "no-cache"  # the name of a script says what is in it
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
# The scripts take a tenth of a second once; at the highest quality, one more for a tenth less.
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=9, mode=brotli.MODE_TEXT),
    "gzip": partial(gzip.compress, mtime=0),
}


@dataclass(frozen=True)
class File:
    """A file of text, by its name.

    by      the headers of a request, besides Accept-Encoding, that decide whether this one is sent: a cache has to look at them
    """

    name: str
    content: bytes
    by: str = ""
    _sent: dict[str, bytes] = field(default_factory=dict, repr=False)

    def answer(self, asked: Headers) -> Response:
        """The answer to a request for it: 304 without content for a browser that has it."""
        kind = Path(self.name).suffix
        tag = f'W/"{hashlib.sha256(self.content).hexdigest()[:16]}"'  # weak: the same one, however it is compressed
        heads = {
            "cache-control": ANEW if kind == ".html" else FOR_EVER,
            "content-type": KINDS[kind],
            "etag": tag,
            "vary": f"Accept-Encoding, {self.by}".removesuffix(", "),
        }
        if tag in (one.strip() for one in asked.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=heads)
        coding = coding_for(asked.get("accept-encoding", ""))
        if coding:
            heads["content-encoding"] = coding
        return Response(self._in(coding), headers=heads)

    def _in(self, coding: str) -> bytes:
        if not coding:
            return self.content
        if coding not in self._sent:
            self._sent[coding] = PACKED[coding](self.content)
        return self._sent[coding]
