"""A thing that was taught is a class for every method."""

import numpy as np

NO_RULE = {"transformer_attribution", "partial_lrp"}  # their paper has no rule for a vector over its own length

MARKS = {"thing": [(1, 1), (2, 2)], "the rest": [(9, 9), (9, 3)]}


def cover(mask: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """(rows, cols): how much of each patch a mask (H, W) covers."""
    rows, cols = grid
    return mask.reshape(rows, mask.shape[0] // rows, cols, mask.shape[1] // cols).mean((1, 3))
