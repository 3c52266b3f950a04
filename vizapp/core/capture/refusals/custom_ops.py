"""Tell whether an op of another library may mix tokens: what `torch.library` registered is one function, and its inside unseen.

Some are a norm or an activation, which leaves each token by itself. So the op is run once more, with one token changed. If any
other token of its result changes, it mixes tokens, and nothing tells by what weights.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.function_call import FunctionCall


def may_mix(ran: FunctionCall, result: object, stems: Sequence[Tensor], axes: Callable[[Tensor], list[int]]) -> bool:
    """Tell whether an op that ran may mix tokens.

    stems  those of its arguments that stem from the picture
    axes   tells along which axes of a tensor places change; raises `LookupError` where nothing is known of them
    """
    made = next((one for one in flat(result) if isinstance(one, Tensor) and one.is_floating_point()), None)
    if made is None:
        return False
    try:
        return not all(_alone(ran, made, one, axes(one)) for one in stems if one.is_floating_point())
    # It may refuse other values, or another shape of memory. Then it is not known to leave tokens by themselves.
    except (LookupError, RuntimeError, ValueError, TypeError):
        return True


def _alone(ran: FunctionCall, made: Tensor, given: Tensor, axes: Sequence[int]) -> bool:
    """Tell whether a change of one token of `given` changes the result at that token alone."""
    if not axes:
        return True
    # Of another shape nothing tells which of its values are that token's.
    if made.ndim != given.ndim or any(made.shape[axis] != given.shape[axis] for axis in axes):
        return False
    at = tuple(given.shape[axis] // 2 if axis in axes else slice(None) for axis in range(given.ndim))
    other = given.clone()
    # By more than its own size, in each feature: an op may read a few of them only, or round.
    other[at] += 1 + other[at].abs()
    args, kwargs = tree_map(lambda one: other if one is given else one, (ran.args, ran.kwargs))
    again = next(one for one in flat(ran.func(*args, **kwargs)) if isinstance(one, Tensor) and one.is_floating_point())
    same = torch.isclose(again, made, equal_nan=True)  # kernels that run in parallel may sum in another order
    same[at] = True
    return bool(same.all())
