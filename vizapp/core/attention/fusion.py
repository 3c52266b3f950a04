"""Head fusion: from one attention row per head to one row."""

from collections.abc import Mapping
from typing import Any, assert_never

import torch

from vizapp.core.attention.relevance import Share
from vizapp.errors import VizError
from vizapp.vocabulary import FUSIONS, Direction, Fusion
from vizapp.wording import Text

# Names of values that are better than the fusion's own name. A new fusion needs none; other languages then use its English name.
_UNITS: dict[tuple[Direction, Fusion], Text] = {
    ("from", "mean"): Share("share of the query's attention"),
    ("from", "max"): Text("largest share of the query's attention"),
    ("from", "min"): Text("smallest share of the query's attention"),
    ("to", "mean"): Share("share of each token's attention to the query"),
    ("to", "max"): Text("largest share of each token's attention to the query"),
    ("to", "min"): Text("smallest share of each token's attention to the query"),
}


def unit_of(settings: Mapping[str, Any]) -> Text:
    """Name a value of the fusion that a method's settings ask for; a single head is its own mean."""
    direction: Direction = settings.get("direction", "from")
    fusion: Fusion = settings["fusion"] if settings["head"] is None else "mean"
    if (direction, fusion) in _UNITS:
        return _UNITS[direction, fusion]
    if direction == "from":
        return Text("{fusion} over the heads of the share of the query's attention", fusion=fusion)
    return Text("{fusion} over the heads of the share of each token's attention to the query", fusion=fusion)


def fuse_heads(rows: torch.Tensor, fusion: Fusion = "mean") -> torch.Tensor:
    """Fuse (head, ..., key) -> (..., key): one value for each key, as `vizapp.vocabulary.Fusion` names it.

    Each is numpy's function of its name. Only the mean keeps rows that sum to one; after any other the caller divides by the sum
    if it needs shares.
    """
    if fusion not in FUSIONS:
        raise VizError(
            "'{fusion}' is no head fusion.",
            "Choose one of: {names}, or a single head.",
            fusion=fusion,
            names=", ".join(FUSIONS),
        )
    match fusion:
        case "mean":
            return rows.mean(0)
        case "max":
            return rows.amax(0)
        case "min":
            return rows.amin(0)
        case _:
            assert_never(fusion)
