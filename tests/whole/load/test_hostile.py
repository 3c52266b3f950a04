"""Large pictures of strangers."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageOps

from support import hostile
from support.hostile import PHOTO, chunk, segment
from support.pictures import encoded
from vizapp.picture import PUBLIC_PIXELS, read_or_shrink


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


HONEST: dict[str, Callable[[], bytes]] = {
    "camera": camera,
    "camera, mpo": lambda: encoded(
        Image.fromarray(PHOTO), "MPO", save_all=True, append_images=[Image.fromarray(PHOTO[::-1])] * 3
    ),
    "jpeg with 400 segments": lambda: hostile.jpeg(segment(0xEB, b"JP" + bytes(100)) * 400),
    "png of 8 kB pieces": lambda: with_idat_of(8192),
    "png of 64-byte pieces": lambda: with_idat_of(64),
    "gif of many pictures": lambda: encoded(
        Image.fromarray(PHOTO).convert("P"),
        "GIF",
        save_all=True,
        append_images=[Image.fromarray(np.roll(PHOTO, one, 0)).convert("P") for one in range(30)],
        comment=b"a comment " * 1000,
    ),
    "webp with EXIF": lambda: encoded(Image.fromarray(PHOTO), "WEBP", exif=Image.open(io.BytesIO(camera(8))).getexif()),
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
