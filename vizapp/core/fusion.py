"""Head fusion: from one attention row per head to one row."""

from __future__ import annotations

from typing import Literal, get_args

import torch

from vizapp.errors import VizError

Fusion = Literal["mean", "max", "min"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)


def fuse_heads(rows: torch.Tensor, fusion: Fusion = "mean") -> torch.Tensor:
    """(head, ..., key) -> (..., key): the mean, the largest or the smallest value over the heads, key by key.

    Only the mean keeps rows that sum to one; whoever needs that after "max" or "min" divides by the sum.
    """
    if fusion == "mean":
        return rows.mean(0)
    if fusion == "max":
        return rows.amax(0)
    if fusion == "min":
        return rows.amin(0)
    raise VizError(f"'{fusion}' is no head fusion.", f"Choose one of: {', '.join(FUSIONS)}, or a single head.")
