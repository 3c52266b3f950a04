"""A folder of pictures as a set to evaluate on; a mask beside a picture, if there is one, says where the object is.

photos/cat.jpg
photos/cat.mask.png    white where the object is (over half of its brightest value), as large as the picture
"""

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from vizapp.errors import VizError
from vizapp.model.toy.lessons import Example
from vizapp.model.toy.scenes import found
from vizapp.picture import read_picture

ENDINGS = {".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".jp2", ".ppm"}
MASK = ".mask.png"


class Unreadable(VizError):
    """A picture or its mask cannot be read. An evaluation skips it and goes on with the folder."""


@dataclass(frozen=True)
class Folder:
    """The pictures of a folder, ordered by name. Has the interface of `vizapp.model.toy.lessons.Lesson`."""

    path: Path
    classes: tuple[str, ...] = ()  # unknown, so no answer is right or wrong
    masks: Path | None = None  # another folder, for masks that do not lie beside the pictures

    @property
    def name(self) -> str:
        """The path of the folder."""
        return str(self.path)

    @cached_property
    def files(self) -> list[Path]:
        """The picture files. Raises `VizError` if there are none."""
        files = sorted(file for file in self.path.iterdir() if is_picture(file))
        if not files:
            raise VizError(
                "There is no picture in '{folder}'.",
                "Pictures end in {endings}.",
                folder=self.path,
                endings=", ".join(sorted(ENDINGS)),
            )
        return files

    @cached_property
    def has_masks(self) -> bool:
        """Tell whether any picture has a mask."""
        return any(os.path.exists(self.mask_of(file)) for file in self.files)

    @property
    def key(self) -> str:
        """A key that changes when a picture or mask is added, removed or changed."""
        files = [*self.files, *(mask for mask in map(self.mask_of, self.files) if os.path.exists(mask))]
        facts = [(file.name, *_stamp(file)) for file in files]
        return f"{self.path.resolve()} {hashlib.sha1(repr(sorted(facts)).encode(), usedforsecurity=False).hexdigest()}"

    def mask_of(self, file: Path) -> Path:
        """The path where a picture's mask would lie: beside it, or in the folder of masks as cat.mask.png or cat.png."""
        if self.masks is None:
            return mask_beside(file)
        long, short = (self.masks / f"{file.stem}{ending}" for ending in (MASK, ".png"))
        return long if os.path.exists(long) or not os.path.exists(short) else short

    def example(self, number: int, size: int) -> Example:
        """Picture `number`, from 0, at its own size. Without a mask, or with an empty one, it has no object.

        Raises `Unreadable` if the picture or its mask cannot be read, `VizError` if their sizes differ.
        """
        file = self.files[number]
        picture = _read(file)
        if not os.path.exists(self.mask_of(file)):
            return Example(picture, (), ())
        red, green, blue = np.moveaxis(_read(self.mask_of(file)), -1, 0)
        grey = red.astype(np.uint16) + green + blue  # `mean` over the last axis would take longer than reading the file
        mask = grey > grey.max() / 2
        if mask.shape != picture.shape[:2]:
            raise VizError(
                "The mask of '{file}' is {mask}, the picture {picture}.",
                "Make it as large as the picture is when it is seen upright.",
                file=file.name,
                mask=_sides(mask),
                picture=_sides(picture),
            )
        return Example(picture, (), (found(-1, mask),) if mask.any() else ())


def is_picture(file: Path) -> bool:
    """Tell whether a file is a picture, judging by its name. Masks are not."""
    return file.suffix.lower() in ENDINGS and not file.name.endswith(MASK) and not file.name.startswith(".")


def mask_beside(file: Path) -> Path:
    """The path where a picture's mask would lie, beside it."""
    return file.with_name(file.stem + MASK)


def _stamp(file: Path) -> tuple[int, int]:
    """Size and modification time of a file; zeros for a broken or circular link."""
    try:
        facts = file.stat()
    except OSError:
        return 0, 0
    return facts.st_size, facts.st_mtime_ns


def _read(file: Path) -> np.ndarray:
    try:
        return read_picture(file)
    except VizError as error:
        raise Unreadable(error.message, error.hint) from error


def _sides(array: np.ndarray) -> str:
    return f"{array.shape[1]} x {array.shape[0]}"
