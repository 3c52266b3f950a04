"""The pictures of a page without a server: given files, and drawn scenes with their objects and questions."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vizapp.analysis import Analysis, Truth
from vizapp.browser.cargo import Cargo
from vizapp.errors import VizError
from vizapp.picture import path_of, read, read_picture
from vizapp.picture.chunks import too_much_exif
from vizapp.picture.pages import split
from vizapp.render.small import shrunk, webp
from vizapp.ui.lesson_pictures import Asked, Place, asked_at, truth_of
from vizapp.ui.viewer.payload import about_lesson
from vizapp.ui.words import Words
from vizapp.wording import Text, listed

NUMBERS = {"one": 4, "clutter": 6, "two": 4}  # pictures of lessons for the included networks
WITH_THEIR_OWN = {"relation": 3, "shortcut": 2}  # pictures of lessons that have a network of the same name
FIRST = "clutter/16"  # the first picture, also of the page with a server
COPYRIGHT, LONGEST_CREDIT = 0x8298, 200  # the EXIF tag, and the letters of it that are shown
QUALITY = 87  # of WebP, so that a page with the lessons, the textbook and a photo stays below 8 MB; without loss scenes take 3.7
SHOWN_AS_IT_IS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}  # what every browser reads
LARGEST, LONGEST_SIDE = 1_500_000, 1280  # bytes of a file, and pixels of the side that it gets if it has more


@dataclass(frozen=True)
class Shown:
    """A picture of the page.

    name    as a link says it: "lesson/clutter/16", "photo/cheetah"
    pixels  (H, W, 3) uint8 RGB, upright: the decoded `file`, which networks analyse
    asked   the question of its lesson
    truth   the known objects and their places
    credit  whose photo it is and under which licence, as the file says; "" if it does not
    drawn   whether it is a scene of the toy world, for whose networks the page warns of all other pictures
    note    on how it was read. `is_told`: the page cannot know it from `file`, which was made of the pixels
    """

    name: str
    file: bytes = field(repr=False)
    type: str
    pixels: np.ndarray = field(repr=False)
    asked: Asked | None = None
    truth: tuple[Truth, ...] = ()
    credit: str = ""
    drawn: bool = False
    note: Text | None = None
    is_told: bool = False

    def said(self, cargo: Cargo, languages: Mapping[str, Words]) -> dict[str, Any]:
        """The description for the page. Adds the file and the masks of known objects to the cargo."""
        return {
            "name": self.name,
            "file": cargo.add(self.file),
            "type": self.type,
            "credit": self.credit,
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
            "drawn": self.drawn,
            "notes": {name: [words.translate(self.note)] for name, words in languages.items()}
            if self.note and self.is_told
            else {},
        }


def lessons() -> Iterator[Shown]:
    """The first pictures of each lesson that needs no network of its own, and the page's first picture."""
    yield from (lesson(f"{name}/{number}") for name, count in NUMBERS.items() for number in range(count))
    yield lesson(FIRST)


def lesson(place: str) -> Shown:
    """A drawn scene by its name: "clutter/16", "shortcut/13/bare". The page's first one is encoded without loss, so that both
    pages, with and without a server, show the same numbers for it."""
    found = Place.of(place)
    assert found, place
    made = found.drawn()
    file = webp(made.picture, None if place == FIRST else QUALITY)
    return Shown(
        f"lesson/{found}",
        file,
        "image/webp",
        read_picture(file),
        asked_at(found, made),
        truth_of(made),
        drawn=True,
    )


def photo(path: str | Path) -> Shown:
    """A picture file, unchanged if it is small and every browser reads it, otherwise as WebP of at most LONGEST_SIDE pixels.

    The page names the copyright that its EXIF states: licences such as CC BY ask for that.
    Raises `VizError` for a file that is not a picture.
    """
    found = read(path)
    plain, page = split(os.fspath(path))
    path, pixels = Path(path_of(plain)), found.rgb
    file, is_made = path.read_bytes(), False
    with Image.open(path) as opened:
        kind, credit = opened.format or "", _credit(opened)
    if kind not in SHOWN_AS_IT_IS or len(file) > LARGEST or (page or 1) > 1:
        file, kind = webp(shrunk(pixels, LONGEST_SIDE), QUALITY), "WEBP"
        pixels, is_made = read_picture(file), True
    name = path.stem if page is None else f"{path.stem}-{page}"
    note = listed(found.notes, " ") if found.notes else None
    return Shown(f"photo/{_plain(name)}", file, SHOWN_AS_IT_IS[kind], pixels, credit=credit, note=note, is_told=is_made)


def _credit(image: Image.Image) -> str:
    """The copyright in the EXIF of a file that `read_picture` has accepted, on one line."""
    try:
        said = "" if too_much_exif(image.info.get("exif", b"")) else str(image.getexif().get(COPYRIGHT, ""))
    except Exception:  # damaged EXIF names nobody
        return ""
    printable = "".join(one if one.isprintable() else " " for one in said)
    return " ".join(printable.split())[:LONGEST_CREDIT]


def from_analysis(seen: Analysis, name: str, *, is_exact: bool, drawn: bool) -> Shown:
    """The picture of an analysis. `is_exact`: without loss, because the page's network will analyse it again."""
    file = webp(seen.picture, None if is_exact else QUALITY)
    shown = Shown(f"photo/{_plain(name)}", file, "image/webp", seen.picture, None, seen.truth, drawn=drawn)
    others = (*(seen.context.model.notes if seen.context else ()), *seen.trace.notes)
    if own := [note for note in seen.notes if note not in others]:
        shown = replace(shown, note=listed(own, " "), is_told=True)
    return shown


def _plain(name: str) -> str:
    """`name` reduced to letters and digits, for a link."""
    if not (made := "".join(one if one.isalnum() or one in "-_" else "-" for one in name).strip("-")):
        raise VizError(
            "A link cannot contain the name of the picture '{name}'.", "Give its file another one.", name=name
        )
    return made
