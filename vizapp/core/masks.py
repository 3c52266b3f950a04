"""Find the keys that a mask hides: by the bias that is added to the scores, or by a map that gives them nothing."""

import torch
from torch import Tensor

# A mask is a bias so far below the largest of its row. Beside a key with e^0, one with e^-50 = 2e-22 changes no sum, not even in
# float64, whose last digit is 2e-16. Masks are far lower: -100 (Swin), -1e4, the lowest number of a type, -inf. What a
# network learns is far higher: SwinV2's positions lie within 16 of each other, and those of other networks within 20 or so.
HIDES = 50.0
# Of weights, where no scores are known. Swin's -100 leaves 4e-44 of float32, and up to e^31 times as much of a key that matches
# best; a learned bias of -50 leaves more. Float16 knows no number so small, and so nothing can be told of its zeros.
NEGLIGIBLE = 1e-30


def open_by_bias(bias: Tensor) -> Tensor:
    """(..., query, key) bool: the keys that a bias of whole rows does not hide. It may hide all of a row."""
    return (bias >= bias.amax(-1, keepdim=True) - HIDES) & (bias > -torch.inf)


def open_by_map(matrix: Tensor) -> Tensor:
    """(..., query, key) bool: the keys that get anything at all. Ask of all heads: masks are the same for all of them.

    A key that every head ignores so completely without a mask would be a rare coincidence.
    """
    return matrix.abs() > NEGLIGIBLE


def hidden_by_map(matrix: Tensor) -> Tensor | None:
    """(..., query, key) bool: the keys that get nothing; None where the type of the numbers does not tell."""
    return ~open_by_map(matrix) if zeros_tell(matrix.dtype) else None


def zeros_tell(dtype: torch.dtype) -> bool:
    """Tell whether weights of this type that a mask left differ from those that are merely small."""
    return torch.finfo(dtype).tiny < NEGLIGIBLE
