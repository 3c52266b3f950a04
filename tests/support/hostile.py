"""Pictures that are small files and cost their reader much: each shape by how many of its parts there are."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
from PIL import Image

from support.pictures import encoded

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


def damaged(how: str) -> bytes:
    """A TIFF, compressed like that, with other bytes in the midst of its pixels."""
    picture = Image.effect_noise((200, 200), 80).convert("RGB")
    data = bytearray(encoded(picture, "TIFF", compression=how))
    for at in range(len(data) // 3, len(data) // 2, 50):
        data[at] ^= 0xA5
    return bytes(data)


def of_many_values() -> bytes:
    """A TIFF in which what should be one number is several: Pillow has a warning for each, and for each number of them."""
    tags = (254, 255, 263, 266, 274, 284, 296, 317, 332, 334)
    return tiff(16, [(tag, 3, 3 + number, 8) for number, tag in enumerate(tags)], bytes(256))


def png(chunks: bytes, behind: bytes = b"", side: int = 16) -> bytes:
    """Grey, with other chunks in front of its pixels and behind them."""
    pixels = zlib.compress(b"".join(b"\0" + b"\x80" * side for _ in range(side)))
    head = chunk(b"IHDR", struct.pack(">LLBBBBB", side, side, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunks + chunk(b"IDAT", pixels) + behind + chunk(b"IEND", b"")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))


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


def bmp(runs: bytes, width: int, height: int, kind: int = 1) -> bytes:
    """Run-length encoded, of 8 bits, or of 4 (kind 2)."""
    bits = 8 // kind
    head = struct.pack("<LllHHLLllLL", 40, width, height, 1, bits, kind, len(runs), 0, 0, 1 << bits, 0)
    palette = b"".join(bytes((value, 0, 9, 0)) for value in range(1 << bits))
    begins = 14 + len(head) + len(palette)
    return struct.pack("<2sLHHL", b"BM", begins + len(runs), 0, 0, begins) + head + palette + runs


def drawn_often(side: int, times: int) -> bytes:
    """A progressive JPEG whose last scan, of a few bytes, comes again and again: each takes as long as the whole picture."""
    data = encoded(Image.new("L", (side, side), 128), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xc4", 0, data.rindex(b"\xff\xda")) : -2]
    return data[:-2] + last * times + data[-2:]


def tiled(n_tiles: int) -> bytes:
    """A TIFF of tiles of one pixel."""
    side = int(n_tiles**0.5)
    table = (8).to_bytes(4, "little") * side**2
    tags = [(322, 3, 1, 1), (323, 3, 1, 1), (324, 4, side**2, 8), (325, 4, side**2, 8)]
    return tiff(side, tags, table, strips=False)


def drawn_by_strips(n_strips: int) -> bytes:
    """A TIFF with many strips that are nearly all of it, of the same bytes."""
    side, table = 2000, (8).to_bytes(4, "little") * n_strips
    tags = [(273, 4, n_strips, 8), (278, 4, 1, side - 1), (279, 4, n_strips, 8)]
    return tiff(side, tags, table + bytes(side * side), strips=False)


def jp2(boxes: bytes) -> bytes:
    data = encoded(Image.new("L", (16, 16)), "JPEG2000")
    at = data.index(b"jp2h") - 4
    return data[:at] + boxes + data[at:]


def codestream(markers: bytes) -> bytes:
    data = encoded(Image.new("L", (16, 16)), "JPEG2000", no_jp2=True)
    at = 4 + int.from_bytes(data[4:6])
    return data[:at] + markers + data[at:]


def avif(n_bytes: int) -> bytes:
    """With EXIF whose tags lie upon each other."""
    return encoded(Image.new("RGB", (16, 16)), "AVIF", exif=EXIF + exif(200, n_bytes), speed=10)


# Name -> (what makes it of n parts, n for about 20 MB or what takes seconds, n that is fine).
SHAPES: dict[str, tuple[Callable[[int], bytes], int, int]] = {
    "tiff: tags over the same bytes": (lambda n: tiff(16, overlapping(n, 2**20), bytes(2**20)), 100, 1),
    "tiff: fractions in its EXIF": (
        lambda n: tiff(16, [(34665, 4, 1, 8)], directory([(40000, 5, n, 8)]) + b"\1" * 8 * n), 2_200_000, 1000
    ),
    "tiff: tags": (lambda n: tiff(16, [(40000 + i % 9, 4, 1, 7) for i in range(n)], bytes(256)), 60_000, 500),
    "tiff: tiles of one pixel": (tiled, 1_000_000, 10_000),
    "tiff: strips over each other": (drawn_by_strips, 4000, 2),
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
    "bmp: runs of one": (lambda n: bmp((b"\1\5" * 3000 + b"\0\0") * (n // 3000), 3000, n // 3000), 9_000_000, 90_000),
    "bmp: rows of nothing": (lambda n: bmp((b"\1\5\0\0") * n, 5000, n, 2), 5000, 60),
    "ppm: odd brightest": (lambda n: b"P6\n1000 %d\n254\n" % n + b"\x40" * (3000 * n), 6000, 10),
    "ppm: letters": (lambda n: b"P3\n1000 %d\n255\n" % n + b"1 " * (3000 * n), 3000, 10),
    "ppm: remarks": (lambda n: b"P2\n100 100\n255\n" + b"#\n" * n + b"1 " * 10_000, 2_000_000, 500),
    "ppm: a long head": (lambda n: b"P5\n100 100 #" + b"a" * n + b"\n255\n" + bytes(10_000), 18_000_000, 10_000),
    "jpeg 2000: boxes": (lambda n: jp2((b"\0\0\0\x08free") * n), 2_400_000, 500),
    "jpeg 2000: markers": (lambda n: codestream(b"\xff\x55\0\2" * n), 5_000_000, 0),
}  # fmt: skip
