"""AUC over patches: are the object's patches brighter than the others?

The area under the ROC curve of "brighter than a threshold" as a detector of object patches, which is the
Mann-Whitney statistic: Fawcett 2006, "An introduction to ROC analysis", section 7.
"""

import numpy as np

from vizapp.core.metrics import cover, metric


@metric(
    title="Ranking, AUC",
    sentence="how often a patch of the object is brighter than another patch; chance is 0.5.",
    short="AUC",
    choice="ranking (AUC), %",
    format="area",
    paper="Fawcett 2006, https://doi.org/10.1016/j.patrec.2005.10.010",
    uninformed="0.5",
    order=30,
    main=True,
)
def auc(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(maps,): how often a patch of the object is brighter than one that is not, 0 to 1; equals count half.

    A patch is of the object if at least half of it is; if no patch is, those are that have the most of it.
    """
    share = cover(mask, scores.shape[1:]).ravel()
    on = share >= min(0.5, share.max())
    if on.all():
        on = share >= share.max()
    if on.all():
        return np.full(len(scores), 0.5)  # each patch has the same share: nothing to tell apart
    flat = scores.reshape(len(scores), -1)
    inside, outside = flat[:, on, None], flat[:, None, ~on]
    return ((inside > outside).mean((1, 2)) + (inside >= outside).mean((1, 2))) / 2
