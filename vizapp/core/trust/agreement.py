"""Agreement of maps: correlation of ranks, which does not depend on the scale of their values."""

from collections.abc import Sequence

import numpy as np


def rank_correlation(maps: Sequence[np.ndarray]) -> np.ndarray:
    """Spearman's rho of every two maps, (map, map), -1 to 1; equal values share their mean rank.

    Maps must have one shape. A map that is the same everywhere, or holds NaN, has no order: its rho is NaN, except with itself.
    """
    centred = [one - one.mean() for one in (_ranks(np.asarray(each, float).ravel()) for each in maps)]
    lengths = [float(np.linalg.norm(one)) or np.nan for one in centred]
    found = np.array(
        [
            [a @ b / (x * y) for b, y in zip(centred, lengths, strict=True)]
            for a, x in zip(centred, lengths, strict=True)
        ]
    )
    np.fill_diagonal(found, 1.0)
    return found


def _ranks(values: np.ndarray) -> np.ndarray:
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((last - counts + last - 1) / 2)[inverse]
