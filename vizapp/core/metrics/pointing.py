"""The pointing game: does the brightest patch of the map lie on the object?

Zhang et al. 2018, "Top-down Neural Attention by Excitation Backprop", https://arxiv.org/abs/1608.00507, section 4.2.
"""

import numpy as np

from vizapp.core.metrics import metric

PAPER = "Zhang et al. 2018, https://arxiv.org/abs/1608.00507"


@metric(
    title="Brightest on it",
    sentence="how much of the middle of the brightest patch is object; 1 is all of it, and even a random map is lucky at "
    "times.",
    short="pointing",
    choice="brightest on it",
    format="hit",
    paper=PAPER,
    uninformed="the share of patches whose middle is object: on average the object's share of the picture",
    order=50,
    main=True,
)
def pointing(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,): 1 if the middle of the brightest patch lies on the object, else 0; ties: their mean.

    The middle of a patch of even size is between four pixels: their mean. Enlarging a map bilinearly and taking its
    brightest pixel, as is often done, favours the border of the picture, where nothing beside it pulls a patch down.
    """
    return _on(scores, mask)


@metric(
    title="Brightest near it",
    sentence="is the middle of the brightest patch within half a patch of it?",
    short="near",
    choice="brightest near it",
    format="hit",
    paper=PAPER,
    uninformed="the share of patches whose middle is so near: about that of the picture",
    order=60,
)
def pointing_near(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,): as `pointing`, but up to half a patch beside the object is a hit too: a patch cannot point any finer.

    Half a patch to the side and half a patch up or down: the object grown by a rectangle.
    """
    reach = (mask.shape[0] // scores.shape[1] // 2, mask.shape[1] // scores.shape[2] // 2)
    return _on(scores, _grown(_grown(mask, reach[0]).T, reach[1]).T)


def _on(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    top = scores.max((1, 2), keepdims=True)
    brightest = scores >= top - 1e-9 * np.abs(top)  # rounding must not decide between equals
    middles = _around_middles(scores.shape[1], mask.shape[0]) @ mask @ _around_middles(scores.shape[2], mask.shape[1]).T
    return (brightest * middles).sum((1, 2)) / brightest.sum((1, 2))


def _around_middles(n_patches: int, n_pixels: int) -> np.ndarray:
    """(patch, pixel): one for the pixel in the middle of a patch, a half for each of the two around it."""
    middle = (np.arange(n_patches) + 0.5) * n_pixels / n_patches - 0.5
    pixel = np.arange(n_pixels)
    return 0.5 * (pixel == np.floor(middle)[:, None]) + 0.5 * (pixel == np.ceil(middle)[:, None])


def _grown(mask: np.ndarray, reach: int) -> np.ndarray:
    """The mask, and what is up to `reach` rows above or below it."""
    grown = mask.copy()
    for step in range(1, reach + 1):
        grown[step:] |= mask[:-step]
        grown[:-step] |= mask[step:]
    return grown
