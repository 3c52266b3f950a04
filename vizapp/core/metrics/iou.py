"""Best IoU: if the map had to draw the object with one threshold, how well could it?

Intersection over union, with the threshold that is best for this very map, chosen with knowledge of the truth: an upper
bound. Choe et al. 2020, "Evaluating Weakly Supervised Object Localization Methods Right", https://arxiv.org/abs/2001.07437,
choose one threshold for a whole set.
"""

import numpy as np

from vizapp.core.metrics import cover, metric


@metric(
    title="Overlap, IoU",
    sentence="how far the map, cut at its best threshold, overlaps it.",
    short="best IoU",
    choice="overlap (IoU), %",
    paper="per map; for a whole set: Choe et al. 2020, https://arxiv.org/abs/2001.07437",
    uninformed="the object's share of the picture",
    order=40,
)
def iou(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,): the largest intersection over union of the object and the patches above a threshold, 0 to 1.

    The lowest threshold takes the whole picture, so no map gets less than the object's share of it. An object whose
    edge cuts through patches cannot be drawn exactly: even its own cover gets less than 1.
    """
    share = np.broadcast_to(cover(mask, scores.shape[1:]).ravel(), (len(scores), scores[0].size))
    flat = scores.reshape(len(scores), -1)
    order = np.argsort(-flat, axis=1, kind="stable")
    flat, share = (np.take_along_axis(values, order, 1) for values in (flat, share))
    inside = share.cumsum(1)
    union = np.arange(1, flat.shape[1] + 1) + inside[:, -1:] - inside
    last_of_equals = np.concatenate([flat[:, 1:] < flat[:, :-1], np.ones((len(flat), 1), bool)], 1)
    return np.where(last_of_equals, inside / union, 0).max(1)
