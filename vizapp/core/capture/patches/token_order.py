"""Note how a pass moved its tokens: a number that differs where another pass moved them otherwise.

Where tokens stand is worked out once (`survey`). A network whose order hangs on a threshold of the picture, on a parameter that
is trained, or on a number in somebody's configuration, may move them otherwise in the very pass that a map comes from. So that
pass notes what was rolled, picked and reshaped by how much, and by which indices, up to where its last attention is added.
"""

from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops

MOVES = ops.functions((ops.MOVES - ops.JOINS) | ops.CHOICE)
SUMS = ops.functions(ops.PLUS | ops.PLUS_IN_PLACE)
AFTER = (
    2  # sums after an attention, up to which moves count: its own (with positions of values), and that with the stream
)

_hashes = (
    WeakTensorKeyDictionary()
)  # of index tensors that stay, such as buffers: how often each was written to, and its hash


class TokenOrder:
    """The moves of one pass. It is told of each function in `MOVES` and `SUMS`, and of each attention call."""

    def __init__(self) -> None:
        self._moves: list[Hashable] = []
        self._until = self._open = 0

    def moved(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note a function that moves values, or chooses, before it runs."""
        # A mask or an activation that is written out by `where` moves nothing, and its condition is another for each picture.
        if ops.name_of(func) in ops.CHOICE and not _chooses_tokens(args, kwargs):
            return
        self._moves.append((ops.name_of(func), _noted(args), _noted(kwargs)))

    def summed(self, args: tuple[Any, ...]) -> None:
        """Take note that two tensors were added: it may be an attention's output to the stream, and moves before that count."""
        one, other = (*args, None, None)[:2]
        if self._open and isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape:
            self._until, self._open = len(self._moves), self._open - 1

    def attended(self) -> None:
        """Take note of an attention call. What moves after the last one, and the sums that take it in, is no token of a map."""
        self._until, self._open = len(self._moves), AFTER

    @property
    def digest(self) -> int:
        return hash(tuple(self._moves[: self._until]))


def _chooses_tokens(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether `where` chooses between two tensors, alike for all features. Masks, and activations written out, do not."""
    parts = [part for part in (*args, *kwargs.values()) if isinstance(part, Tensor)]
    condition = next((part for part in parts if part.dtype == torch.bool), None)
    values = [part.numel() for part in parts if part is not condition]
    if condition is None or len(values) < 2 or min(values) < 2:
        return False
    axes = {-1, min(1, condition.ndim - 1)} if condition.ndim else set()
    same = any(bool((condition == condition.narrow(axis, 0, 1)).all()) for axis in axes)
    return condition.numel() < min(values) or same


def _noted(value: Any) -> Hashable:
    if isinstance(value, Tensor):
        # Of what is moved, the values differ from picture to picture. Of what says where to, they are the move itself.
        return None if value.is_floating_point() or value.is_complex() else _hash(value)
    if isinstance(value, (tuple, list)):
        return tuple(_noted(one) for one in value)
    if isinstance(value, dict):
        return tuple((name, _noted(one)) for name, one in value.items())
    if isinstance(value, slice):
        return "slice", _noted(value.start), _noted(value.stop), _noted(value.step)
    return value if isinstance(value, (int, str, float)) else repr(value) if value is None or value is ... else None


def _hash(indices: Tensor) -> int:
    version = -1 if indices.is_inference() else indices._version
    before: tuple[int, int] | None = _hashes.get(indices)
    # Not in inference mode, where nobody counts writes: there the indices are read each time.
    if before is not None and before[0] == version >= 0:
        return before[1]
    try:
        found = hash((tuple(indices.shape), indices.detach().cpu().numpy().tobytes()))
    except (RuntimeError, TypeError):  # of no memory that could be read, as inside of torch.vmap
        found = hash(str(indices))
    _hashes[indices] = version, found
    return found
