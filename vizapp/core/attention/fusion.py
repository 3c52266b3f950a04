"""Head fusion: from one attention row per head to one row."""

from __future__ import annotations

import torch

from vizapp.core.attention.relevance import Share
from vizapp.errors import VizError
from vizapp.vocabulary import FUSIONS, Direction, Fusion
from vizapp.wording import Text

_UNITS: dict[tuple[Direction, Fusion], Text] = {
    ("from", "mean"): Share("share of the query's attention"),
    ("from", "max"): Text("largest share of the query's attention"),
    ("from", "min"): Text("smallest share of the query's attention"),
    ("to", "mean"): Share("share of each token's attention to the query"),
    ("to", "max"): Text("largest share of each token's attention to the query"),
    ("to", "min"): Text("smallest share of each token's attention to the query"),
}


def unit_of(direction: Direction, fusion: Fusion) -> Text:
    """Name a value of this fusion; a single head is its own mean."""
    return _UNITS[direction, fusion]


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
    if fusion == "mean":
        return rows.mean(0)
    return rows.amax(0) if fusion == "max" else rows.amin(0)
