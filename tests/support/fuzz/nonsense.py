"""Nonsense: values of any kind, values that JSON can hold, and bytes with a few of them changed."""

import math
import struct
from pathlib import Path
from random import Random
from typing import Any

NUMBERS = (0, 1, -1, 3, 7, 255, 2**31, -(2**31), 2**63, 2**64, 10**30, 10**400, 0.5, -0.0, 1e-300, 1e300)
NO_NUMBERS = (math.nan, math.inf, -math.inf)
TEXTS = (
    "", " ", "x", "0", "-1", "nan", "1e999", "cls", "../../..", "/", "/dev/null", "~nosuch/a", "\0", "a\0b", "{}", "{x}", "{0}",
    "%s", "\n", "\r\n\r\n", "\ud800", "\u202e", "<script>alert(1)</script>", "a" * 300, "ä" * 5000, "1,2", "9,9", "-1,-1",
    "__proto__", "None", "head-off:0.0", "toy", "rollout", "=", "--", "?", "?a=b", "file:", "http://127.0.0.1:1/",
)  # fmt: skip


def plain(rng: Random) -> Any:
    """A value that JSON can hold, without what is inside of others."""
    return rng.choice((None, True, False, rng.choice(NUMBERS), rng.choice(NUMBERS + NO_NUMBERS), rng.choice(TEXTS)))


def json_value(rng: Random, depth: int = 0) -> Any:
    """A value that JSON can hold; a little larger where it is nested."""
    kind = rng.randrange(10 if depth < 3 else 7)
    if kind < 7:
        return plain(rng)
    if kind < 9:
        return [json_value(rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 60)))]
    return {str(rng.choice(TEXTS)): json_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def value(rng: Random) -> Any:
    """Any object of Python that somebody may hand over by mistake."""
    import numpy as np
    import torch

    makers = (
        lambda: plain(rng),
        lambda: json_value(rng),
        lambda: rng.choice((b"", b"x", bytes(100), bytearray(b"x"), 1j, ..., list, object(), {1, 2}, range(3), iter("ab"))),
        lambda: rng.choice((Path("nowhere"), Path("/"), Path("a" * 300), lambda *a, **k: None, (), (1,), (1, 2, 3))),
        lambda: np.zeros(rng.choice(((), (0,), (3,), (9, 9), (9, 9, 3), (9, 9, 5), (2, 2, 2, 2))), rng.choice("?fdcbiU")),
        lambda: np.array(rng.choice(([None], ["a", "b"], [1, 2], [[True]], np.nan)), dtype=object),
        lambda: torch.zeros(rng.choice(((), (0,), (3,), (3, 32, 32), (1, 3, 32, 32), (2, 3, 32, 32), (1, 3, 0, 32)))),
        lambda: torch.full((1, 3, 32, 32), rng.choice(NO_NUMBERS)),
        lambda: torch.zeros((1, 3, 32, 32), dtype=rng.choice((torch.int64, torch.complex64, torch.bool, torch.float64))),
        lambda: rng.choice((torch.nn.Identity(), torch.nn.Linear(2, 2), torch.device("cpu"), np.float32(2), np.int64(1))),
    )  # fmt: skip
    return rng.choice(makers)()


EXTREMES = (
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\0\0\xff\xff",
    b"\xff\xff\0\0",
    b"\0\0\0\1",
)


def mutated(rng: Random, data: bytes) -> bytes:
    """A few changes: bits, bytes, numbers of four bytes, pieces that go, come twice or change places, an early end."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8, 30))):
        at, length = rng.randrange(len(found) + 1), rng.choice((1, 1, 2, 4, 8, 64, 1000))
        kind = rng.randrange(9)
        if kind == 0 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            found[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 2:
            found[at : at + 4] = rng.choice(EXTREMES)
        elif kind == 3:
            del found[at : at + length]
        elif kind == 4:
            found[at:at] = found[at : at + length]
        elif kind == 5:
            found[at:at] = rng.randbytes(length)
        elif kind == 6:
            other = rng.randrange(len(found) + 1)
            found[at:at] = found[other : other + length]
        elif kind == 7 and rng.random() < 0.3:
            del found[at:]
        else:
            found[at : at + 8] = struct.pack(
                rng.choice("<>") + "Q", rng.choice((0, 1, 2**31, 2**32, 2**63, 2**64 - 1, at))
            )
        if len(found) > 4 * len(data) + 10_000:
            break
    return bytes(found)
