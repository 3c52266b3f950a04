"""Pictures and their files, made by tests."""

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image

ORIENTATION = 0x0112  # in EXIF
NOISE = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)


def gradient(height: int = 24, width: int = 40) -> np.ndarray:
    """No symmetry at all: a turned or mirrored copy is never equal."""
    y, x = np.mgrid[:height, :width]
    return np.stack([5 * x, 9 * y, 3 * x + 2 * y], axis=-1).astype(np.uint8)


def encoded(image: Image.Image | np.ndarray, file_format: str = "PNG", **options: Any) -> bytes:
    """The bytes of a file that holds `image`."""
    image = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    stream = io.BytesIO()
    image.save(stream, file_format, **options)
    return stream.getvalue()


def png_that_says(width: int, height: int) -> bytes:
    """A PNG of under 100 bytes whose header announces any size."""
    return png((width, height), (8, 2, 0, 0, 0), zlib.compress(b"\0" * 100))


def chunk(kind: bytes, data: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))


def png(
    size: tuple[int, int], about: tuple[int, ...], pixels: bytes, before: bytes = b"", behind: bytes = b""
) -> bytes:
    """A PNG of (width, height), of compressed rows; `about`: depth, kind, compression, filters, interlacing."""
    head = chunk(b"IHDR", struct.pack(">LLBBBBB", *size, *about))
    return b"\x89PNG\r\n\x1a\n" + head + before + chunk(b"IDAT", pixels) + behind + chunk(b"IEND", b"")


def turned(orientation: int) -> Image.Exif:
    """EXIF that says only how a picture lies."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return exif
