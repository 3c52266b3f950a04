"""Counts the parts of a picture's file before Pillow reads it: millions of tiny parts would take Pillow seconds to minutes.

Only formats that strangers may send (`opening.PUBLIC`) have a walker here, and of those only JPEG, PNG and GIF: WebP and AVIF are
read by libraries in C, in a fifth of a second. Each walker follows Pillow up to the pixels of the first picture, and further if
Pillow does. Damaged data are not judged here; opening the file reports them.
"""

import io
import re
from collections.abc import Callable
from typing import IO, Literal

from vizapp.wording import Text

STEPS = 2**16  # segments, chunks, blocks, paddings: real pictures have tens, a PNG of 20 MB about 2,500
SMALLEST = 1024  # bytes of a chunk of a large PNG on the average: usually 8192
COMPRESSED = 512  # compressed texts and profiles of a PNG: each may take a millisecond, and be forgotten
EXIF = b"Exif\0\0"
EXIF_SEGMENTS = 64  # of 64 kB; Pillow copies all it has so far for each
EXIF_BYTES = EXIF_SEGMENTS * 2**16
EXIF_COPIES = 2**26  # bytes: Pillow copies the values of each tag, and all tags may point at the same bytes
TABLES = 2**16  # bytes of quantization tables of a JPEG; four tables have 516
COMMENTS = 2**20  # bytes in a GIF, copied for each 255 of them

MARK = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # of a segment of JPEG; the bytes left out stand among coded pixels
MOST_MARKS = 2**16
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the segments that tell the size and the channels
PROGRESSIVE = {0xC2, 0xC6, 0xCA, 0xCE}
SCAN, END = 0xDA, 0xD9
ALONE = {0x00, 0xC8, *range(0xD0, 0xDA), *range(0xF0, 0xFE)}  # marks of JPEG without a length, and what is none

# The type of an item of AVIF; in front of it stands its number, of 2 or of 4 bytes.
ITEM = re.compile(rb"(infe(?:\x02.{3}.{4}|\x03.{3}.{6}))(?:Exif|mime)", re.DOTALL)


def too_much(kind: str, stream: IO[bytes], n_bytes: int) -> Text | None:
    """A sentence about what the file has too much of to be opened; None if nothing. Leaves the stream at its beginning."""
    if kind not in WALKS:
        return None
    found = WALKS[kind](stream, n_bytes)
    stream.seek(0)
    return found


def too_much_exif(data: bytes) -> Text | None:
    """A sentence about what EXIF has too much of for Pillow to read it; None if nothing."""
    data = data.removeprefix(EXIF)
    if data.startswith(EXIF):  # Pillow removes one after the other, with a copy of the rest each time
        return Text("EXIF in EXIF")
    order: Literal["big", "little"] = "big" if data[:2] == b"MM" else "little"
    at = int.from_bytes(data[4:8], order)
    n_tags = int.from_bytes(data[at : at + 2], order)
    if len(data) > EXIF_BYTES or n_tags * len(data) > EXIF_COPIES:
        return Text("{tags} tags in {bytes} bytes of EXIF", tags=n_tags, bytes=len(data))
    return None


def without_exif(stream: IO[bytes]) -> IO[bytes]:
    """An AVIF without its EXIF and XMP. Pillow would read them at once, and an AVIF's orientation is stored elsewhere."""
    return io.BytesIO(ITEM.sub(rb"\1skip", stream.read()))


def n_scans(stream: IO[bytes], most: int) -> int:
    """The number of scans of a JPEG, each a pass over its pixels, counted up to `most` + 1.

    Anything after the end marker does not count, because phones store films there. Counting stops at more markers than any
    real picture has: such a file is refused in any case.
    """
    data, at, found, n_channels, repeats, n_marks = stream.read(), 2, 0, 0, False, 0
    stream.seek(0)
    while found <= most and (mark := MARK.search(data, at)):
        n_marks += 1
        if n_marks > MOST_MARKS:
            return most + 1
        kind, at = data[mark.start() + 1], mark.end()
        if kind == END:
            break
        segment = data[at : at + 10]
        if kind in FRAMES:
            n_channels, repeats = int.from_bytes(segment[7:8]), kind in PROGRESSIVE
        if kind == SCAN:
            found += 1
            if (
                not repeats and int.from_bytes(segment[2:3]) >= n_channels
            ):  # a scan of all channels: the decoder stops after it
                break
        at += max(2, int.from_bytes(segment[:2]))
    return found


def _jpeg(stream: IO[bytes], n_bytes: int) -> Text | None:
    data, at, exif = stream.read(), 2, b""
    n_exif = n_tables = n_resources = 0
    for _ in range(STEPS):
        mark = data[at : at + 2]
        if len(mark) < 2:
            break
        kind = mark[1]
        if mark[0] != 0xFF or kind == 0xFF:  # junk, padding
            at += 1
            continue
        if kind in ALONE:
            at += 2
            continue
        if kind == SCAN:
            break
        length = max(2, int.from_bytes(data[at + 2 : at + 4]))
        body = data[at + 4 : at + 2 + length]
        if kind == 0xE1 and body.startswith(EXIF):
            n_exif += 1
            if n_exif > EXIF_SEGMENTS:
                return Text("EXIF in more than {most} pieces", most=EXIF_SEGMENTS)
            exif += body[len(EXIF) :]
        elif kind == 0xED:
            n_resources += body.count(b"8BIM")
        elif kind == 0xDB:
            n_tables += len(body)
        if n_tables > TABLES or n_resources > STEPS:
            return Text("more tables than any picture needs")
        at += 2 + length
    else:
        return Text("more than {most} segments", most=STEPS)
    return too_much_exif(exif)


def _png(stream: IO[bytes], n_bytes: int) -> Text | None:
    most, compressed = max(STEPS, n_bytes // SMALLEST), 0
    stream.seek(8)
    for _ in range(most):
        head = stream.read(8)
        if len(head) < 8 or head[4:] == b"IEND":
            return None
        compressed += head[4:] in (b"zTXt", b"iTXt", b"iCCP")
        if compressed > COMPRESSED:
            return Text("more than {most} compressed texts", most=COMPRESSED)
        stream.seek(int.from_bytes(head[:4]) + 4, 1)
    return Text("more than {most} chunks", most=most)


def _gif(stream: IO[bytes], n_bytes: int) -> Text | None:
    head = stream.read(13)
    if len(head) < 13:
        return None
    if head[10] & 128:
        stream.seek(3 << (head[10] & 7) + 1, 1)
    steps = comments = 0
    while steps < STEPS:
        steps += 1
        mark = stream.read(1)
        if mark in (b"", b";", b","):
            return None
        if mark != b"!":
            continue
        kind = stream.read(1)
        while steps < STEPS and (length := stream.read(1)) not in (b"", b"\0"):
            steps += 1
            stream.seek(length[0], 1)
            comments += length[0] * (kind == b"\xfe")
        if comments > COMMENTS:
            return Text("comments of more than {most} bytes", most=COMMENTS)
    return Text("more than {most} blocks", most=STEPS)


WALKS: dict[str, Callable[[IO[bytes], int], Text | None]] = {"JPEG": _jpeg, "PNG": _png, "GIF": _gif}
