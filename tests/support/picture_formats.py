"""Decoding in a process of its own, whose memory is counted."""

import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from support.deep_pictures import filtered, tiff
from support.pictures import encoded, png

# Several strips high, of no round size.
TALL = np.kron(np.random.default_rng(0).integers(0, 256, (47, 31, 3), np.uint8), np.ones((26, 29, 1), np.uint8))


GREY = TALL[..., 0]


def see_through(mode: str = "RGBA") -> Image.Image:
    image = Image.fromarray(TALL).convert("RGBA")
    image.putalpha(Image.fromarray(GREY))
    return image.convert(mode)


def of_palette(**options: object) -> bytes:
    return encoded(Image.fromarray(TALL).convert("P"), "PNG", **options)


FILES: dict[str, Callable[[], bytes]] = {
    "jpeg": lambda: encoded(TALL, "JPEG"),
    "jpeg progressive": lambda: encoded(TALL, "JPEG", progressive=True, subsampling=0),
    "jpeg cmyk": lambda: encoded(Image.fromarray(TALL).convert("CMYK"), "JPEG", progressive=True),
    "png": lambda: encoded(TALL),
    "png alpha": lambda: encoded(see_through()),
    "png grey alpha": lambda: encoded(see_through("LA")),
    "png palette": of_palette,
    "png palette see-through": lambda: of_palette(transparency=3),
    "png palette of bytes": lambda: of_palette(transparency=bytes(range(0, 250, 2))),
    "png colour key": lambda: encoded(TALL, transparency=tuple(map(int, TALL[0, 0]))),
    "png 16 bit": lambda: encoded(GREY.astype(np.uint16) * 251 + 7),
    "png 12 bits in 16": lambda: filtered(GREY.astype(np.uint16) * 16 + 3),
    "png colours of 12 bits in 16": lambda: filtered(TALL.astype(np.uint16) * 16 + 3),
    "tiff colours of 12 bits in 16": lambda: tiff(TALL.astype(np.uint16) * 16 + 3),
    "png 1 bit": lambda: encoded(Image.fromarray(GREY > 90)),
    "webp": lambda: encoded(TALL, "WEBP", method=0),
    "webp alpha": lambda: encoded(see_through(), "WEBP", method=0),
    "avif alpha": lambda: encoded(see_through(), "AVIF", speed=10),
    "jpeg 2000": lambda: encoded(Image.fromarray(TALL), "JPEG2000"),
    "tiff": lambda: encoded(TALL, "TIFF", compression="tiff_lzw"),
    "tiff float": lambda: encoded(GREY.astype(np.float32) * 3 - 100, "TIFF"),
    "tiff 32 bit": lambda: encoded(GREY.astype(np.int32) * 9999 - 12345, "TIFF"),
    "gif": lambda: encoded(Image.fromarray(TALL), "GIF"),
    "bmp": lambda: encoded(TALL, "BMP"),
    "ppm 16 bit": lambda: encoded(GREY.astype(np.uint16) * 251, "PPM"),
}


@pytest.fixture(scope="module")
def wide() -> bytes:
    """A 16-bit PNG of 9990 x 9990 pixels, all of one grey: under a megabyte, and 100 million pixels."""
    side = 9990
    row = zlib.compressobj(1)
    pixels = b"".join(row.compress(b"\0" + bytes([7, 7]) * side) for _ in range(side)) + row.flush()
    return png((side, side), (16, 0, 0, 0, 0), pixels)
