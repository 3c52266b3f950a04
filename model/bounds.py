"""Bounds of the numbers in somebody else's checkpoint. They are checked before anything is built: building a network of 2**31
layers would take years, and one of 2**31 classes takes terabytes."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from vizapp.errors import VizError

MOST = 2**20  # of anything: channels, classes, sides
MOST_LAYERS = 1000  # each is an object, so there must be few; the deepest known networks have 200
MOST_CHARACTERS = 10_000  # of a name, or of a sentence
DEEPEST = 20  # dictionaries and lists in each other

WHOLE = {  # word of an architecture -> least and most
    "img_size": (1, 4096),
    "patch_size": (1, 4096),
    "in_chans": (1, 1024),
    "num_classes": (0, MOST),
    "embed_dim": (1, 2**16),
    "depth": (1, MOST_LAYERS),
    "num_heads": (1, 2**12),
    "head_dim": (1, 2**16),
    "reg_tokens": (0, 1024),
}
REAL = {  # the same of numbers that need not be whole
    "mlp_ratio": (1e-3, 64.0),
    "init_values": (-1e6, 1e6),
    "drop_path_rate": (0.0, 1.0),
    "norm_eps": (0.0, 1.0),
    "step": (-1e6, 1e6),
    "sparsity": (-1e6, 1e6),
}
FLAGS = {"qkv_bias", "qk_norm", "class_token", "distilled", "no_embed_class", "pre_norm"}
CROP = (0.01, 100.0)
OPTIONAL = {"head_dim", "init_values"}  # may be null


def checked_architecture(said: Any) -> dict[str, Any]:
    """Return the same words and numbers. Raises `VizError` for a number out of its range; the network refuses words that it does
    not know."""
    if not isinstance(said, Mapping):
        raise _not("architecture", said)
    checked = dict(said)
    for word, value in said.items():
        if value is None and word in OPTIONAL:
            continue
        if word == "img_size" and isinstance(value, (list, tuple)) and len(value) == 2:
            for side in value:
                whole(word, side, *WHOLE[word])
        elif word in WHOLE:
            whole(word, value, *WHOLE[word])
        elif word in REAL:
            checked[word] = real(word, value, *REAL[word])
        elif word in FLAGS and not isinstance(value, bool):
            raise _not(word, value)
    return checked


def check_config(said: Any) -> None:
    """Raise `VizError` for a number in a configuration of another library that no network has."""
    for word, value in _numbers(said, "", 0):
        most = MOST_LAYERS if "layers" in word or "depth" in word else MOST
        if not abs(value) <= most:
            raise _not(word, value, -most, most)


def _numbers(said: Any, word: str, level: int) -> Iterator[tuple[str, int]]:
    """Yield the whole numbers in it, each with the last word on the way to it."""
    if level > DEEPEST:
        raise VizError("A configuration is nested more than {most} levels deep.", "It is damaged.", most=DEEPEST)
    if isinstance(said, Mapping):
        for key, value in said.items():
            yield from _numbers(value, str(key), level + 1)
    elif isinstance(said, (list, tuple)):
        if "layers" in word or "depth" in word:
            yield word, len(said)
        for value in said:
            yield from _numbers(value, word, level + 1)
    elif isinstance(said, int) and not isinstance(said, bool):
        yield word, said


def whole(word: str, value: Any, least: int, most: int) -> int:
    """Check and return a whole number of that range. Raises `VizError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _not(word, value, least, most)
    return value


def real(word: str, value: Any, least: float, most: float) -> float:
    """Check and return a number of that range. Raises `VizError` for anything else, also for NaN."""
    ok = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= most - least + abs(least)
    if not ok or not math.isfinite(value) or not least <= value <= most:
        raise _not(word, value, least, most)
    return float(value)


def words(word: str, value: Any, most: int = MOST) -> tuple[str, ...]:
    """Check and return a list of names or sentences. Raises `VizError` for anything else, or for too many or too long ones."""
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise _not(word, value)
    return tuple(sentence(word, one) for one in value)


def sentence(word: str, value: Any) -> str:
    """Check and return one name or sentence."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise _not(word, value)
    return value


def _not(word: str, value: Any, least: float | None = None, most: float | None = None) -> VizError:
    # Python refuses to print a number of more than 4300 digits.
    got = "2^64" if isinstance(value, int) and abs(value) >= 2**64 else repr(value)
    got = got if len(got) <= 60 else f"{got[:60]} ..."
    if least is None or most is None:
        return VizError("{word} cannot be {got}.", "The file is damaged, or made to do harm.", word=word, got=got)
    return VizError(
        "{word} cannot be {got}: it goes from {least} to {most}.",
        "The file is damaged, or made to do harm.",
        word=word,
        got=got,
        least=least,
        most=most,
    )
