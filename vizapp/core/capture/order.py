"""How a pass moved its tokens: a few bytes that differ where another pass moved them otherwise.

Where tokens stand is worked out once (`survey`). A network whose order hangs on a threshold of the picture, on a parameter that
is trained, or on a number in somebody's configuration, may move them otherwise in the very pass that a map comes from. So that
pass notes what was rolled, picked and reshaped by how much, and by which indices, up to its last attention.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops

MOVES = ops.functions(ops.MOVES - ops.JOINS)

_hashes = (
    WeakTensorKeyDictionary()
)  # of index tensors that stay, such as buffers: how often each was written to, and its hash


class Order:
    """Told of each function in `MOVES`, and of each attention call."""

    def __init__(self) -> None:
        self._moves: list[Hashable] = []
        self._until = 0

    def moved(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note a function that moves values, before it runs."""
        self._moves.append((ops.name_of(func), _noted(args), _noted(kwargs)))

    def attended(self) -> None:
        """What comes after the last attention moves no tokens of a map."""
        self._until = len(self._moves)

    @property
    def digest(self) -> int:
        return hash(tuple(self._moves[: self._until]))


def _noted(value: Any) -> Hashable:
    if isinstance(value, Tensor):
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
    if before is not None and before[0] == version >= 0:
        return before[1]
    try:
        found = hash((tuple(indices.shape), indices.detach().cpu().numpy().tobytes()))
    except (RuntimeError, TypeError):  # of no memory that could be read, as inside of torch.vmap
        found = hash(str(indices))
    _hashes[indices] = version, found
    return found
