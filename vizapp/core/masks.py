"""Which keys a mask hides: known by what is added to the scores, or by a map that gives them nothing."""

from __future__ import annotations

import torch
from torch import Tensor

# Below the largest bias of a row: e^-50 is nothing in any precision. Swin hides with -100, others with -inf.
HIDDEN = 50.0
NEGLIGIBLE = 1e-30  # of attention, where a map is all that is known


def open_by_bias(bias: Tensor) -> Tensor:
    """(..., query, key) bool: which keys a query may see under what is added to its scores."""
    return bias >= bias.amax(-1, keepdim=True) - HIDDEN


def open_by_map(matrix: Tensor) -> Tensor:
    """(..., query, key) bool: which keys get anything at all. Ask of all heads: masks are the same for all of them.

    A key that every head ignores so completely without a mask would be a rare coincidence.
    """
    return matrix.abs() > NEGLIGIBLE


def hidden_by_bias(bias: Tensor) -> Tensor:
    """(..., query, key) bool: which keys get nothing, whatever the scores are; all of a row that is -inf throughout."""
    return ~open_by_bias(bias) | (bias == -torch.inf)


def hidden_by_map(matrix: Tensor) -> Tensor | None:
    """(..., query, key) bool likewise; None where nothing tells: float16 has no number between 0 and 6e-8."""
    return None if matrix.dtype == torch.float16 else ~open_by_map(matrix)
