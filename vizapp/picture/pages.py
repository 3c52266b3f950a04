"""Counts the pages of a picture's file without decoding them, and finds the one that is asked for.

A TIFF has pages; an animated GIF, PNG, WebP or AVIF that is read as one picture has frames, which are counted the same way.
Counting ends at `MOST_PAGES`. Pillow counts, except in a GIF, where it copies comments again and again, and in a PNG, where it
believes what the header claims.
"""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO, NamedTuple

from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.chunks import COMMENTS
from vizapp.picture.refusals import damaged, too_costly
from vizapp.vocabulary import MOST_PAGES
from vizapp.wording import Text

STEPS = 2**20  # parts of a GIF's frames that are looked at; one of 20 MB has about 80,000
CHUNKS = 2**16  # of a PNG in front of its pixels
LOOKED_AT = 2**28  # bytes of a GIF
DRAWN = (
    4  # times the most pixels that are read: the frames of an animation build on each other, so all before are decoded
)
TAIL = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)
SAID = ("Page {page} of {pages}.", "Page {page} of at least {pages}.")  # as `note` says it


class Pages(NamedTuple):
    """The number of pages, `of`.

    is_all  False where counting ended before the file did
    fit     each lies within the first, and no long comments, which Pillow would copy for each of their parts, lie between them
    """

    of: int
    is_all: bool = True
    fit: bool = True


def split(path: str) -> tuple[str, int | None]:
    """`pages.tif#3` as the file's path and the page; None if none is named. A file of that whole name goes first."""
    tail = TAIL.fullmatch(path)
    if tail is None or os.path.lexists(path):
        return path, None
    return tail[1], int(tail[2])


def said_once(of_tail: int | None, page: int | None) -> int | None:
    """The page that a path's tail, or an argument, names. Raises `VizError` if they differ."""
    if of_tail is not None and page is not None and of_tail != page:
        raise VizError(
            "Two pages are named, {one} behind the path and {other} beside it.",
            "Leave one of them out.",
            one=of_tail,
            other=page,
        )
    return page if of_tail is None else of_tail


def count(image: Image.Image, stream: IO[bytes]) -> Pages:
    """The pages of a file whose first one is opened as `image`; the place in the stream stays."""
    place = stream.tell()
    try:
        if image.format in COUNTED:
            stream.seek(0)
            return COUNTED[image.format](stream)
    finally:
        stream.seek(place)
    return _tiff(image) if image.format == "TIFF" else of_image(image)


def of_image(image: Image.Image) -> Pages:
    """The pages of a picture as Pillow counts them."""
    try:
        return _up_to(int(getattr(image, "n_frames", 1)))
    except Exception:  # a damaged or closed file says so where its pixels are read
        return Pages(1)


def checked(page: int | None, pages: Pages, name: str) -> int:
    """The number of the page to read, from 1. Raises `VizError` with what there is."""
    if page is None:
        return 1
    if isinstance(page, bool) or page < 1:
        raise VizError("Pages are counted from 1; got {page}.", "The first is page 1.", page=page)
    if page <= pages.of:
        return page
    if pages.of == 1:
        raise VizError(
            "{name} is a single picture: it has no page {page}.", "Leave the page out.", name=name, page=page
        )
    hint = (
        "Choose one from 1 to {pages}."
        if pages.is_all
        else "Only the first {pages} are counted; save the page by itself."
    )
    raise VizError("{name} has no page {page}.", hint, name=name, page=page, pages=pages.of)


def note(page: int, pages: Pages) -> Text | None:
    """The sentence that says which page was read; None for a picture that is alone."""
    if pages.of == 1:
        return None
    if pages.is_all:
        return Text("Page {page} of {pages}.", page=page, pages=pages.of)
    return Text("Page {page} of at least {pages}.", page=page, pages=pages.of)


class Told(NamedTuple):
    """The content of a note: page `page` of `pages`, or of more unless `is_all`."""

    note: Text
    page: int
    pages: int
    is_all: bool


def told(notes: Iterable[str]) -> Told | None:
    """Read the note on the page among `notes`; None if there is none."""
    for one in notes:
        if isinstance(one, Text) and one.key in SAID:
            return Told(one, int(one.values["page"]), int(one.values["pages"]), one.key == SAID[0])
    return None


# ---- to a page


def to_page(image: Image.Image, page: int, name: str) -> None:
    """Bring a TIFF to its page `page`. Each is a picture by itself, so none before it is decoded."""
    try:
        image.seek(page - 1)
    except Exception as error:
        raise damaged(name) from error


def turn(image: Image.Image, page: int, pages: Pages, name: str, most: int) -> None:
    """Bring an animation to its page `page`, by decoding all before. Raises `VizError` if that would take too long."""
    size = image.size
    if page == 1:
        return
    if page * size[0] * size[1] > most * DRAWN:
        raise VizError(
            "Page {page} of {name} cannot be reached: all pages before it would have to be decoded, and they are too many.",
            "Save the page by itself, in any program.",
            page=page,
            name=name,
        )
    for number in range(1, page if pages.fit else 1):
        image.seek(number)
        if image.size != size:
            break
    else:
        if pages.fit:
            return
    raise too_costly(name, Text("pages that are larger than its first, or long comments"))


# ---- counting


def _up_to(found: int) -> Pages:
    return Pages(min(max(1, found), MOST_PAGES), found <= MOST_PAGES)


def _tiff(image: Image.Image) -> Pages:
    found = 1
    try:
        while found <= MOST_PAGES:
            with suppress(SyntaxError):  # a page of a kind that is not read; more may follow
                image.seek(found)
            found += 1
    except EOFError:
        pass
    except Exception:  # damaged from here on
        return Pages(found, is_all=False)
    finally:
        image.seek(0)
    return _up_to(found)


def _gif(stream: IO[bytes]) -> Pages:
    data = stream.read(LOOKED_AT)
    width, height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at, found, fit = 13 + _table(data[10:11]), 0, True
    steps = comments = 0
    while at < len(data) and steps < STEPS and found <= MOST_PAGES:
        steps += 1
        mark, is_comment = data[at], data[at : at + 2] == b"!\xfe"
        if mark == 0x2C:
            left, top, wide, high = (int.from_bytes(data[at + i : at + i + 2], "little") for i in (1, 3, 5, 7))
            fit &= left + wide <= width and top + high <= height
            at += 11 + _table(data[at + 9 : at + 10])
            found += 1
        elif mark == 0x21:
            at += 2
        elif mark == 0x3B:
            break
        else:
            at += 1
            continue
        while at < len(data) and data[at] and steps < STEPS:
            comments += is_comment and data[at]
            at += 1 + data[at]
            steps += 1
        at += 1
    return Pages(min(max(1, found), MOST_PAGES), found <= MOST_PAGES and steps < STEPS, fit and comments <= COMMENTS)


def _table(told: bytes) -> int:
    """The bytes of a GIF's table of colours."""
    return 3 << (told[0] & 7) + 1 if told and told[0] & 128 else 0


def _png(stream: IO[bytes]) -> Pages:
    """Count the pictures of an animated PNG: each begins with fcTL. One in front of the animation counts as well."""
    stream.seek(8)
    told = found = alone = 0
    has_pixels = False
    for _ in range(CHUNKS):
        head = stream.read(8)
        kind, length = head[4:], int.from_bytes(head[:4])
        if len(head) < 8 or kind == b"IEND" or (has_pixels and not told):
            return _up_to(min(told, found) + alone)
        if kind == b"acTL" and length == 8 and not has_pixels:
            told = int.from_bytes(stream.read(4))
            length -= 4
        found += kind == b"fcTL"
        if kind == b"IDAT" and not has_pixels:
            has_pixels, alone = True, int(not found)
        stream.seek(length + 4, 1)
    return Pages(max(1, min(told, found, MOST_PAGES)), False)


COUNTED: dict[str | None, Callable[[IO[bytes]], Pages]] = {"GIF": _gif, "PNG": _png}
