"""The door for pictures: a file, an upload, a PIL picture or an array becomes one upright (H, W, 3) uint8 RGB array.

Whatever else comes in is refused here with a VizError, what is too large before it is decoded; other rooms trust it.
Safe with threads: no setting of PIL or of `warnings` is changed, not even for a moment.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import IO, TypeAlias

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.wording import Text

Source: TypeAlias = str | os.PathLike[str] | bytes | Image.Image | np.ndarray

MAX_PIXELS = 100_000_000  # about 300 MB as RGB
MIN_SIDE = 8
MAX_ASPECT = 100  # long side : short side

# Raster formats that Pillow decodes itself. Others are left out on purpose: EPS starts Ghostscript, TGA has no mark.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM")
READABLE = Text("Save it as JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF, JPEG 2000 or PPM.")

ORIENTATION = 0x0112  # the EXIF tag

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


def read_picture(source: Source) -> np.ndarray:
    """Any picture as (H, W, 3) uint8 RGB, contiguous, upright: what the model sees is what the person sees.

    source  a path, the bytes of a file, a PIL picture, or an array (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) of
            uint8, or of floats in [0, 1]

    The EXIF orientation is applied. Transparency is laid over white. Of an animation the first frame is taken. 16-bit
    grey becomes 8-bit by its full range. Colour profiles are not applied, as in the training of the models.

    Raises VizError: no picture, damaged, under 8 pixels on a side, over MAX_PIXELS, or longer than 100 : 1.
    """
    if isinstance(source, np.ndarray):
        return _from_array(source)
    if isinstance(source, Image.Image):
        return _decode(source, Text("The picture"))
    if isinstance(source, bytes):
        return _from_stream(io.BytesIO(source), len(source), Text("The upload"))
    if isinstance(source, str | os.PathLike):
        return _from_file(os.fspath(source))
    raise VizError(
        "A picture was expected, but got {kind}.",
        "Give a path, bytes, a PIL picture or an array.",
        kind=type(source).__name__,
    )


def _from_file(path: str) -> np.ndarray:
    if os.path.isdir(path):
        raise VizError("'{path}' is a folder, not a picture.", "Give the path of one picture in it.", path=path)
    if not os.path.isfile(path):
        raise VizError("There is no file '{path}'.", "Check the path.", path=path)
    name = f"'{os.path.basename(path)}'"
    try:
        with open(path, "rb") as stream:
            return _from_stream(stream, os.path.getsize(path), name)
    except OSError as error:
        raise VizError(
            "{name} cannot be opened: {why}.", "Check that you may read it.", name=name, why=error.strerror or error
        ) from error


def _from_stream(stream: IO[bytes], n_bytes: int, name: str) -> np.ndarray:
    if n_bytes == 0:
        raise VizError("{name} is empty (0 bytes).", "Upload it again, or save it again.", name=name)
    return _decode(_open(stream, name), name)


def _open(stream: IO[bytes], name: str) -> Image.Image:
    """Only the header is read. `Image.open` would do, were there not its warning above 89 million pixels, a global."""
    prefix = stream.read(16)
    Image.init()
    for known in FORMATS:
        factory, accepts = Image.OPEN.get(known, (None, None))
        if factory is None or accepts is None or accepts(prefix) is not True:  # a str: this build cannot decode it
            continue
        stream.seek(0)
        try:
            return factory(stream, "")
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:  # GIF checks in its header
            raise _too_many_pixels(name, Text("far too many")) from error
        except Exception as error:
            raise _damaged(name) from error
    raise VizError(Text("{name} is not a picture that can be read here.", name=name), _advice(prefix))


def _advice(prefix: bytes) -> Text:
    if prefix[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1"):
        return Text("It is a HEIC photo. Export it as JPEG.")
    if prefix.lstrip().startswith((b"<svg", b"<?xml", b"%PDF")):
        return Text("It is a drawing or a document. Export it as PNG.")
    return READABLE


def _decode(image: Image.Image, name: str) -> np.ndarray:
    _check_size(image.height, image.width, name)
    try:
        image.load()
        rgb = _to_rgb(image)
    except VizError:
        raise
    except (
        Exception
    ) as error:  # decoders raise OSError, SyntaxError, ValueError, zlib.error, struct.error, MemoryError ...
        raise _damaged(name) from error
    turn = UPRIGHT.get(_orientation(image))  # after load: PNG may keep EXIF behind the pixels, TIFF is turned by PIL
    return np.ascontiguousarray(turn(rgb) if turn else rgb)


def _to_rgb(image: Image.Image) -> np.ndarray:
    if image.mode.startswith(("I", "F")):
        return np.repeat(_to_8_bit(image)[..., None], 3, axis=2)
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.new("RGBA", rgba.size, "white")
        image.alpha_composite(rgba)
    return np.array(image.convert("RGB"))


def _to_8_bit(image: Image.Image) -> np.ndarray:
    """Grey of more than 8 bits, (H, W) uint8. Values that fit no usual range are stretched from lowest to highest."""
    values = np.asarray(image)
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise VizError("The picture holds values that are no numbers (NaN or infinity).", "Replace them first.")
    whole_ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0,)
    bottom, top = next(((0.0, top) for top in whole_ranges if low >= 0 and high <= top), (low, high))
    return np.round((values.astype(np.float32) - bottom) * (255 / (top - bottom or 1))).astype(np.uint8)


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(ORIENTATION, 1))
    except Exception:  # garbage in a place that says nothing about the pixels
        return 1


def _from_array(array: np.ndarray) -> np.ndarray:
    found = Text("got shape {shape}, {dtype}", shape=array.shape, dtype=array.dtype)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise VizError(
            "An array of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) was expected; {found}.", found=found
        )
    _check_size(array.shape[0], array.shape[1], Text("The array"))
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
        array = np.round(array.astype(np.float32) * 255).astype(np.uint8)
    elif array.dtype != np.uint8:
        raise VizError(
            "An array of uint8, or of floats in [0, 1], was expected; {found}.", "Convert it first.", found=found
        )
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    return _to_rgb(Image.fromarray(array))


def _check_size(height: int, width: int, name: str) -> None:
    size = Text("{width} x {height} pixels", width=width, height=height)
    if height * width > MAX_PIXELS:
        raise _too_many_pixels(name, size)
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


def _too_many_pixels(name: str, size: Text) -> VizError:
    return VizError(
        "{name} is too large: {size}.",
        "At most {millions} million pixels are read; shrink it.",
        name=name,
        size=size,
        millions=MAX_PIXELS // 1_000_000,
    )


def _damaged(name: str) -> VizError:
    return VizError(
        "{name} is damaged or cut off: its pixels cannot be read.", "Upload it again, or save it again.", name=name
    )
