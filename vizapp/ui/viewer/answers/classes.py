"""Explains each of two classes by a map, with a method that can tell classes apart."""

import base64
from typing import Any

import numpy as np

import vizapp.pipeline as pipeline
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words

METHOD = "chefer"


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"classes": [{"label", "share", "map"}, ...], "grid": [rows, cols]} of two classes; `what` is null.

    The classes are the two objects known to be in the picture, if the network has classes of their names; otherwise the two
    most probable ones.

    "map" is base64 of float32 (rows * cols), relevance with negative values set to zero. {"why": words} if there are no such
    maps; {} for malformed questions.
    """
    if what is not None:
        return {}
    seen = run.again()
    assert seen.context is not None
    labels = seen.context.model.labels
    there = list(dict.fromkeys(one.name for one in seen.truth if one.is_object and one.name in labels))
    shares = dict(seen.top(len(labels)))
    chosen = there if len(there) == 2 else [label for label, _ in seen.top(2)]
    maps = [pipeline.explain(seen, METHOD, target=label).scores for label in chosen]
    if len(maps) < 2:
        return {}
    found = [
        {"label": words.translate(label), "share": shares.get(label, 0.0), "map": _packed(one)}
        for label, one in zip(chosen, maps, strict=True)
    ]
    return {"classes": found, "grid": list(maps[0].shape)}


def _packed(scores: np.ndarray) -> str:
    return base64.b64encode(np.clip(scores, 0, None).astype(np.float32).tobytes()).decode()
