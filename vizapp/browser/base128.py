"""Encodes bytes as text for an HTML file in UTF-8: one seventh longer, where base64 is one third longer.

Each seven bits become an ASCII character, one byte. Seven of those 128 characters are unsafe: a script element may not contain
them, changes them, or text tools do. Such a character and the next seven bits together become one character beyond ASCII, which
takes two bytes. So seven bytes take eight, whatever the data are.

page/base128.js decodes the text. It needs the number of bytes, because the last characters are padded with zeros.
"""

import numpy as np

RARE = (0x00, 0x0A, 0x0D, 0x22, 0x26, 0x3C, 0x5C)  # NUL, two ends of lines, " & < and the backslash
BEYOND = 0xA0  # the first letter after ASCII and its control letters
STEP = 7 * 2**17  # bytes at a time, since the work takes about twenty times as much memory

_RANK = np.full(128, -1, np.int16)
_RANK[list(RARE)] = range(len(RARE))


def septets(data: bytes) -> str:
    """Encode `data` as text."""
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
    """The text of numbers below 128, and the last number itself if it is the first half of a two-byte character."""
    rank = _RANK[values]
    rare = rank >= 0
    # In a run of rare numbers, the first is paired with the second, the third with the fourth, and so on.
    at = np.arange(len(values), dtype=np.int32)
    before = at - np.maximum.accumulate(np.where(rare, -1, at)) - 1  # length of the run of rare ones right before
    first = rare & (before % 2 == 0)
    second = np.append(False, first[:-1])
    letters = values.astype("<u2")
    letters[:-1][first[:-1]] = BEYOND + rank[:-1][first[:-1]] * 128 + values[second]
    whole = ~second
    whole[-1] &= not first[-1]
    return letters[whole].tobytes().decode("utf-16-le"), values[-1:][first[-1:]]
