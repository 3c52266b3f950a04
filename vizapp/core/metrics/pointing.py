"""The pointing game: does the brightest point of the map lie on the object?

Zhang et al. 2018, "Top-down Neural Attention by Excitation Backprop", https://arxiv.org/abs/1608.00507, section 4.2.
"""

from __future__ import annotations

import numpy as np

from vizapp.core.metrics import metric

PAPER = "Zhang et al. 2018, https://arxiv.org/abs/1608.00507"


@metric(paper=PAPER, uninformed="the object's share of the picture")
def pointing(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """1 if the brightest pixel of the bilinearly enlarged map is one of the object, else 0; ties: their mean."""
    return _on(scores, mask)


@metric(paper=PAPER, uninformed="the share of the picture that is not farther than half a patch from the object")
def pointing_near(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """As `pointing`, but up to half a patch beside the object is a hit too: a patch cannot point any finer.

    Half a patch to the side and half a patch up or down: the object grown by a rectangle.
    """
    reach = (mask.shape[0] // scores.shape[1] // 2, mask.shape[1] // scores.shape[2] // 2)
    return _on(scores, _grown(_grown(mask, reach[0]).T, reach[1]).T)


def _on(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    large = _enlarging(scores.shape[1], mask.shape[0]) @ scores @ _enlarging(scores.shape[2], mask.shape[1]).T
    top = large.max((1, 2), keepdims=True)
    brightest = large >= top - 1e-9 * np.abs(top)  # rounding must not decide between equals
    return (brightest & mask).sum((1, 2)) / brightest.sum((1, 2))


def _enlarging(n_patches: int, n_pixels: int) -> np.ndarray:
    """(pixel, patch): how much of each patch a pixel takes, linear between centres, flat beyond the outermost ones."""
    position = np.clip((np.arange(n_pixels) + 0.5) * n_patches / n_pixels - 0.5, 0, n_patches - 1)
    return np.maximum(0, 1 - np.abs(position[:, None] - np.arange(n_patches)))


def _grown(mask: np.ndarray, reach: int) -> np.ndarray:
    """The mask, and what is up to `reach` rows above or below it."""
    grown = mask.copy()
    for step in range(1, reach + 1):
        grown[step:] |= mask[:-step]
        grown[:-step] |= mask[step:]
    return grown
