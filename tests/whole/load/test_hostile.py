"""Large pictures of strangers."""

import io
import struct
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageOps

from support import hostile
from support.hostile import PHOTO, chunk, segment
from support.pictures import encoded
from vizapp.errors import VizError
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS, read_or_shrink, read_picture


def test_at_home_more_is_read_than_of_strangers() -> None:
    """What takes seconds is nobody's business but yours."""
    data = hostile.bmp((b"\xff\5" * 12 + b"\0\0") * 2800, 3060, 2800)
    with pytest.raises(VizError, match="read slowly"):
        read_or_shrink(data, PUBLIC_PIXELS)
    assert read_picture(data, MAX_PIXELS).shape == (2800, 3060, 3)


def camera(orientation: int = 6) -> bytes:
    """A JPEG with all that a camera writes: maker's notes of 40 kB, a thumbnail, places, a profile in pieces, XMP, a preview."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010F], exif[0x011A], exif[0x011B] = orientation, "Maker", 72.0, 72.0
    exif.get_ifd(0x8769)[0x927C] = bytes(range(256)) * 160
    exif.get_ifd(0x8769)[0x829A] = 1 / 250
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.5)
    options = {"exif": exif, "icc_profile": bytes(400_000), "xmp": b"<x:xmpmeta/>" * 2000}
    return encoded(Image.fromarray(PHOTO), "JPEG", **options)


def with_idat_of(length: int) -> bytes:
    """A PNG of 16 bits, cut into pieces as other encoders cut it."""
    data = encoded(Image.fromarray(np.random.default_rng(0).integers(0, 2**16, (800, 800), np.uint16)), "PNG")
    pixels = b"".join(
        data[at + 4 : at + 4 + int.from_bytes(data[at - 4 : at])]
        for at in range(12, len(data))
        if data[at : at + 4] == b"IDAT"
    )
    begins = data.index(b"IDAT") - 4
    pieces = (chunk(b"IDAT", pixels[at : at + length]) for at in range(0, len(pixels), length))
    return data[:begins] + b"".join(pieces) + chunk(b"IEND", b"")


def striped(height: int) -> bytes:
    """A TIFF with a strip for each row, as GDAL writes it."""
    width, pixels = 64, np.random.default_rng(0).integers(0, 256, (height, 64), np.uint8)
    begins = 8 + 8 * height
    offsets = struct.pack(f"<{height}L", *(begins + row * width for row in range(height)))
    lengths = struct.pack(f"<{height}L", *[width] * height)
    tags = [(273, 4, height, 8), (278, 4, 1, 1), (279, 4, height, 8 + 4 * height)]
    return hostile.tiff(height, tags, offsets + lengths + pixels.tobytes(), wide=width, strips=False)


def tiles_of(side: int, planes: int = 8) -> bytes:
    """A grey TIFF of tiles, planes x planes of them."""
    pixels = np.random.default_rng(0).integers(0, 256, (planes**2, side, side), np.uint8)
    begins, count = 8 + 8 * planes**2, planes**2
    offsets = struct.pack(f"<{count}L", *(begins + one * side * side for one in range(count)))
    tags = [(322, 3, 1, side), (323, 3, 1, side), (324, 4, count, 8), (325, 4, count, 8 + 4 * count)]
    lengths = struct.pack(f"<{count}L", *[side * side] * count)
    return hostile.tiff(side * planes, tags, offsets + lengths + pixels.tobytes(), strips=False)


HONEST: dict[str, Callable[[], bytes]] = {
    "camera": camera,
    "camera, mpo": lambda: encoded(
        Image.fromarray(PHOTO), "MPO", save_all=True, append_images=[Image.fromarray(PHOTO[::-1])] * 3
    ),
    "jpeg with 400 segments": lambda: hostile.jpeg(segment(0xEB, b"JP" + bytes(100)) * 400),
    "png of 8 kB pieces": lambda: with_idat_of(8192),
    "png of 64-byte pieces": lambda: with_idat_of(64),
    "tiff, a strip for each row": lambda: striped(5000),
    "tiff of tiles": lambda: tiles_of(256),
    "tiff, lzw, with a profile": lambda: encoded(
        Image.fromarray(PHOTO), "TIFF", compression="tiff_lzw", icc_profile=bytes(2**20)
    ),
    "tiff of several pages": lambda: encoded(
        Image.fromarray(PHOTO), "TIFF", save_all=True, append_images=[Image.fromarray(PHOTO)] * 20
    ),
    "gif of many pictures": lambda: encoded(
        Image.fromarray(PHOTO).convert("P"),
        "GIF",
        save_all=True,
        append_images=[Image.fromarray(np.roll(PHOTO, one, 0)).convert("P") for one in range(30)],
        comment=b"a comment " * 1000,
    ),
    "webp with EXIF": lambda: encoded(Image.fromarray(PHOTO), "WEBP", exif=Image.open(io.BytesIO(camera(8))).getexif()),
    "bmp, runs, of a large screen": lambda: hostile.bmp((b"\xff\5" * 15 + b"\x0f\5\0\0") * 2160, 3840, 2160),
    "pgm of 12 bits": lambda: b"P5\n2000 100\n4095\n" + PHOTO.tobytes()[:4000] * 100,
    "jpeg 2000": lambda: encoded(Image.fromarray(PHOTO), "JPEG2000", comment="by a program"),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_pictures_are_read_as_before(name: str) -> None:
    data = HONEST[name]()
    opened = Image.open(io.BytesIO(data))
    upright = ImageOps.exif_transpose(opened)
    found, note = read_or_shrink(data, PUBLIC_PIXELS)
    assert note is None
    assert found.shape[:2] == (upright.height, upright.width)
    if opened.mode in ("L", "RGB", "P"):
        assert np.array_equal(found, np.asarray(upright.convert("RGB")))
