"""Bytes as text of an HTML file in UTF-8: one seventh longer, where base64 is one third longer.

Seven bits at a time are a letter of ASCII, one byte. Seven of those 128 letters may not stand in a script element as they are, or
would not come out of it as they went in, or are in the way of who handles text: such a one and the seven bits after it are
together one letter beyond ASCII, which takes two bytes. So it is eight bytes for seven whatever the data are.

The way back is in page/septets.js. It needs to know how many bytes there were: the last letters are filled up with zeros.
"""

from __future__ import annotations

import numpy as np

RARE = (0x00, 0x0A, 0x0D, 0x22, 0x26, 0x3C, 0x5C)  # NUL, two ends of lines, " & < and the backslash
BEYOND = 0xA0  # the first letter after ASCII and its control letters
STEP = 7 * 2**17  # bytes at a time: what is needed meanwhile is some twenty times as large

_RANK = np.full(128, -1, np.int16)
_RANK[list(RARE)] = range(len(RARE))


def septets(data: bytes) -> str:
    """The text of `data`."""
    parts, left = list[str](), np.zeros(0, np.uint8)
    for start in range(0, len(data), STEP):
        bits: np.ndarray = np.unpackbits(np.frombuffer(data[start : start + STEP], np.uint8))
        bits = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
        part, left = _letters(np.concatenate([left, np.packbits(bits, axis=1)[:, 0] >> 1]))
        parts.append(part)
    if len(left):
        parts.append(_letters(np.append(left, np.uint8(0)))[0])
    return "".join(parts)


def _letters(values: np.ndarray) -> tuple[str, np.ndarray]:
    """The text of numbers below 128; and the last one by itself, if it is the first half of a letter."""
    rank = _RANK[values]
    rare = rank >= 0
    # Of rare ones in a row, the first takes the second with it, the third the fourth, and so on.
    at = np.arange(len(values), dtype=np.int32)
    before = at - np.maximum.accumulate(np.where(rare, -1, at)) - 1  # how many rare ones stand in a row right before it
    first = rare & (before % 2 == 0)
    second = np.append(False, first[:-1])
    letters = values.astype("<u2")
    letters[:-1][first[:-1]] = BEYOND + rank[:-1][first[:-1]] * 128 + values[second]
    whole = ~second
    whole[-1] &= not first[-1]
    return letters[whole].tobytes().decode("utf-16-le"), values[-1:][first[-1:]]
