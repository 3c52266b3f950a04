"""Pictures and their files, made by tests."""

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image

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

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 100)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
