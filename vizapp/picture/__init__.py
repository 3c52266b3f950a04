"""Reads pictures: a file, an upload, a PIL picture or an array becomes one upright (H, W, 3) uint8 RGB array.

Anything else is refused here with a VizError, and pictures that are too large, or need more memory than is free, before they
are decoded; other rooms trust the result. Thread-safe: no setting of PIL or `warnings` is changed, not even for a moment.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.arrays import from_array
from vizapp.picture.decoding import decode
from vizapp.picture.opening import opened
from vizapp.vocabulary import PUBLIC_PIXELS as PUBLIC_PIXELS
from vizapp.wording import Text

Source: TypeAlias = str | os.PathLike[str] | bytes | Image.Image | np.ndarray

EXAMPLE = "example"  # the picture that comes with vizapp, by its name
HERE = Path(__file__).parents[1]  # `assets` is in it, or beside it where no links can be
SCENE = (HERE if (HERE / "assets").is_dir() else HERE.parent) / "assets" / "examples" / "scene-1.jpg"

MAX_PIXELS = 100_000_000  # about 300 MB as RGB


def read_picture(source: Source, max_pixels: int = MAX_PIXELS) -> np.ndarray:
    """Any picture as (H, W, 3) uint8 RGB, contiguous, upright: what the model sees is what the person sees.

    source  a path ("example" is the picture that comes with vizapp, unless a file here is called so), the bytes of a file,
            a PIL picture, or an array (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) of uint8, uint16, or of floats in [0, 1]

    The EXIF orientation is applied. Transparency is laid over white. Of an animation the first frame is taken. Of 16
    bits 65535 is white, unless the file, or a largest value of 32767 or less, says that fewer bits are used. Colour profiles are
    not applied, as in the training of the models.

    Raises VizError: no picture, damaged, under 8 pixels on a side, over `max_pixels`, longer than 100 : 1, or of more pixels
    than there is memory for.
    """
    return _read(source, max_pixels, shrinking=False)[0]


def read_with_note(source: Source, max_pixels: int = MAX_PIXELS) -> tuple[np.ndarray, Text | None]:
    """Like `read_picture`, with a note if a picture of 16 bits uses fewer, and so is made brighter."""
    return _read(source, max_pixels, shrinking=False)


def read_or_shrink(source: Source, max_pixels: int = MAX_PIXELS) -> tuple[np.ndarray, Text | None]:
    """Like `read_picture`, but a JPEG or JPEG 2000 that is too large is decoded at a half, a quarter or an eighth of its sides.
    A note says so, or that a picture of 16 bits uses fewer."""
    return _read(source, max_pixels, shrinking=True)


def _read(source: Source, most: int, shrinking: bool) -> tuple[np.ndarray, Text | None]:
    if isinstance(source, np.ndarray):
        return from_array(source, most)
    if isinstance(source, Image.Image):
        return decode(source, Text("The picture"), most, shrinking=False)
    if isinstance(source, bytes):
        return _from_stream(io.BytesIO(source), len(source), Text("The upload"), most, shrinking)
    if isinstance(source, str | os.PathLike):
        return _from_file(path_of(source), most, shrinking)
    raise VizError(
        "A picture was expected, but got {kind}.",
        "Give a path, bytes, a PIL picture or an array.",
        kind=type(source).__name__,
    )


def path_of(name: str | os.PathLike[str]) -> str:
    """The given path; for "example", the bundled picture's, unless a file of that name exists here."""
    path = os.fspath(name)
    return str(SCENE) if path == EXAMPLE and not os.path.lexists(path) else path


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
    return decode(opened(stream, n_bytes, name, most), name, most, shrinking, n_bytes)
