"""Decodes an opened picture to upright RGB. The memory for it is counted before, and some formats become smaller to fit."""

import threading
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from PIL import Image
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.TiffImagePlugin import TiffImageFile

from vizapp.errors import NotEnoughMemory, VizError
from vizapp.picture.chunks import too_much_exif
from vizapp.picture.depth import Deep, is_cut, mend_planes, said_of
from vizapp.picture.libtiff import silenced
from vizapp.picture.pixels import PREPARED, RGB, converter, strips
from vizapp.picture.refusals import (
    SMALL,
    check_shape,
    damaged,
    in_pixels,
    too_little_left,
    too_many_pixels,
    too_much_memory,
)
from vizapp.vocabulary import MOST_SHRUNK
from vizapp.wording import Text, listed

SHRINK = (1, 2, 4, 8)  # how many times shorter the sides may become while decoding
OVERHEAD = 16 * 2**20  # bytes for buffers of piecewise decoding and conversion

# Bytes of a pixel that Pillow stores, by mode; 4 in all others, also where three would do.
STORED = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16L": 2, "I;16B": 2, "I;16N": 2}

# The most bytes per pixel, as measured, that a decoder holds besides the picture, some of them until the picture is released.
# WebP has two canvases and a copy, AVIF its planes and a copy, JPEG 2000 four bytes and more for each channel, TIFF a strip or a
# tile, which may be the whole picture.
DECODER = {"WEBP": 14, "AVIF": 16, "TIFF": 8, "BMP": 4, "GIF": 1}
TURNED = 12  # more bytes per pixel for a later frame of an animation: the one before, and what is put back

ORIENTATION = 0x0112  # the EXIF tag
HEXADECIMAL = "Raw profile type exif"  # a text of PNG, as ImageMagick writes it

UPRIGHT: dict[
    int, Callable[[np.ndarray], np.ndarray]
] = {  # EXIF orientation -> how to turn the stored rows and columns
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.swapaxes(0, 1),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: stored[::-1, ::-1].swapaxes(0, 1),
    8: lambda stored: np.rot90(stored),
}
BACK = {6: 8, 8: 6}  # the orientation that undoes another; all others undo themselves

_large = threading.Lock()  # one large picture at a time, or two would count on the same free memory


def decode(
    image: Image.Image,
    name: str,
    most: int,
    shrinking: bool,
    n_bytes: int = 0,
    turn: Callable[[Image.Image], None] | None = None,
) -> tuple[np.ndarray, Text | None]:
    """The upright picture as (H, W, 3) uint8 RGB, and a note if it is smaller or brighter than the file's.

    most       the most pixels that are read
    shrinking  whether a JPEG or JPEG 2000 of too many pixels, or for too little memory, is decoded at a smaller size
    n_bytes    of the file, which may be in memory, too
    turn       brings an animation to the page that is read, once the memory for it is counted
    """
    size = (image.width, image.height)
    factor = _factor(image, name, most, shrinking and shrinks(image))
    needed = decoding_bytes(image, factor) + n_bytes + (TURNED * size[0] * size[1] if turn else 0)
    with _large if needed > SMALL else nullcontext():
        while (left := too_little_left(needed)) is not None:
            if not (shrinking and shrinks(image)) or factor == SHRINK[-1]:
                raise too_much_memory(name, size, needed, left)
            factor *= 2
            needed = decoding_bytes(image, factor) + n_bytes
        with silenced() if isinstance(image, TiffImageFile) else nullcontext():
            rgb, brighter = _decoded(image, name, factor, turn)
    if factor == 1:
        return rgb, brighter
    smaller = Text(
        "The picture was read at {less_width} x {less_height} of its {width} x {height} pixels: all of them are too many here.",
        less_width=rgb.shape[1],
        less_height=rgb.shape[0],
        width=size[0],
        height=size[1],
    )
    return rgb, listed([smaller, brighter], " ") if brighter else smaller


def _factor(image: Image.Image, name: str, most: int, shrinking: bool) -> int:
    """The factor by which the sides must shrink so that the picture has at most `most` pixels; 1 if it has no more."""
    n_pixels = image.width * image.height
    if n_pixels > most and not (shrinking and n_pixels <= most * MOST_SHRUNK):
        raise too_many_pixels(name, in_pixels(image.height, image.width), most)
    check_shape(image.height, image.width, name)
    return next(factor for factor in SHRINK if n_pixels <= most * factor**2)


def _decoded(
    image: Image.Image, name: str, factor: int, turn: Callable[[Image.Image], None] | None = None
) -> tuple[np.ndarray, Text | None]:
    """Decode to upright RGB, strip by strip into the result, so that memory holds only the picture and its RGB."""
    try:
        if factor > 1:
            shrink(image, factor)
        if turn:
            turn(image)
        mend_planes(image, name)
        said, deep, cuts = said_of(image), Deep.of(image), is_cut(image)
        image.load()
        orientation = _orientation(image)  # after load: PNG may store EXIF last, PIL turns a TIFF itself
        upright = UPRIGHT.get(orientation)
        height, width = image.height, image.width
        rgb = np.empty((*((width, height) if orientation in {5, 6, 7, 8} else (height, width)), RGB), np.uint8)
        stored = UPRIGHT[BACK.get(orientation, orientation)](rgb) if upright else rgb
        convert, note = converter(image, said, deep, cuts)
        for rows in strips(height, width):
            stored[rows] = convert(rows)
    except VizError:
        raise
    except MemoryError as error:
        raise NotEnoughMemory("There is not enough memory to read {name}.", "Shrink it.", name=name) from error
    except Exception as error:  # decoders raise OSError, SyntaxError, ValueError, zlib.error, struct.error ...
        raise damaged(name) from error
    return rgb, note


def _orientation(image: Image.Image) -> int:
    try:
        exif = image.info.get("exif") or bytes.fromhex("".join(image.info.get(HEXADECIMAL, "").split("\n")[3:]))
        return 1 if too_much_exif(exif) else int(image.getexif().get(ORIENTATION, 1))
    except Exception:  # damaged EXIF says nothing about the pixels
        return 1


def decoding_bytes(image: Image.Image, factor: int = 1) -> int:
    """The most bytes that it takes to decode `image`, with sides `factor` times shorter, convert it to RGB and preprocess it.

    For a picture that is decoded already, only the later steps count.
    """
    pixels, whole = (image.width // factor) * (image.height // factor), image.width * image.height
    if is_decoded(image):
        return pixels * PREPARED + OVERHEAD
    stored = STORED.get(image.mode, 4) * (2 if Deep.of(image) else 1)  # colours of 16 bits may be decoded twice
    if isinstance(image, Jpeg2KImageFile):
        decoder = pixels * 6 * max(1, len(image.getbands()))
    elif isinstance(image, JpegImageFile):  # a progressive one keeps all its coefficients in memory, 2 bytes each
        decoder = whole * (2 * len(image.getbands()) + 1 if "progressive" in image.info else 1)
    else:
        decoder = whole * DECODER.get(image.format or "", 1)
    return max(pixels * (stored + RGB) + decoder, pixels * PREPARED) + OVERHEAD


def is_decoded(image: Image.Image) -> bool:
    """Tell whether Pillow has the pixels of the picture, and not only its header."""
    try:
        return image.im is not None
    except (AssertionError, AttributeError, ValueError):  # Pillow's versions differ in how they report the end
        return False


def shrinks(image: Image.Image) -> bool:
    """Tell whether the picture can be decoded at a smaller size, in less memory."""
    return isinstance(image, (JpegImageFile, Jpeg2KImageFile)) and bool(image.tile)


def shrink(image: Image.Image, factor: int) -> None:
    """Let `image` be decoded with sides `factor` times shorter."""
    if isinstance(image, Jpeg2KImageFile):
        image.reduce = factor.bit_length() - 1
    elif isinstance(image, JpegImageFile):
        image.draft(None, (image.width // factor, image.height // factor))
