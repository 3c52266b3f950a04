"""Reads pictures: a file, an upload, a PIL picture or an array becomes one upright (H, W, 3) uint8 RGB array.

Anything else is refused here with a VizError, and pictures that are too large, or need more memory than is free, before they
are decoded; other rooms trust the result. Thread-safe: no setting of PIL or `warnings` is changed, not even for a moment.
"""

import io
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.picture import opening, pages
from vizapp.picture.arrays import from_array
from vizapp.picture.decoding import decode, is_decoded
from vizapp.picture.opening import opened
from vizapp.vocabulary import PUBLIC_PIXELS as PUBLIC_PIXELS
from vizapp.wording import Text

Source: TypeAlias = str | os.PathLike[str] | bytes | Image.Image | np.ndarray

EXAMPLE = "example"  # the picture that comes with vizapp, by its name
HERE = Path(__file__).parents[1]  # `assets` is in it, or beside it where no links can be
SCENE = (HERE if (HERE / "assets").is_dir() else HERE.parent) / "assets" / "examples" / "scene-1.jpg"

MAX_PIXELS = 100_000_000  # about 300 MB as RGB


@dataclass(frozen=True)
class Read:
    """A picture that was read: (H, W, 3) uint8 RGB, and notes on how: a sentence or None.

    page  which page of its file it is, if that has several
    note  whether it was made smaller or brighter
    """

    rgb: np.ndarray
    page: Text | None = None
    note: Text | None = None

    @property
    def notes(self) -> tuple[Text, ...]:
        """The notes of which there is something to say."""
        return tuple(one for one in (self.page, self.note) if one)


def read_picture(source: Source, max_pixels: int = MAX_PIXELS, *, page: int | None = None) -> np.ndarray:
    """Any picture as (H, W, 3) uint8 RGB, contiguous, upright: what the model sees is what the person sees.

    source  a path ("example" is the picture that comes with vizapp, unless a file here is called so), the bytes of a file,
            a PIL picture, or an array (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) of uint8, uint16, or of floats in [0, 1]
    page    of a TIFF, or of an animation, from 1; None: the first, or the one that a path names, `pages.tif#3`

    The EXIF orientation is applied. Transparency is laid over white. Of 16 bits 65535 is white, unless the file, or a largest
    value of 32767 or less, says that fewer bits are used. Colour profiles are not applied, as in the training of the models.

    Raises VizError: no picture, damaged, under 8 pixels on a side, over `max_pixels`, longer than 100 : 1, of more pixels
    than there is memory for, or without that page.
    """
    return read(source, max_pixels, page=page).rgb


def read_or_shrink(
    source: Source, max_pixels: int = MAX_PIXELS, *, page: int | None = None
) -> tuple[np.ndarray, Text | None]:
    """Like `read_picture`, but a JPEG or JPEG 2000 that is too large is decoded at a half, a quarter or an eighth of its sides.
    A note says so, or that a picture of 16 bits uses fewer."""
    found = read(source, max_pixels, page=page, shrinking=True)
    return found.rgb, found.note


def read(source: Source, max_pixels: int = MAX_PIXELS, *, page: int | None = None, shrinking: bool = False) -> Read:
    """Like `read_picture`, with notes on how; `shrinking`: as `read_or_shrink` does."""
    if isinstance(source, np.ndarray):
        rgb, note = from_array(_without_pages(source, page), max_pixels)
        return Read(rgb, note=note)
    if isinstance(source, Image.Image):
        return _from_image(_without_pages(source, page), max_pixels)
    if isinstance(source, bytes):
        return _from_stream(io.BytesIO(source), len(source), Text("The upload"), max_pixels, shrinking, page)
    if isinstance(source, str | os.PathLike):
        path, of_tail = pages.split(os.fspath(source))
        return _from_file(path_of(path), max_pixels, shrinking, pages.said_once(of_tail, page))
    raise VizError(
        "A picture was expected, but got {kind}.",
        "Give a path, bytes, a PIL picture or an array.",
        kind=type(source).__name__,
    )


def _without_pages(source: Any, page: int | None) -> Any:
    if page is not None:
        raise VizError(
            "A page is chosen in a file, and this is {kind}.",
            "Give the path, or bring a PIL picture to its page: picture.seek(2) is the third.",
            kind=type(source).__name__,
        )
    return source


def _from_image(image: Image.Image, most: int) -> Read:
    # Counting moves within the file, after which Pillow would decode once more what its owner may have changed.
    found = pages.Pages(1) if is_decoded(image) else pages.of_image(image)
    number = image.tell() + 1 if found.of > 1 else 1
    rgb, note = decode(image, Text("The picture"), most, shrinking=False)
    return Read(rgb, pages.note(number, found), note)


def path_of(name: str | os.PathLike[str]) -> str:
    """The given path; for "example", the bundled picture's, unless a file of that name exists here."""
    path = os.fspath(name)
    return str(SCENE) if path == EXAMPLE and not os.path.lexists(path) else path


def check_public(name: str | os.PathLike[str]) -> None:
    """Raise a VizError if the file of a stranger is of none of the five formats that a public server reads: JPEG, PNG, WebP, GIF,
    AVIF. Call it before `read`, which says whatever else is wrong."""
    path = path_of(pages.split(os.fspath(name))[0])
    if os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as stream:
            opening.check_public(stream, f"'{os.path.basename(path)}'")


def _from_file(path: str, most: int, shrinking: bool, page: int | None) -> Read:
    if os.path.isdir(path):
        raise VizError("'{path}' is a folder, not a picture.", "Give the path of one picture in it.", path=path)
    if not os.path.isfile(path):
        raise VizError("There is no file '{path}'.", "Check the path.", path=path)
    name = f"'{os.path.basename(path)}'"
    try:
        with open(path, "rb") as stream:
            return _from_stream(stream, os.path.getsize(path), name, most, shrinking, page)
    except OSError as error:
        raise VizError(
            "{name} cannot be opened: {why}.", "Check that you may read it.", name=name, why=error.strerror or error
        ) from error


def _from_stream(stream: IO[bytes], n_bytes: int, name: str, most: int, shrinking: bool, page: int | None) -> Read:
    if n_bytes == 0:
        raise VizError("{name} is empty (0 bytes).", "Upload it again, or save it again.", name=name)
    image = opened(stream, n_bytes, name, most)
    found = pages.count(image, stream)
    number, turned = pages.checked(page, found, name), None
    if number > 1 and image.format == "TIFF":
        pages.to_page(image, number, name)
    elif number > 1:
        turned = partial(pages.turn, page=number, pages=found, name=name, most=most)
    rgb, note = decode(image, name, most, shrinking, n_bytes, turned)
    return Read(rgb, pages.note(number, found), note)
