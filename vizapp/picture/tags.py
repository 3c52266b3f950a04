"""Counts the tags of a TIFF or of EXIF before Pillow copies their values, since all tags may point at the same bytes."""

from __future__ import annotations

import io
import struct
from typing import IO

from vizapp.wording import Text

MOST_TAGS = 4096  # a camera writes about a hundred
MOST_ENTRIES = 65_535  # including those of unknown types, which are skipped: the most that a TIFF can have
SHARED = (
    2**16
)  # bytes that tags may share: a normal writer stores values one after the other, so they all fit into the file
MOST_NUMBERS = 2**18  # that become Python's; the curves of a TIFF of 16 bits are 3 * 2**16
MOST_STRIPS = 100_000  # or tiles: one for each row of the highest picture that is read

BYTES = {
    1: 1,
    2: 1,
    3: 2,
    4: 4,
    5: 8,
    6: 1,
    7: 1,
    8: 2,
    9: 4,
    10: 8,
    11: 4,
    12: 8,
    13: 4,
    16: 8,
}  # of one value, by type
RAW = {1, 2, 7}  # types that stay bytes
WHOLE = {3: "H", 4: "L", 8: "h", 9: "l", 13: "L", 16: "Q"}
EXIF = b"Exif\0\0"
STRIP_TABLES = {273, 279, 324, 325}  # where strips and tiles lie, and how long they are
DIRECTORIES = {34665, 34853, 40965}  # tags that point at tags which Pillow reads: EXIF, GPS, interoperability


def too_many_tags(stream: IO[bytes]) -> Text | None:
    """A sentence about what is too much in a TIFF's first directory, or those it points at; None if nothing is.

    Damaged data are not judged here.
    """
    head = stream.read(16)
    order = {b"II": "<", b"MM": ">"}.get(head[:2])
    if order is None or len(head) < 8:
        return None
    big = head[2] == 43  # as Pillow asks, whatever the order of bytes
    size = stream.seek(0, 2)
    word, entry = ("Q", "HHQ8s") if big else ("L", "HHL4s")
    n_entries = n_tags = n_bytes = n_numbers = 0
    (first,) = _unpacked(order + word, head[8:] if big else head[4:]) or (size,)
    left, seen = [first], set()
    while left:
        at = left.pop()
        if at in seen or not 0 <= at < size:
            continue
        seen.add(at)
        stream.seek(at)
        (count,) = _unpacked(order + ("Q" if big else "H"), stream.read(8 if big else 2)) or (0,)
        n_entries += count
        if n_entries > MOST_ENTRIES:
            return Text("more than {most} tags", most=MOST_ENTRIES)
        step = struct.calcsize(order + entry)
        entries = stream.read(count * step)
        for tag, kind, values, where in struct.iter_unpack(order + entry, entries[: len(entries) // step * step]):
            if kind not in BYTES:
                continue
            length = values * BYTES[kind]
            offset = 0
            if length > len(where):
                (offset,) = struct.unpack(order + word, where)
                if offset + length > size:  # Pillow stops at a truncated tag
                    break
                n_bytes += length
            n_tags += 1
            if tag in STRIP_TABLES and values > MOST_STRIPS:
                return Text("more than {most} strips or tiles", most=MOST_STRIPS)
            if kind not in RAW and tag not in STRIP_TABLES:
                n_numbers += values
            if tag in DIRECTORIES and kind in WHOLE:
                if offset:
                    stream.seek(offset)
                    where = stream.read(8)
                left += _unpacked(order + WHOLE[kind], where) or ()
        if n_tags > MOST_TAGS:
            return Text("more than {most} tags", most=MOST_TAGS)
        if n_bytes > size + SHARED:
            return Text("tags of {megabytes} MB in {all} MB", megabytes=round(n_bytes / 1e6), all=round(size / 1e6))
        if n_numbers > MOST_NUMBERS:
            return Text("tags of more than {most} numbers", most=MOST_NUMBERS)
    return None


def too_much_exif(data: bytes) -> Text | None:
    """Like `too_many_tags`, for EXIF. It also counts the EXIF prefix, which Pillow strips repeatedly, with a copy each time."""
    begins = data.startswith(EXIF) * len(EXIF)
    if data.startswith(EXIF, begins):
        return Text("EXIF in EXIF")
    return too_many_tags(io.BytesIO(data[begins:]))


def _unpacked(form: str, data: bytes) -> tuple[int, ...] | None:
    """The numbers at the beginning of `data`, or None if it is too short."""
    size = struct.calcsize(form)
    return struct.unpack(form, data[:size]) if len(data) >= size else None
