"""Finds what is white in a picture of 16 bits: scanners and microscopes often use 12 of them, and 4095 is white, not 65535.

What the file says counts: TIFF's BitsPerSample and MaxSampleValue, and PNG's sBIT. If it says nothing, the least power of two
above the largest value counts, where that is a half of the range or less. browser/engine/depth.js is its twin.
"""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile

from vizapp.errors import VizError
from vizapp.wording import Text

WHOLE = 65535
BITS_PER_SAMPLE, PHOTOMETRIC, MAX_SAMPLE, PLANAR = 258, 262, 281, 284  # tags of TIFF
SIGNIFICANT = {1: 1, 2: 1, 3: 3, 4: 3}  # bytes of sBIT -> how many of them are about colours; the rest is about alpha
LOOKED_AT = 100  # chunks of a PNG in which sBIT is looked for; it stands in front of the pixels
# Of JPEG 2000: how its pixels begin (SOC, SIZ), how far on the bits of a value stand, and the bytes in which it is looked for.
START, AFTER_START, HEAD = b"\xff\x4f\xff\x51", 42, 2**16

# Unpackers of Pillow that keep the upper byte of each number, and those that keep the lower one of the same bytes.
OTHER = {"B": "L", "L": "B", "N": "B" if sys.byteorder == "little" else "L"}
COLOURS = ("RGB;16", "RGBA;16", "RGBX;16")
GREY_ALPHA = "LA;16B"


@dataclass(frozen=True)
class Said:
    """The white that a file names: `top`; None: it names none. `beyond` is white if a value lies above `top`.

    is_negative  zero is white (TIFF's WhiteIsZero), and what is called white here is black
    """

    top: int | None = None
    beyond: int | None = None
    is_negative: bool = False


SILENT = Said()


def white(largest: int, said: Said = SILENT) -> tuple[int, Text | None]:
    """The value that is white in a picture of 16 bits, and a note if it is not 65535.

    largest  of the values of its colours
    """
    if said.top is not None and 0 < largest <= said.top:
        if said.top >= WHOLE:
            return WHOLE, None
        return said.top, Text(
            "The file of the picture says that {top} is white, not {whole}.", top=said.top, whole=WHOLE
        )
    if said.top is not None and said.beyond is not None and largest > said.top:
        return said.beyond, None
    if largest == 0 or largest > WHOLE // 2:
        return WHOLE, None
    top = (1 << largest.bit_length()) - 1
    return top, Text(
        "No value of the picture is above {largest}, so {top} is white, not {whole}.",
        largest=largest,
        top=top,
        whole=WHOLE,
    )


def bytes_of(values: np.ndarray, top: int) -> np.ndarray:
    """Values from 0 to `top` as bytes, rounded. In whole numbers, so that the page without a server gets the same."""
    scaled = (values.astype(np.uint32) * 510 + top) // (2 * top)
    return np.minimum(scaled, 255).astype(np.uint8)


def said_of(image: Image.Image) -> Said:
    """Read which white the file of a picture names. Call it before the picture is decoded; the place in its stream stays."""
    if isinstance(image, TiffImageFile):
        bits = max(_numbers(image, BITS_PER_SAMPLE), default=16)
        top = 2**bits - 1 if 8 < bits < 16 else max(_numbers(image, MAX_SAMPLE), default=WHOLE)
        # 65535 is what it means where nothing is said.
        return Said(top if 0 < top < WHOLE else None, is_negative=_numbers(image, PHOTOMETRIC) == (0,))
    stream = getattr(image, "fp", None)
    if not isinstance(image, PngImageFile) or stream is None:
        return SILENT
    place = stream.tell()
    try:
        bits = _significant(stream)
    finally:
        stream.seek(place)
    # Such values should be scaled to 16 bits. Many programs forget it; if a value lies above, this one has not.
    return Said(2**bits - 1, beyond=WHOLE) if 0 < bits < 16 else SILENT


def _numbers(image: TiffImageFile, tag: int) -> tuple[int, ...]:
    found = image.tag_v2.get(tag, ())
    return tuple(int(one) for one in (found if isinstance(found, tuple) else (found,)) if isinstance(one, int))


def _significant(stream: IO[bytes]) -> int:
    """The bits of a PNG's colours that mean something, by its sBIT; 0 if it has none."""
    stream.seek(8)
    for _ in range(LOOKED_AT):
        head = stream.read(8)
        if len(head) < 8 or head[4:] in (b"IDAT", b"IEND"):
            break
        length = int.from_bytes(head[:4])
        if head[4:] == b"sBIT":
            return max(stream.read(SIGNIFICANT.get(length, 0)), default=0)
        stream.seek(length + 4, 1)
    return 0


# ---- colours, of which Pillow keeps the upper byte only


@dataclass(frozen=True)
class Deep:
    """Colours of 16 bits in a file that is not decoded yet, and the way to the lower bytes of their numbers.

    Pillow decodes colours to 8 bits by keeping the upper byte. The file is opened a second time to keep the lower one.
    """

    open: Callable[[], Image.Image]
    frame: int
    unpacker: str

    @classmethod
    def of(cls, image: Image.Image) -> "Deep | None":
        """Find how to read the colours; None for a picture that has no such colours, or none that can be had exactly."""
        if not isinstance(image, PngImageFile | TiffImageFile) or not image.tile or image.mode not in ("RGB", "RGBA"):
            return None
        name = _unpacker(image.tile[0])
        frame = image.tell()
        if isinstance(image, TiffImageFile):
            is_exact = name[:-1] in ("R;16",) if _has_planes(image) else name[:-1] in COLOURS
        else:
            is_exact = (name[:-1] in COLOURS or name == GREY_ALPHA) and frame == 0
        if not is_exact or image.fp is None:
            return None
        own = getattr(image, "_exclusive_fp", False)  # Pillow opened it by its name, and will close it
        source: Any = image.filename if own else image.fp
        return cls(lambda: _again(type(image), source), frame, name)

    @property
    def is_grey(self) -> bool:
        return self.unpacker == GREY_ALPHA

    def lower(self) -> Image.Image:
        """The same picture with the lower bytes; of grey with alpha, all four bytes of each pixel."""
        twin = self.open()
        twin.seek(self.frame)
        mend_planes(twin, "")
        twin.tile = [_with(tile, self._other(_unpacker(tile))) for tile in twin.tile]  # type: ignore[attr-defined]
        twin.load()
        return twin

    def _other(self, unpacker: str) -> str:
        return "RGBA" if self.is_grey else unpacker[:-1] + OTHER[unpacker[-1]]

    def values(self, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
        """(H, W, 3 or 4) uint16 of rows of both."""
        if self.is_grey:
            grey, alpha = (lower[..., at].astype(np.uint16) * 256 + lower[..., at + 1] for at in (0, 2))
            return np.stack([grey, grey, grey, alpha], -1)
        return upper.astype(np.uint16) * 256 + lower


def mend_planes(image: Image.Image, name: str) -> None:
    """Let a TIFF of 16 bits be read right whose colours lie in planes, uncompressed: Pillow would take each byte for a number."""
    if not isinstance(image, TiffImageFile) or not _has_planes(image) or not image.tile or image.tile[0][0] != "raw":
        return
    if image.mode not in ("RGB", "RGBA"):
        raise VizError(
            "{name} has its colours in planes of 16 bits, which are not read here.",
            "Save it again as PNG or JPEG, in any program.",
            name=name,
        )
    order = "B" if image.tag_v2.prefix == b"MM" else "L"
    image.tile = [_with(tile, f"{_unpacker(tile)[:1]};16{order}") for tile in image.tile]


def _has_planes(image: TiffImageFile) -> bool:
    return 2 in _numbers(image, PLANAR) and 16 in _numbers(image, BITS_PER_SAMPLE)


def is_cut(image: Image.Image) -> bool:
    """Tell whether colours of 16 bits will lose their lower bytes, as they cannot be had exactly. Call it before decoding."""
    if image.mode not in ("RGB", "RGBA") or Deep.of(image) is not None:
        return False
    if isinstance(image, TiffImageFile):
        return 16 in _numbers(image, BITS_PER_SAMPLE)
    if image.format == "JPEG2000" and image.fp is not None:  # type: ignore[attr-defined]
        return _bits_of_jpeg2000(image.fp) == 16  # type: ignore[attr-defined]
    if image.format == "PPM" and getattr(image, "tile", None):
        return image.tile[0][3][-1:] == (WHOLE,)  # type: ignore[attr-defined]
    return isinstance(image, PngImageFile) and bool(image.tile) and ";16" in _unpacker(image.tile[0])


def _bits_of_jpeg2000(stream: IO[bytes]) -> int:
    """The bits of a value, by the head of its pixels; 8 if that is not found. The place in the stream stays."""
    place = stream.tell()
    try:
        stream.seek(0)
        head = stream.read(HEAD)
    finally:
        stream.seek(place)
    at = head.find(START) + AFTER_START
    return (head[at] & 127) + 1 if AFTER_START <= at < len(head) else 8


def _again(kind: Any, source: str | os.PathLike[str] | IO[bytes]) -> Image.Image:
    if hasattr(source, "seek"):
        source.seek(0)
        made: Image.Image = kind(source, "")
    else:
        made = kind(source)
    return made


def _unpacker(tile: Any) -> str:
    args = tile[3]
    return str(args if isinstance(args, str) else args[0] if args else "")


def _with(tile: Any, unpacker: str) -> Any:
    codec, box, offset, args = tile
    made = (codec, box, offset, unpacker if isinstance(args, str) else (unpacker, *args[1:]))
    return type(tile)(*made) if hasattr(tile, "_fields") else made


def largest_of(parts: Iterable[np.ndarray]) -> int:
    """The largest value of the colours in parts (H, W, channel) of a picture; a second or fourth channel is alpha."""
    return max(int(part[..., : part.shape[-1] - (part.shape[-1] in (2, 4))].max()) for part in parts)


def eight_bits(values: np.ndarray, top: int, top_of_alpha: int) -> np.ndarray:
    """(H, W, channel) uint16 as uint8."""
    if top == WHOLE and values.shape[-1] > 1:
        return (values >> 8).astype(np.uint8)  # as Pillow decodes such a file, and the page without a server
    if values.shape[-1] != 4:
        return bytes_of(values, top)
    return np.concatenate([bytes_of(values[..., :3], top), bytes_of(values[..., 3:], top_of_alpha)], -1)
