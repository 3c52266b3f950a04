"""Find pairs of tokens in what is made of two tensors value by value: the axes along which each has tokens of its own.

Scores need no product of matrices: q[:, :, None] - k[:, None] has a value for each pair of tokens, too.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import Planes, changing

Axes = frozenset[int]  # counted from the end: -1 is the last
EVERY: Axes = frozenset(range(-16, 0))


def pair_axes(one: Planes, other: Planes) -> Axes:
    """Find the axes of pairs: tokens of `one` along some, and of `other` along others; none where values of one place meet.

    Both must change in the same direction: a gate for each row times a gate for each column makes places, and no pairs.
    """
    # The smaller one first: if places change along none of its axes there are no pairs, and the larger is not looked at.
    first, second = sorted((one, other), key=lambda planes: planes[0].numel())
    mine = _ways(first)
    if not mine:
        return frozenset()
    theirs = _ways(second)
    ours, others = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
    if any(mine[axis] & theirs[other] for axis in ours for other in others):
        return frozenset(ours | others)
    return frozenset()


def weighed_axes(one: Tensor, other: Tensor, of_one: Planes, of_other: Planes) -> Axes:
    """Find the axes along which a sum over a product of two tensors is one of weighed tokens, and no pooling with gates.

    Along such an axis either one tensor stands for the token that looks, and the other for those that it looks at (a kernel for
    each pixel); or both stand for the same tokens, and each has features that the other has not (keys times values).
    """
    lengths = [_lengths(tensor) for tensor in (one, other)]
    axes = range(-max(one.ndim, other.ndim), 0)
    mine, theirs = _ways(of_one), _ways(of_other)
    crossed = all(any(a.get(axis, 1) > 1 and b.get(axis, 1) == 1 for axis in axes) for a, b in (lengths, lengths[::-1]))
    found = set()
    for axis in axes:
        # Where one of them is broadcast, a sum is one of the other alone, times a factor.
        if min(each.get(axis, 1) for each in lengths) == 1:
            continue
        if axis in mine and axis in theirs:
            # If not crossed, it is a gate: q * sum(k * v), value by value, cannot be told from one.
            found |= {axis} if crossed else set()
        elif axis in mine or axis in theirs:
            still = of_other if axis in mine else of_one
            found |= {axis} if bool((still[2] > 0).any()) else set()
    return frozenset(found)


def turned(ran: FunctionCall, shape: torch.Size, axes: Axes) -> Axes:
    """Find where `axes` of a tensor of a `shape` are once a function has put its axes in another order.

    The function itself is asked, with a tensor that changes along one axis only.
    """
    found = set()
    for axis in axes:
        # Numbers, and not names: the function may join or split axes on the way.
        line = torch.arange(shape[axis]).reshape(-1, *(1,) * (-axis - 1)).expand(shape)
        made = ran.func(line, *ran.args[1:], **ran.kwargs)
        found |= {other for other in range(-made.ndim, 0) if bool((made != made.narrow(other, 0, 1)).any())}
    return frozenset(found)


def _ways(planes: Planes) -> Mapping[int, frozenset[int]]:
    """Tell in which directions places change, for each axis along which they do."""
    ways = {axis: changing(planes, axis) for axis in range(-planes[0].ndim, 0) if planes[0].shape[axis] > 1}
    return {axis: which for axis, which in ways.items() if which}


def _lengths(tensor: Tensor) -> dict[int, int]:
    """Give the length of each axis; 1 where it was expanded, since there all values are one."""
    return {axis: tensor.shape[axis] if tensor.stride(axis) else 1 for axis in range(-tensor.ndim, 0)}
