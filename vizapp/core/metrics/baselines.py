"""Maps that have not seen the picture: what any map must beat before it may be believed."""

from __future__ import annotations

import numpy as np


def uniform_random(grid: tuple[int, int], seed: int) -> np.ndarray:
    """(rows, cols) in [0, 1): every patch anything."""
    return np.random.default_rng(seed).random(grid)


def centre_prior(grid: tuple[int, int]) -> np.ndarray:
    """(rows, cols): bright in the middle, where people put things; exp(-2 (x^2 + y^2)), edges at -1 and 1."""
    y, x = (((np.arange(n) + 0.5) / n * 2 - 1) ** 2 for n in grid)
    return np.exp(-2 * (y[:, None] + x))
