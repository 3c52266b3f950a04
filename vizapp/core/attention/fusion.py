"""Head fusion: from one attention row per head to one row."""

from __future__ import annotations

from typing import Literal, get_args

import torch

from vizapp.errors import VizError

Fusion = Literal["mean", "max", "min"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)


def fuse_heads(rows: torch.Tensor, fusion: Fusion = "mean") -> torch.Tensor:
    """Fuse (head, ..., key) -> (..., key): the mean, the largest or the smallest value over the heads, key by key.

    Only the mean keeps rows that sum to one; after "max" or "min" the caller divides by the sum if it needs shares.
    """
    if fusion == "mean":
        return rows.mean(0)
    if fusion == "max":
        return rows.amax(0)
    if fusion == "min":
        return rows.amin(0)
    raise VizError(
        "'{fusion}' is no head fusion.",
        "Choose one of: {names}, or a single head.",
        fusion=fusion,
        names=", ".join(FUSIONS),
    )
