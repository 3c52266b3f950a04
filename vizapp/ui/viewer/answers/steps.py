"""Explains one number of a map: the steps to a query's attention to a key, and what the layer then does with it."""

import base64
from typing import Any

import torch
from torch import Tensor

from vizapp.analysis import Analysis
from vizapp.core.network import probabilities
from vizapp.core.signals.steps import Steps, Token, steps_to
from vizapp.errors import VizError
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words

LARGEST = 2**31


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """For [layer, query, key], tokens of that layer: see `in_json`; {"why": words} if the steps cannot be followed;
    {} for nonsense."""
    try:
        layer, query, key = (_index(one) for one in what)
    except (TypeError, ValueError):
        return {}
    seen = run.again()
    assert seen.context is not None
    network = seen.context.ready()
    try:
        return in_json(seen, steps_to(network.model, network.pixels, seen.trace, layer, query, key), words)
    except IndexError:  # no such layer
        return {}


def in_json(seen: Analysis, found: Steps, words: Words) -> dict[str, Any]:
    """Vectors as {name: [shape, base64 of float32]}, and the rest in plain JSON.

    "vectors" has the known vectors of `Steps` by their names, and those of its tokens as "query.read", "key.made" and so on;
    "hidden" has, per head, the columns that a mask hides, or is [] if nothing is added to the scores;
    "lens" [[layers, share of the most probable class, ...], ...]; "left_out" {name: why}.
    """
    vectors = {
        name: value
        for name in (
            "attention",
            "scores",
            "bias",
            "scale",
            "values",
            "mixed",
            "written",
            "constant",
            "between",
            "rest",
            "after",
        )
        if (value := getattr(found, name)) is not None
    }
    for side in ("query", "key"):
        vectors |= {f"{side}.{name}": one for name, one in _of_token(getattr(found, side)).items()}
    return {
        "vectors": {name: [list(value.shape), packed(value)] for name, value in vectors.items()},
        "keys": found.keys.tolist(),
        "at": found.at,
        "hidden": [] if found.hidden is None else [head.nonzero()[:, 0].tolist() for head in found.hidden],
        "turned": {"query": found.query.turned, "key": found.key.turned},
        "left_out": {name: words.translate(why) for name, why in found.left_out.items()},
        **_classes(seen, words),
    }


def _of_token(token: Token) -> dict[str, Tensor]:
    found = {"stream": token.stream, "read": token.read, "made": token.made, "used": token.used}
    return {name: value for name, value in found.items() if value is not None}


def _classes(seen: Analysis, words: Words) -> dict[str, Any]:
    """The probability of the finally chosen class if the classifier read the tokens after fewer layers."""
    assert seen.context is not None
    model, logits = seen.context.model, seen.trace.logits
    if logits is None or model.activation == "none":
        return {}
    try:
        read = seen.context.lens
    except VizError:
        return {}
    label = int(logits.argmax())
    shares = [[n, float(probabilities(one, model.activation)[label])] for n, one in read.items()]
    return {"label": words.translate(model.labels[label]), "lens": shares}


def packed(value: Tensor) -> str:
    """Write float32 as base64."""
    return base64.b64encode(value.detach().cpu().to(torch.float32).contiguous().numpy().tobytes()).decode()


def _index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST:
        raise ValueError
    return value
