"""What a page without a server has on board: one description that JSON can hold, and named blobs beside it.

Blobs are compressed, and what is the same is there once. In one file they are text; in a folder they are files, whose names
change with their content, so that a browser may keep them for ever.

Numbers in half precision compress better with the lower byte of all of them first, then the upper: the bundled networks to .85
of their length, else .92. The first byte of a blob says which way it was.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vizapp.browser.septets import septets

SHORT = 12  # letters of a hash in a name: of some hundred blobs no two have the same
AS_IT_IS, LOWER_FIRST = b"\1", b"\2"


@dataclass
class Cargo:
    """`about` is what the page reads first; `add` puts a blob on board and gives the name by which `about` calls it."""

    about: dict[str, Any] = field(default_factory=dict)
    _blobs: dict[str, bytes] = field(default_factory=dict, repr=False)

    def add(self, data: bytes) -> str:
        """The name of a blob, with which it can be had again: `has(name)` in the browser's cargo.js."""
        name = hashlib.sha256(data).hexdigest()[:SHORT]
        if name not in self._blobs:
            self._blobs[name] = min(_compressed(data), key=len)
        return name

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(name of a file, content) of each blob, compressed."""
        # Not called .gz: some servers say of such a file that it is its content, compressed, and the browser unpacks it.
        yield from ((f"{name}.bin", data) for name, data in self._blobs.items())

    def inlined(self, text: Callable[[bytes], str] = septets) -> str:
        """HTML: the description and every blob, as elements that no browser shows or runs. `text` writes a blob."""
        way = text.__name__
        blobs = "\n".join(
            f'<script type="text/{way}" data-blob="{name}" data-bytes="{len(data)}">{text(data)}</script>'
            for name, data in self._blobs.items()
        )
        return f'<script type="application/json" id="about">{in_html(self.about)}</script>\n{blobs}'


def base64(data: bytes) -> str:
    """The text of `data` where a text goes through more hands than those of a browser, as a notebook's file does."""
    return b64encode(data).decode()


def _compressed(data: bytes) -> Iterator[bytes]:
    """The same bytes at every export, as gzip writes them: a browser unpacks that by itself."""
    yield _gzip(AS_IT_IS + data, zlib.Z_DEFAULT_STRATEGY)
    yield _gzip(LOWER_FIRST + data[::2] + data[1::2], zlib.Z_FILTERED)  # there is little to find again in numbers


def _gzip(data: bytes, strategy: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9, strategy)  # 31: the container of gzip
    return packer.compress(data) + packer.flush()


def in_html(about: Any) -> str:
    """JSON that may stand inside of a script element: nothing in it ends the element, or begins a comment."""
    return json.dumps(about, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
