"""The pictures of a page without a server: those that were given, and drawn scenes with all that is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vizapp.analysis import Analysis, Truth
from vizapp.browser.cargo import Cargo
from vizapp.errors import VizError
from vizapp.picture import read_picture
from vizapp.render.small import shrunk, webp
from vizapp.ui.places import Asked, Place, asked_at, truth_of
from vizapp.ui.viewer.payload import about_lesson
from vizapp.ui.words import Words

NUMBERS = {"one": 4, "clutter": 6, "two": 4}  # pictures of the lessons that the bundled networks look at themselves
WITH_THEIR_OWN = {"relation": 3, "shortcut": 2}  # of those that a network of the same name looks at
FIRST = "clutter/16"  # what the page begins with, as the one with a server
QUALITY = 88  # of WebP: a scene without loss would take ten times as much
SHOWN_AS_IT_IS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}  # what every browser reads
LARGEST, LONGEST_SIDE = 1_500_000, 1280  # bytes of a file, and pixels of the side that it gets if it has more


@dataclass(frozen=True)
class Shown:
    """A picture on board.

    name    as a link says it: "lesson/clutter/16", "photo/cheetah"
    pixels  (H, W, 3) uint8 RGB, upright: what `file` shows, and what networks look at
    asked   what a lesson asks of it
    truth   what is known to be where
    """

    name: str
    file: bytes = field(repr=False)
    type: str
    pixels: np.ndarray = field(repr=False)
    asked: Asked | None = None
    truth: tuple[Truth, ...] = ()

    def said(self, cargo: Cargo, languages: Mapping[str, Words]) -> dict[str, Any]:
        """As the page gets it; its file, and the masks of what is known, go on board."""
        return {
            "name": self.name,
            "file": cargo.add(self.file),
            "type": self.type,
            "asked": self.asked
            and {name: about_lesson(self.asked, words.translate) for name, words in languages.items()},
            "truth": [
                {
                    "names": {name: words.translate(one.name) for name, words in languages.items()},
                    "object": one.is_object,
                    "mask": cargo.add(np.packbits(one.mask).tobytes()),
                }
                for one in self.truth
            ],
        }


def lessons() -> Iterator[Shown]:
    """The first pictures of each lesson that needs no network of its own, and the one that the page begins with."""
    yield from (lesson(f"{name}/{number}") for name, count in NUMBERS.items() for number in range(count))
    yield lesson(FIRST)


def lesson(place: str) -> Shown:
    """A drawn scene by its place: "clutter/16", "shortcut/13/bare"."""
    found = Place.of(place)
    assert found, place
    made = found.drawn()
    file = webp(made.picture, QUALITY)
    return Shown(
        f"lesson/{found}",
        file,
        "image/webp",
        read_picture(file),
        asked_at(found, made),
        truth_of(made),
    )


def photo(path: str | Path) -> Shown:
    """A picture file: as it is where every browser reads it and it is not large, else as WebP of at most LONGEST_SIDE pixels.

    Raises `VizError` for what is no picture.
    """
    path = Path(path)
    pixels = read_picture(path)
    file = path.read_bytes()
    with Image.open(path) as opened:
        kind = opened.format or ""
    if kind not in SHOWN_AS_IT_IS or len(file) > LARGEST:
        file, kind = webp(shrunk(pixels, LONGEST_SIDE), QUALITY), "WEBP"
        pixels = read_picture(file)
    return Shown(f"photo/{_plain(path.stem)}", file, SHOWN_AS_IT_IS[kind], pixels)


def from_analysis(seen: Analysis, name: str, *, is_exact: bool) -> Shown:
    """The picture of an analysis; `is_exact`: to the last bit, for a network that is to look at it again."""
    file = webp(seen.picture, None if is_exact else QUALITY)
    return Shown(f"photo/{_plain(name)}", file, "image/webp", seen.picture, None, seen.truth)


def _plain(name: str) -> str:
    """Letters and figures, for a link."""
    if not (made := "".join(one if one.isalnum() or one in "-_" else "-" for one in name).strip("-")):
        raise VizError(
            "A picture called '{name}' has no name that a link could say.", "Give its file another one.", name=name
        )
    return made
