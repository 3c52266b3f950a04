"""What decoding a picture takes, known before it begins; and which formats can be decoded at a smaller size."""

from __future__ import annotations

import re
from typing import IO

from PIL import Image
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.TiffImagePlugin import TiffImageFile

SHRINK = (1, 2, 4, 8)  # how many times shorter the sides may become while decoding
OVERHEAD = 16 * 2**20  # bytes of what is decoded and converted piece by piece
RGB = 3  # bytes of a pixel as we keep it
PREPARED = RGB + 4 + 1  # the same beside Pillow's copy of it, and one in grey, when it is brought to a network's size

# Bytes of a pixel that Pillow stores, by mode; 4 in all others, also where three would do.
STORED = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16L": 2, "I;16B": 2, "I;16N": 2}

# Bytes of a pixel that a decoder holds beside the picture, some of it until that is let go: at most, as measured. WebP has two
# canvases and a copy, AVIF its planes and a copy, JPEG 2000 four bytes for each channel and more, TIFF a strip or a tile, which
# may be all of the picture.
DECODER = {"WEBP": 14, "AVIF": 16, "TIFF": 8, "BMP": 4, "GIF": 1}
TILE_WIDTH, TILE_LENGTH = 322, 323  # of TIFF

MARK = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # of a segment of JPEG; the bytes left out stand among coded pixels
MOST_MARKS = 2**16
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the segments that tell the size and the channels
PROGRESSIVE = {0xC2, 0xC6, 0xCA, 0xCE}
SCAN, END = 0xDA, 0xD9


def decoding_bytes(image: Image.Image, factor: int = 1) -> int:
    """The most memory that it takes to decode `image`, with sides `factor` times shorter, to make it RGB, and to prepare that.

    Of one that is decoded already only what follows is counted.
    """
    pixels, whole = (image.width // factor) * (image.height // factor), image.width * image.height
    if _is_decoded(image):
        return pixels * PREPARED + OVERHEAD
    stored = STORED.get(image.mode, 4)
    if isinstance(image, Jpeg2KImageFile):
        decoder = pixels * 6 * max(1, len(image.getbands()))
    elif isinstance(image, JpegImageFile):  # a progressive one has all of its coefficients in memory, of 2 bytes
        decoder = whole * (2 * len(image.getbands()) + 1 if "progressive" in image.info else 1)
    else:
        decoder = whole * DECODER.get(image.format or "", 1)
    if isinstance(image, TiffImageFile):  # a tile may be larger than the picture
        sides = image.tag_v2.get(TILE_WIDTH, 1), image.tag_v2.get(TILE_LENGTH, 1)
        decoder = max(decoder, 8 * int(sides[0]) * int(sides[1]))
    return max(pixels * (stored + RGB) + decoder, pixels * PREPARED) + OVERHEAD


def _is_decoded(image: Image.Image) -> bool:
    try:
        return image.im is not None
    except (AssertionError, AttributeError, ValueError):  # as versions of Pillow say that there is nothing, or no more
        return False


def shrinks(image: Image.Image) -> bool:
    """Can it be decoded at a smaller size, in less memory?"""
    return isinstance(image, (JpegImageFile, Jpeg2KImageFile)) and bool(image.tile)


def shrink(image: Image.Image, factor: int) -> None:
    """Have `image` decoded with sides `factor` times shorter."""
    if isinstance(image, Jpeg2KImageFile):
        image.reduce = factor.bit_length() - 1
    elif isinstance(image, JpegImageFile):
        image.draft(None, (image.width // factor, image.height // factor))


def n_scans(stream: IO[bytes], most: int) -> int:
    """How many times the pixels of a JPEG are walked over, counted up to `most` + 1. What follows its end does not count:
    telephones put films there. One of more marks than any picture has is not counted to its end: it has too many of all."""
    data, at, found, n_channels, repeats, n_marks = stream.read(), 2, 0, 0, False, 0
    stream.seek(0)
    while found <= most and (mark := MARK.search(data, at)):
        n_marks += 1
        if n_marks > MOST_MARKS:
            return most + 1
        kind, at = data[mark.start() + 1], mark.end()
        if kind == END:
            break
        segment = data[at : at + 10]
        if kind in FRAMES:
            n_channels, repeats = int.from_bytes(segment[7:8]), kind in PROGRESSIVE
        if kind == SCAN:
            found += 1
            if (
                not repeats and int.from_bytes(segment[2:3]) >= n_channels
            ):  # all channels at once: the decoder stops there
                break
        at += max(2, int.from_bytes(segment[:2]))
    return found
