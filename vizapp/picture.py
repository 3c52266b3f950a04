"""The door for pictures: a file, an upload, a PIL picture or an array becomes one upright (H, W, 3) uint8 RGB array.

Whatever else comes in is refused here with a VizError, what is too large or needs more memory than is free before it is
decoded; other rooms trust it. Safe with threads: no setting of PIL or of `warnings` is changed, not even for a moment.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import IO, TypeAlias

import numpy as np
from PIL import Image

from vizapp.chunks import too_much, too_slow, without_exif
from vizapp.container import free_memory
from vizapp.decoding import PREPARED, RGB, SHRINK, decoding_bytes, n_scans, shrink, shrinks
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.tags import too_much_exif
from vizapp.wording import Text

Source: TypeAlias = str | os.PathLike[str] | bytes | Image.Image | np.ndarray

MAX_PIXELS = 100_000_000  # about 300 MB as RGB
PUBLIC_PIXELS = 25_000_000  # of a stranger's picture: what many of them at once need must stay small
MOST_SHRUNK = 8  # times as many may be in a file that can be decoded at a smaller size: it takes seconds
MIN_SIDE = 8
MAX_ASPECT = 100  # long side : short side
MAX_SCANS = (
    100  # of a JPEG, which usually has 1 to 14: each is a walk over all of its pixels, and takes a few bytes to ask for
)
DRAWN = (
    15 * MOST_SHRUNK
)  # times the most pixels that are read: all walks over the pixels of a JPEG, whose scans may be empty
SMALL = 32 * 2**20  # bytes that are not asked for
SHARE = 2  # of what is free a picture takes one part in so many: what is computed of it needs the rest
STRIP = 2**19  # pixels that are converted at a time

# Raster formats that Pillow decodes itself. Others are left out on purpose: EPS starts Ghostscript, TGA has no mark.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM")
READABLE = Text("Save it as JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF, JPEG 2000 or PPM.")

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
BACK = {6: 8, 8: 6}  # the orientation that undoes one; all others undo themselves

_large = threading.Lock()  # one large picture at a time: what a second one finds free is what the first one left


def read_picture(source: Source, max_pixels: int = MAX_PIXELS) -> np.ndarray:
    """Any picture as (H, W, 3) uint8 RGB, contiguous, upright: what the model sees is what the person sees.

    source  a path, the bytes of a file, a PIL picture, or an array (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) of
            uint8, or of floats in [0, 1]

    The EXIF orientation is applied. Transparency is laid over white. Of an animation the first frame is taken. 16-bit
    grey becomes 8-bit by its full range. Colour profiles are not applied, as in the training of the models.

    Raises VizError: no picture, damaged, under 8 pixels on a side, over `max_pixels`, longer than 100 : 1, or of more pixels
    than there is memory for.
    """
    return _read(source, max_pixels, shrinking=False)[0]


def read_or_shrink(source: Source, max_pixels: int = MAX_PIXELS) -> tuple[np.ndarray, Text | None]:
    """The same, but a JPEG or JPEG 2000 that would be refused as too large is decoded at a half, a quarter or an eighth of its
    sides, and a note says so."""
    return _read(source, max_pixels, shrinking=True)


def _read(source: Source, most: int, shrinking: bool) -> tuple[np.ndarray, Text | None]:
    if isinstance(source, np.ndarray):
        return _from_array(source, most), None
    if isinstance(source, Image.Image):
        return _decode(source, Text("The picture"), most, shrinking=False)
    if isinstance(source, bytes):
        return _from_stream(io.BytesIO(source), len(source), Text("The upload"), most, shrinking)
    if isinstance(source, str | os.PathLike):
        return _from_file(os.fspath(source), most, shrinking)
    raise VizError(
        "A picture was expected, but got {kind}.",
        "Give a path, bytes, a PIL picture or an array.",
        kind=type(source).__name__,
    )


def _from_file(path: str, most: int, shrinking: bool) -> tuple[np.ndarray, Text | None]:
    if os.path.isdir(path):
        raise VizError("'{path}' is a folder, not a picture.", "Give the path of one picture in it.", path=path)
    if not os.path.isfile(path):
        raise VizError("There is no file '{path}'.", "Check the path.", path=path)
    name = f"'{os.path.basename(path)}'"
    try:
        with open(path, "rb") as stream:
            return _from_stream(stream, os.path.getsize(path), name, most, shrinking)
    except OSError as error:
        raise VizError(
            "{name} cannot be opened: {why}.", "Check that you may read it.", name=name, why=error.strerror or error
        ) from error


def _from_stream(
    stream: IO[bytes], n_bytes: int, name: str, most: int, shrinking: bool
) -> tuple[np.ndarray, Text | None]:
    if n_bytes == 0:
        raise VizError("{name} is empty (0 bytes).", "Upload it again, or save it again.", name=name)
    return _decode(_open(stream, n_bytes, name, most), name, most, shrinking, n_bytes)


def _open(stream: IO[bytes], n_bytes: int, name: str, most: int) -> Image.Image:
    """Only the header is read. `Image.open` would do, were there not its warning above 89 million pixels, a global."""
    prefix = stream.read(16)
    Image.init()
    for known in FORMATS:
        factory, accepts = Image.OPEN.get(known, (None, None))
        if factory is None or accepts is None or accepts(prefix) is not True:  # a str: this build cannot decode it
            continue
        stream.seek(0)
        if found := too_much(known, stream, n_bytes):
            raise _too_costly(name, found)
        scans = n_scans(stream, MAX_SCANS) if known == "JPEG" else 0
        if scans > MAX_SCANS:
            raise _drawn_too_often(name, MAX_SCANS)
        source = without_exif(stream) if known == "AVIF" else stream
        try:
            image = factory(source, "")
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:  # GIF checks in its header
            raise _too_many_pixels(name, Text("far too many"), most) from error
        except Exception as error:
            raise _damaged(name) from error
        if scans * image.width * image.height > most * DRAWN:
            raise _drawn_too_often(name, most * DRAWN // (image.width * image.height))
        if found := too_slow(image, stream, n_bytes, most):
            raise _too_costly(name, found)
        return image
    raise VizError(Text("{name} is not a picture that can be read here.", name=name), _advice(prefix))


def _advice(prefix: bytes) -> Text:
    if prefix[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1"):
        return Text("It is a HEIC photo. Export it as JPEG.")
    if prefix.lstrip().startswith((b"<svg", b"<?xml", b"%PDF")):
        return Text("It is a drawing or a document. Export it as PNG.")
    return READABLE


def _decode(
    image: Image.Image, name: str, most: int, shrinking: bool, n_bytes: int = 0
) -> tuple[np.ndarray, Text | None]:
    size = (image.width, image.height)
    factor = _factor(image, name, most, shrinking and shrinks(image))
    needed = decoding_bytes(image, factor) + n_bytes
    with _large if needed > SMALL else nullcontext():
        while needed > SMALL and (free := free_memory()) is not None and needed > free // SHARE:
            if not (shrinking and shrinks(image)) or factor == SHRINK[-1]:
                raise _too_much_memory(name, size, needed, free // SHARE)
            factor *= 2
            needed = decoding_bytes(image, factor) + n_bytes
        rgb = _decoded(image, name, factor)
    if factor == 1:
        return rgb, None
    return rgb, Text(
        "The picture was read at {less_width} x {less_height} of its {width} x {height} pixels: all of them are too many here.",
        less_width=rgb.shape[1],
        less_height=rgb.shape[0],
        width=size[0],
        height=size[1],
    )


def _factor(image: Image.Image, name: str, most: int, shrinking: bool) -> int:
    """How many times shorter its sides must become so that it has at most that many pixels; 1: it has."""
    n_pixels = image.width * image.height
    if n_pixels > most and not (shrinking and n_pixels <= most * MOST_SHRUNK):
        raise _too_many_pixels(name, _size(image.height, image.width), most)
    _check_shape(image.height, image.width, name)
    return next(factor for factor in SHRINK if n_pixels <= most * factor**2)


def _decoded(image: Image.Image, name: str, factor: int) -> np.ndarray:
    """Upright RGB. Made in strips, right where they belong: the picture and its RGB are all that is in memory at once."""
    try:
        if factor > 1:
            shrink(image, factor)
        image.load()
        orientation = _orientation(image)  # after load: PNG may keep EXIF behind the pixels, TIFF is turned by PIL
        turn = UPRIGHT.get(orientation)
        height, width = image.height, image.width
        rgb = np.empty((*((width, height) if orientation in {5, 6, 7, 8} else (height, width)), RGB), np.uint8)
        stored = UPRIGHT[BACK.get(orientation, orientation)](rgb) if turn else rgb
        to_rgb = _wide_to_rgb(image) if image.mode.startswith(("I", "F")) else _to_rgb
        for rows in _strips(height, width):
            stored[rows] = to_rgb(_cut(image, rows))
    except VizError:
        raise
    except MemoryError as error:
        raise NotEnoughMemory("There is not enough memory to read {name}.", "Shrink it.", name=name) from error
    except Exception as error:  # decoders raise OSError, SyntaxError, ValueError, zlib.error, struct.error ...
        raise _damaged(name) from error
    return rgb


def _strips(height: int, width: int) -> Iterator[slice]:
    rows = max(1, STRIP // max(1, width))
    return (slice(top, min(top + rows, height)) for top in range(0, height, rows))


def _cut(image: Image.Image, rows: slice) -> Image.Image:
    """Those rows. `Image.crop` would ask PIL's limit of pixels, a global."""
    box = (0, rows.start, image.width, rows.stop)
    return image.resize((image.width, rows.stop - rows.start), Image.Resampling.NEAREST, box=box)


def _to_rgb(image: Image.Image) -> np.ndarray:
    """(H, W, 3) uint8 of 8-bit grey, a palette or colours."""
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.new("RGBA", rgba.size, "white")
        image.alpha_composite(rgba)
    return np.asarray(image.convert("RGB"))


def _wide_to_rgb(image: Image.Image) -> Callable[[Image.Image], np.ndarray]:
    """How grey of more than 8 bits becomes RGB. Values that fit no usual range are stretched from lowest to highest."""
    if image.mode.startswith("I;16"):  # whole numbers of two bytes: each of them once
        table = np.round(np.arange(65536, dtype=np.float32) * (255 / 65535)).astype(np.uint8)
        return lambda strip: table[np.asarray(strip)][..., None]
    strips = (_cut(image, rows) for rows in _strips(image.height, image.width))
    ends = np.array([(values.min(), values.max()) for values in map(np.asarray, strips)], np.float64)
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise VizError("The picture holds values that are no numbers (NaN or infinity).", "Replace them first.")
    whole_ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0,)
    bottom, top = next(((0.0, top) for top in whole_ranges if low >= 0 and high <= top), (low, high))

    def to_rgb(strip: Image.Image) -> np.ndarray:
        values = np.asarray(strip).astype(np.float32)
        return np.round((values - bottom) * (255 / (top - bottom or 1))).astype(np.uint8)[..., None]

    return to_rgb


def _orientation(image: Image.Image) -> int:
    try:
        exif = image.info.get("exif") or bytes.fromhex("".join(image.info.get(HEXADECIMAL, "").split("\n")[3:]))
        return 1 if too_much_exif(exif) else int(image.getexif().get(ORIENTATION, 1))
    except Exception:  # garbage in a place that says nothing about the pixels
        return 1


def _from_array(array: np.ndarray, most: int) -> np.ndarray:
    found = Text("got shape {shape}, {dtype}", shape=array.shape, dtype=array.dtype)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise VizError(
            "An array of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) was expected; {found}.", found=found
        )
    height, width, name = array.shape[0], array.shape[1], Text("The array")
    if height * width > most:
        raise _too_many_pixels(name, _size(height, width), most)
    _check_shape(height, width, name)
    needed, free = height * width * PREPARED, None
    if needed > SMALL and (free := free_memory()) is not None and needed > free // SHARE:
        raise _too_much_memory(name, (width, height), needed, free // SHARE)
    if np.issubdtype(array.dtype, np.floating):
        low, high = array.min(), array.max()
        if not (low >= 0 and high <= 1):  # NaN lands here, too
            raise VizError(
                "Floats in [0, 1] were expected; {found}, values from {low} to {high}.",
                "Divide by 255, or give uint8.",
                found=found,
                low=low,
                high=high,
            )
    elif array.dtype != np.uint8:
        raise VizError(
            "An array of uint8, or of floats in [0, 1], was expected; {found}.", "Convert it first.", found=found
        )
    if array.ndim == 2:
        array = array[..., None]
    rgb = np.empty((height, width, RGB), np.uint8)
    for rows in _strips(height, width):
        strip = array[rows]
        if strip.dtype != np.uint8:
            strip = np.round(strip.astype(np.float32) * 255).astype(np.uint8)
        rgb[rows] = _to_rgb(Image.fromarray(np.ascontiguousarray(strip))) if strip.shape[2] == 4 else strip
    return rgb


def _size(height: int, width: int) -> Text:
    return Text("{width} x {height} pixels", width=width, height=height)


def _check_shape(height: int, width: int, name: str) -> None:
    size = _size(height, width)
    if min(height, width) < MIN_SIDE:
        raise VizError(
            "{name} is too small: {size}.",
            "Each side needs at least {min_side} pixels.",
            name=name,
            size=size,
            min_side=MIN_SIDE,
        )
    if max(height, width) > MAX_ASPECT * min(height, width):
        raise VizError(
            "{name} is too long and thin: {size}.",
            "Cut it to at most {max_aspect} : 1.",
            name=name,
            size=size,
            max_aspect=MAX_ASPECT,
        )


def _too_many_pixels(name: str, size: Text, most: int) -> VizError:
    return VizError(
        "{name} is too large: {size}.",
        "At most {millions} million pixels are read; shrink it.",
        name=name,
        size=size,
        millions=most // 1_000_000,
    )


def _too_much_memory(name: str, size: tuple[int, int], needed: int, left: int) -> NotEnoughMemory:
    return NotEnoughMemory(
        "{name} is too large for the memory that is free: {size} need {needed} MB, and a picture may take {left}.",
        "Shrink it.",
        name=name,
        size=_size(size[1], size[0]),
        needed=round(needed / 1e6),
        left=round(left / 1e6),
    )


def _drawn_too_often(name: str, most: int) -> VizError:
    return VizError(
        "{name} is a JPEG that is drawn over more than {most} times.",
        "Save it again, in any program.",
        name=name,
        most=most,
    )


def _too_costly(name: str, found: Text) -> VizError:
    return VizError(
        "{name} is built so that reading it takes too long, or too much memory: it has {found}.",
        "Save it again as PNG or JPEG, in any program.",
        name=name,
        found=found,
    )


def _damaged(name: str) -> VizError:
    return VizError(
        "{name} is damaged or cut off: its pixels cannot be read.", "Upload it again, or save it again.", name=name
    )
