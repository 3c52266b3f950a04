"""Pictures that are small files and cost their reader much: each shape by how many of its parts there are."""

import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
from PIL import Image

from support.pictures import chunk, encoded
from support.pictures import png as png_of

MANY_CALLS = 400_000  # that refusing one of these stays below
LITTLE = struct.Struct("<HHLL")
EXIF = b"Exif\0\0"
PHOTO = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)


class Calls:
    """How many functions were called, of Python and of C: what a walk over millions of parts shows on any machine."""

    n = 0

    def hear(self, frame: FrameType, event: str, argument: object) -> None:
        self.n += event in {"call", "c_call"}


@contextmanager
def calls() -> Iterator[Calls]:
    made = Calls()
    sys.setprofile(made.hear)
    try:
        yield made
    finally:
        sys.setprofile(None)


def directory(entries: Iterable[tuple[int, int, int, int]]) -> bytes:
    """Of (tag, type, how many, where or what)."""
    packed = [LITTLE.pack(*one) for one in entries]
    return struct.pack("<H", len(packed)) + b"".join(packed) + bytes(4)


def tiff(
    side: int, tags: Iterable[tuple[int, int, int, int]], data: bytes, wide: int = 0, strips: bool = True
) -> bytes:
    """Grey, with `data` from byte 8 on."""
    own = [(256, 4, 1, wide or side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (277, 3, 1, 1)]
    if strips:
        own += [(273, 4, 1, 8), (278, 4, 1, side), (279, 4, 1, side * (wide or side))]
    return struct.pack("<2sHL", b"II", 42, 8 + len(data)) + data + directory(sorted([*own, *tags]))


def overlapping(n_tags: int, n_bytes: int, kind: int = 7) -> list[tuple[int, int, int, int]]:
    """Tags over the same bytes."""
    return [(40000 + number, kind, n_bytes // (8 if kind == 5 else 1), 8) for number in range(n_tags)]


def exif(n_tags: int, n_bytes: int) -> bytes:
    """The same, as EXIF."""
    return struct.pack("<2sHL", b"II", 42, 8 + n_bytes) + bytes(n_bytes) + directory(overlapping(n_tags, n_bytes))


def fax(rows: int, kind: int = 2, wide: int = 64) -> bytes:
    """A TIFF of one bit, compressed as a fax is (2, 3, 4), whose rows have no such codes: a library has a line to say of each."""
    data = bytes(number * 37 % 251 for number in range(3 * rows))
    own = [(256, 4, 1, wide), (257, 4, 1, rows), (258, 3, 1, 1), (259, 3, 1, kind), (262, 3, 1, 0), (277, 3, 1, 1)]
    strip = [(273, 4, 1, 8), (278, 4, 1, rows), (279, 4, 1, len(data))]
    return struct.pack("<2sHL", b"II", 42, 8 + len(data)) + data + directory(sorted([*own, *strip]))


def png(chunks: bytes, behind: bytes = b"", side: int = 16) -> bytes:
    """Grey, with other chunks in front of its pixels and behind them."""
    pixels = zlib.compress(b"".join(b"\0" + b"\x80" * side for _ in range(side)))
    return png_of((side, side), (8, 0, 0, 0, 0), pixels, chunks, behind)


def jpeg(segments: bytes) -> bytes:
    """Grey, with other segments behind its first mark."""
    data = encoded(Image.new("L", (16, 16), 128), "JPEG")
    return data[:2] + segments + data[2:]


def segment(kind: int, data: bytes) -> bytes:
    return bytes((0xFF, kind)) + struct.pack(">H", len(data) + 2) + data


def split_exif(data: bytes, length: int = 60_000) -> bytes:
    return b"".join(segment(0xE1, EXIF + data[at : at + length]) for at in range(0, len(data), length))


def gif(blocks: bytes) -> bytes:
    """With blocks in front of its picture."""
    data = encoded(Image.new("P", (16, 16)), "GIF")
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 128 else 0)
    return data[:at] + blocks + data[at:]


def drawn_often(side: int, times: int) -> bytes:
    """A progressive JPEG whose last scan, of a few bytes, comes again and again: each takes as long as the whole picture."""
    data = encoded(Image.new("L", (side, side), 128), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xc4", 0, data.rindex(b"\xff\xda")) : -2]
    return data[:-2] + last * times + data[-2:]


# Name -> (what makes it of n parts, n for about 20 MB or what takes seconds, n that is fine).
SHAPES: dict[str, tuple[Callable[[int], bytes], int, int]] = {
    "jpeg: EXIF over the same bytes": (lambda n: jpeg(split_exif(exif(n, 2**20))), 100, 1),
    "jpeg: EXIF in pieces": (lambda n: jpeg(split_exif(exif(1, 30 * n), 30)), 20_000, 3),
    "jpeg: EXIF in EXIF": (lambda n: jpeg(split_exif(EXIF * n + exif(1, 60))), 200_000, 0),
    "jpeg: preview over the same bytes": (lambda n: jpeg(segment(0xE2, b"MPF\0" + exif(n, 30_000))), 2500, 1),
    "jpeg: empty segments": (lambda n: jpeg(segment(0xE5, b"") * n), 4_000_000, 10_000),
    "jpeg: padding": (lambda n: jpeg(b"\xff" * n), 16_000_000, 10_000),
    "jpeg: tables": (lambda n: jpeg(segment(0xDB, b"\0".ljust(65, b"\1") * 1000) * n), 300, 1),
    "jpeg: resources": (
        lambda n: jpeg(segment(0xED, b"Photoshop 3.0\0" + b"8BIM\4\4\0\0\0\0\0\0" * 5000) * n), 300, 3
    ),
    "jpeg: scans of many pixels": (lambda n: drawn_often(6000, n), 90, 1),
    "png: EXIF over the same bytes": (lambda n: png(chunk(b"eXIf", exif(n, 2**20))), 100, 1),
    "png: EXIF in EXIF": (lambda n: png(chunk(b"eXIf", EXIF * n + exif(1, 60))), 200_000, 0),
    "png: chunks": (lambda n: png(chunk(b"abCd", b"") * n), 1_400_000, 10_000),
    "png: chunks behind the pixels": (lambda n: png(b"", chunk(b"abCd", b"") * n), 1_400_000, 10_000),
    "png: texts": (lambda n: png(chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(10**6))) * n), 18_000, 3),
    "gif: a comment": (lambda n: gif(b"!\xfe" + (b"\xff" + b"a" * 255) * n + b"\0"), 70_000, 300),
    "gif: comments": (lambda n: gif(b"!\xfe\1a\0" * n), 4_000_000, 3000),
    "gif: blocks": (lambda n: gif(b"!\xff" + b"\1a" * n + b"\0"), 9_000_000, 30_000),
    "gif: junk": (lambda n: gif(b"\0" * n), 18_000_000, 10_000),
}  # fmt: skip
