"""Explains how the pixels of a patch become its token: the linear map, number by number, and what is added to it."""

from typing import Any

from vizapp.core.signals.embedding import Embedding, embedding_of
from vizapp.ui.viewer.answers.steps import packed
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words

LARGEST = 2**31


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """For [row, column, number or null], a patch of the first layer and a number of its token to include: see `in_json`.

    {"why": words} if it cannot be followed; {} for malformed questions.
    """
    if not isinstance(what, list | tuple) or len(what) != 3:
        return {}
    row, col, also = what
    wanted = [one for one in what if one is not None]
    if row is None or col is None or not all(type(one) is int and 0 <= one < LARGEST for one in wanted):
        return {}
    seen = run.again()
    assert seen.context is not None
    network = seen.context.ready()
    return in_json(embedding_of(network.model, network.pixels, seen.trace, row, col, also))


def in_json(found: Embedding) -> dict[str, Any]:
    """`Embedding` as {"vectors": {name: [shape, base64 of float32]}, "dimensions": [...]}; an unknown position is left out."""
    vectors = {
        "pixels": found.pixels,
        "weights": found.weights,
        "bias": found.bias,
        "made": found.made,
        "token": found.token,
    }
    if found.position is not None:
        vectors["position"] = found.position
    return {
        "vectors": {name: [list(value.shape), packed(value)] for name, value in vectors.items()},
        "dimensions": found.dimensions.tolist(),
    }
