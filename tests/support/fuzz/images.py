"""Pictures with changed bytes, of every format that is read, as bytes and as files; and small files that would cost much."""

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from support import hostile
from support.fuzz.nonsense import mutated
from support.pictures import encoded, turned
from vizapp.errors import VizError
from vizapp.picture import PUBLIC_PIXELS, read_or_shrink, read_picture
from vizapp.ui.server.library_logs import hush

COUNT = 320
SHAPED = 0.1  # of the cases are small files that would cost much, of any amount
MEMORY = 2 * 2**30
ALLOWED = (VizError,)
KINDS = {
    "JPEG": ("L", "RGB", "CMYK"), "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"), "WEBP": ("RGB", "RGBA"), "GIF": ("P",),
    "BMP": ("1", "L", "P", "RGB"), "TIFF": ("1", "L", "RGB", "RGBA", "I;16", "F", "CMYK"), "AVIF": ("RGB",),
    "JPEG2000": ("L", "RGB"), "PPM": ("1", "L", "RGB"),
}  # fmt: skip


def seeds() -> list[bytes]:
    """A small picture in every format and mode; with EXIF, with several frames, progressive, compressed."""
    rgb = np.random.default_rng(0).integers(0, 256, (24, 40, 3), dtype=np.uint8)
    picture, found = Image.fromarray(rgb), []
    for kind, modes in KINDS.items():
        for mode in modes:
            if mode in ("I;16", "F"):
                one = Image.fromarray(rgb[..., 0].astype(np.uint16 if mode == "I;16" else np.float32) * 200)
            else:
                one = picture.convert(mode)
            found.append(encoded(one, kind))
    exif = turned(6)
    more = [picture.rotate(90 * turn) for turn in range(3)]
    found += [
        encoded(picture, "JPEG", exif=exif, progressive=True),
        encoded(picture, "PNG", exif=exif),
        *(encoded(picture, kind, save_all=True, append_images=more) for kind in ("GIF", "WEBP", "TIFF", "PNG")),
        *(encoded(picture, "TIFF", compression=how) for how in ("tiff_lzw", "tiff_deflate", "jpeg", "packbits")),
        *(encoded(picture.convert("1"), "TIFF", compression=how) for how in ("tiff_ccitt", "group3", "group4")),
    ]
    return found


def with_sums(data: bytes) -> bytes:
    """A PNG with the sums of its chunks put right again, so that a change gets further than the first of them."""
    found, at = bytearray(data[:8]), 8
    while at + 8 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        body = data[at + 4 : at + 8 + length]
        found += data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body))
        at += 12 + length
    return bytes(found)


def shaped(rng: Random, tries: Callable[[str], None]) -> None:
    """One of `hostile.SHAPES`, of between one and the most of its parts, some of its bytes changed."""
    name = rng.choice(sorted(hostile.SHAPES))
    make, most, _ = hostile.SHAPES[name]
    amount = int(most ** rng.random())
    tries(f"{name}: {amount}")
    data = make(amount)
    if rng.random() < 0.5:
        data = mutated(rng, data)
    with hostile.calls() as made:
        try:
            read_or_shrink(data, PUBLIC_PIXELS)
        finally:
            assert made.n < 5 * hostile.MANY_CALLS, "it was walked over"


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases. Libraries write past Python, to the terminal of the process; not while a server reads a picture."""
    pictures = seeds()
    hush()

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        before = os.fstat(2).st_size
        try:
            one(rng, tries)
        finally:
            assert os.fstat(2).st_size == before, "a library has written to the terminal"

    def one(rng: Random, tries: Callable[[str], None]) -> None:
        if rng.random() < SHAPED:
            shaped(rng, tries)
            return
        data = mutated(rng, rng.choice(pictures))
        if data[:4] == b"\x89PNG" and rng.random() < 0.7:
            data = with_sums(data)
        tries(f"{data[:200].hex()} ({len(data)} bytes)")
        path = folder / rng.choice(("a.png", "a.jpg", "a", "a.gif"))
        path.write_bytes(data)
        rgb = read_picture(data if rng.random() < 0.5 else path)
        assert rgb.dtype == np.uint8
        assert rgb.ndim == 3
        assert rgb.shape[2] == 3
        less, _ = read_or_shrink(path, 500)
        assert less.shape[0] * less.shape[1] <= 500

    return case
