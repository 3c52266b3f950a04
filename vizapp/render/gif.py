"""Writes a .gif frame by frame. Pillow's own writer keeps all frames in memory until the last one arrives."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import IO

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import getdata

BLOCK = 255  # bytes of a comment that are written at a time
LOOP = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # repeat for ever
SHORTEST = 0.02  # seconds: browsers show shorter frames for 0.1


def write_gif(shown: Iterable[tuple[np.ndarray, float]], file: IO[bytes], comment: str, palette: Image.Image) -> int:
    """Write frames (H, W, 3) uint8 of one shape, each with its seconds, in the colours of `palette`. Returns their number."""
    count, left, before = 0, 0.0, np.zeros(0)
    for count, (one, seconds) in enumerate(shown, 1):
        picture = Image.fromarray(one).quantize(palette=palette, dither=Image.Dither.NONE)
        if count == 1:
            file.write(_head(picture, palette) + LOOP + _comment(comment))
        # Only the part that differs from the last frame is written, which is small for most frames.
        now = np.asarray(picture)
        box = _changed(before, now) if count > 1 else (0, 0, picture.width, picture.height)
        before = now
        left += max(seconds, SHORTEST)
        hundredths = round(100 * left)  # the rest goes to the next frame, so that the film does not drift
        left -= hundredths / 100
        _write_frame(picture.crop(box), box[:2], hundredths, file)
    file.write(b";")
    return count


def _write_frame(part: Image.Image, offset: tuple[int, int], hundredths: int, file: IO[bytes]) -> None:
    file.write(
        b"\x21\xf9\x04\x04" + struct.pack("<H", hundredths) + b"\x00\x00"
    )  # 4: the frame stays visible outside the next, smaller one
    for block in getdata(part, offset):
        file.write(block)


def _head(picture: Image.Image, palette: Image.Image) -> bytes:
    colours = bytes(palette.getpalette("RGB") or []).ljust(768, b"\x00")
    return b"GIF89a" + struct.pack("<HHBBB", picture.width, picture.height, 0xF7, 0, 0) + colours


def _comment(text: str) -> bytes:
    data = text.encode()
    parts = (data[at : at + BLOCK] for at in range(0, len(data), BLOCK))
    return b"\x21\xfe" + b"".join(bytes([len(part)]) + part for part in parts) + b"\x00"


def _changed(before: np.ndarray, now: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part that differs; one pixel if nothing does."""
    rows, cols = (np.flatnonzero((before != now).any(axis)) for axis in (1, 0))
    if not len(rows):
        return 0, 0, 1, 1
    return int(cols[0]), int(rows[0]), int(cols[-1]) + 1, int(rows[-1]) + 1
