"""Energy: how much of the map lies on the object?

Wang et al. 2020, Score-CAM, https://arxiv.org/abs/1910.01279, section 4.3, the energy-based pointing game.
"""

import numpy as np

from vizapp.core.metrics import cover, metric

PAPER = "Wang et al. 2020, https://arxiv.org/abs/1910.01279"


@metric(
    title="On the object",
    sentence="share of the map that lies on it.",
    short="energy",
    choice="% on the object",
    paper=PAPER,
    uninformed="the object's share of the picture",
    order=10,
    main=True,
)
def energy(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,) from maps (maps, rows, cols): share of a map's sum that lies on the object, 0 to 1.

    A patch that is half object counts half.
    Negative relevance counts as none; a map without any positive value says nothing and counts as uniform.
    """
    positive = np.maximum(scores, 0)
    total = positive.sum((1, 2))
    shares = np.where(total[:, None, None] > 0, positive, 1)
    return (shares * cover(mask, scores.shape[1:])).sum((1, 2)) / shares.sum((1, 2))


@metric(
    title="Times chance",
    sentence="how many times as much of the map lies on it as in an even spread.",
    short="lift",
    choice="times chance",
    format="times",
    paper=PAPER,
    uninformed="1",
    order=20,
)
def lift(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,): how many times as much of a map lies on the object as if it were spread evenly: energy / area."""
    return energy.function(scores, mask) / mask.mean()
