"""Of tokens that stand nowhere: did the network learn them, or are they padding?"""

from __future__ import annotations

import torch
from torch import Tensor

SAME = 1e-4  # of the largest value: apart from rounding, padding is the same everywhere


def hold_more(values: Tensor, nowhere: Tensor) -> bool:
    """Tell whether tokens that stand nowhere are more than padding, which is zero, or what a layer makes of zero.

    values   (window, token, feature) of all tokens
    nowhere  (window, token), whether one stands nowhere
    """
    if not bool(nowhere.any()):
        return False
    least = SAME * float(values.abs().max())
    first = values[torch.arange(len(values), device=values.device), nowhere.int().argmax(1)]  # one of each window
    other = (values - first[:, None]).abs().amax(-1) > least
    if bool((other & nowhere).any()):
        return True
    # One in each window, in the same slot: padding lies at the border of the picture only, and in several slots.
    alone = bool((nowhere.sum(1) == 1).all()) and bool((nowhere == nowhere[0]).all())
    return alone and bool((first.abs().amax(-1) > least).any())
