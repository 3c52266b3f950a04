"""The contents of a page without a server: one description in JSON, and named blobs beside it.

Blobs are compressed, and equal ones are stored once. In one file they are text. In a folder they are files, named by a hash of
their content, so that browsers may keep them for ever.

Numbers in half precision compress better if all their lower bytes come before all upper ones: the bundled networks to 0.85 of
their length instead of 0.92. The first byte of a blob says which order it has.
"""

import hashlib
import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from vizapp.browser.base128 import septets

SHORT = 12  # letters of a hash in a name: enough to tell a few hundred blobs apart
AS_IT_IS, LOWER_FIRST = b"\1", b"\2"


@dataclass
class Cargo:
    """The page reads `about` first. `add` stores a blob and returns the name that `about` uses for it."""

    about: dict[str, Any] = field(default_factory=dict)
    _blobs: dict[str, bytes] = field(default_factory=dict, repr=False)

    def add(self, data: bytes) -> str:
        """Store a blob, and return the name by which `get(name)` of the browser's cargo.js loads it."""
        name = hashlib.sha256(data).hexdigest()[:SHORT]
        if name not in self._blobs:
            as_it_is = _gzip(AS_IT_IS + data, zlib.Z_DEFAULT_STRATEGY)
            # Numbers have few repeated sequences.
            lower_first = _gzip(LOWER_FIRST + data[::2] + data[1::2], zlib.Z_FILTERED)
            self._blobs[name] = min(as_it_is, lower_first, key=len)
        return name

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(name of a file, content) of each blob, compressed."""
        # Not named .gz: some servers send such files with Content-Encoding, and the browser then unpacks them itself.
        yield from ((f"{name}.bin", data) for name, data in self._blobs.items())

    def inlined(self, text: Callable[[bytes], str] = septets, about: Mapping[str, Any] | None = None) -> str:
        """HTML: the description and every blob, as elements that no browser shows or runs. `text` encodes a blob. `about`
        replaces the description if that is a blob itself."""
        way = text.__name__
        blobs = "\n".join(
            f'<script type="text/{way}" data-blob="{name}" data-bytes="{len(data)}">{text(data)}</script>'
            for name, data in self._blobs.items()
        )
        return f'<script type="application/json" id="about">{in_html(about or self.about)}</script>\n{blobs}'


def named(name: str, data: bytes, kind: str) -> str:
    """Name a file by its content, so that browsers may keep it for ever."""
    return f"{name}-{hashlib.sha256(data).hexdigest()[:SHORT]}.{kind}"


def base64(data: bytes) -> str:
    """Encode `data` as base64, for text that other programs than a browser process, such as a notebook's file."""
    return b64encode(data).decode()


def _gzip(data: bytes, strategy: int) -> bytes:
    """Give `data` as gzip, which browsers can unpack. The output is the same at every export."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9, strategy)  # 31: a gzip header and the largest window
    return packer.compress(data) + packer.flush()


def in_json(about: Any) -> str:
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"))


def in_html(about: Any) -> str:
    """JSON for the inside of a script element: nothing in it ends the element or begins a comment."""
    return in_json(about).replace("<", "\\u003c")


@cache
def script(path: Path) -> str:
    """The same of a file's JavaScript."""
    return path.read_text("utf-8").replace("</script", "<\\/script").replace("<!--", "<\\!--")
