"""What weighs tokens in a way that no softmax tells of: sums over tokens, found by where tokens stand.

Attention is a product over an axis along which places change. Where both sides of such a product stem from the picture, and it
is no attention call that was seen, tokens were mixed by weights that nobody knows: sigmoid or ReLU attention, linear attention,
exp over its sum. The same holds for scores (each token with each other one) that never came to weigh values in a call. Weights
that do not stem from the picture mix tokens too (convolutions, pooling, Mixer's linear layers), the same for every picture: those
are no attention, and chains of layers pass them by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.apart import STEP
from vizapp.core.capture.contracted import is_constant, spell_out
from vizapp.core.capture.places import TokenCoordinates, flat

_PRODUCTS = ops.MATMUL | ops.ADDED_MATMUL | ops.EINSUM | ops.LINEAR
_TIMES = ops.TIMES | ops.TIMES_IN_PLACE
_STAYS = ops.MOVES | ops.CASTS | ops.IDENTITY
_SOFTENS = ops.SOFTMAX | ops.LOG_SOFTMAX


class _Factor(NamedTuple):
    """A factor of a product, its axes that are summed over, and those of the result that no other factor has."""

    tensor: Tensor
    summed: tuple[int, ...]
    own: tuple[int, ...]


class Mixing(TokenCoordinates):
    """Coordinates that also notice where tokens are weighed. `running` tells the module that runs now.

    Of each function, first the places of its result are known (`TokenCoordinates.follow`), then it is noticed what that means
    (`_notice`): the weighing here, and after it in `Joins` what is laid side by side.

    unexplained  the modules whose products of tokens belong to no attention call that was seen
    gathered     those of them that sum over tokens before any token asks: linear attention
    """

    def __init__(self, pixels: Tensor, running: Callable[[], str]) -> None:
        super().__init__(pixels)
        self._running = running
        self._suspects: dict[int, tuple[str, bool]] = {}  # the module, and whether it gathers
        self._n = 0
        self._calls_before: dict[int, int] = {}  # how many attention calls had been seen
        self._n_calls = 0
        # Numbers of suspects that a tensor is made of, value by value: before a softmax, and behind one.
        self._raw, self._softened = WeakTensorKeyDictionary(), WeakTensorKeyDictionary()
        # What comes out of a softmax, and what was multiplied by that, value by value: a product may be spelt out.
        self._shares, self._weighed = WeakTensorKeyDictionary(), WeakTensorKeyDictionary()
        self._last: tuple[list[Tensor], int | None] = [], None

    @property
    def unexplained(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self._suspects.values()))

    @property
    def gathered(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, gathers in self._suspects.values() if gathers))

    @property
    def behind(self) -> int:
        """How many attention calls had been seen when the last of the unexplained ran; 0 where there is none."""
        return max((self._calls_before[number] for number in self._suspects), default=0)

    def follow(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object) -> None:
        """Give `result` its places, and notice what is made of it."""
        with _disable_current_modes():  # whoever counts what the network runs (`Softmaxes`) need not hear of all this
            super().follow(func, args, kwargs, result)
            self._notice(func, args, kwargs, result)

    def _notice(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object) -> None:
        """Look at what was multiplied with what; `result` has its places already."""
        given = [part for part in flat((args, kwargs)) if isinstance(part, Tensor)]
        if not any(one in self._stems for one in given):
            return
        name = ops.name_of(func)
        made = [part for part in flat(args[0] if name in ops.WRITES else result) if isinstance(part, Tensor)]
        if name in ops.FUSED_ATTENTION:
            self._last = given, None
        elif name in _PRODUCTS and (factors := _factors(name, args, kwargs)):
            factors = [one for one in factors if one.tensor in self._stems]
            if len(factors) > 1:
                self._last = given, self._judged(factors, made[0])
            elif name in ops.LINEAR:
                self._hand_on(name, given, made)  # talking heads
        else:
            if name in ops.SUM | ops.MEAN:
                self._last = given, self._summed(given[0], args, kwargs)
            self._hand_on(name, given, made)

    def mark(self, output: Tensor, number: int) -> None:
        """An attention call was seen: it explains its own product, and the scores under its softmax."""
        super().mark(output, number)
        self._n_calls = number + 1
        given, raised = self._last
        for suspect in (raised, *(one for tensor in given for one in self._softened.get(tensor, ()))):
            if suspect is not None:
                self._suspects.pop(suspect, None)

    def _judged(self, factors: list[_Factor], made: Tensor) -> int | None:
        """The number of a new suspect, if tokens are compared or summed over here; its result is followed to a softmax."""
        lost = any(self.planes(one.tensor) is None for one in factors)
        over_tokens = any(self._vary(one.tensor, one.summed) for one in factors)
        tokens = [self._vary(one.tensor, one.own) for one in factors]
        if not (lost or over_tokens or sum(tokens) > 1):
            return None
        number = self._suspect(gathers=over_tokens and not any(tokens))
        # Scores, and sums over all tokens (of channels with channels), may still come to weigh something in a call. What
        # attention gives to tokens may not.
        if lost or not (over_tokens and any(tokens)):
            self._raw[made] = frozenset({number})
        return number

    def _summed(self, tensor: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The number of a new suspect, if values that were multiplied by a softmax are summed over tokens here."""
        given = dict(zip(("input", "dim"), args, strict=False)) | kwargs
        dim = given.get("dim", given.get("axis"))
        if tensor not in self._weighed or dim is None:
            return None
        return (
            self._suspect(gathers=True) if self._vary(tensor, (dim,) if isinstance(dim, int) else tuple(dim)) else None
        )

    def _suspect(self, *, gathers: bool) -> int:
        self._n += 1
        self._suspects[self._n] = self._running(), gathers
        self._calls_before[self._n] = self._n_calls
        return self._n

    def _vary(self, tensor: Tensor, axes: tuple[int, ...]) -> bool:
        """Do places change along any of these axes, among the values that have one?"""
        planes = self.planes(tensor)
        if planes is None:
            return False
        y, x, w = planes
        for axis in axes:
            for plane in (y, x):
                if is_constant(plane, axis):
                    continue
                # Convolutions leave channels of one pixel a hair apart; what was padded stands nowhere.
                low = torch.where(w > 0, plane / w, torch.inf).amin(axis)
                high = torch.where(w > 0, plane / w, -torch.inf).amax(axis)
                if bool((high - low > STEP).any()):
                    return True
        return False

    def _hand_on(self, name: str, given: list[Tensor], made: list[Tensor]) -> None:
        shares = [one in self._shares for one in given]
        stems = all(one in self._stems for one in given)
        times = name in _TIMES and any(shares) and stems and not all(shares)
        for part in made:
            if times or (name in ops.RESHAPES and given[0] in self._weighed):
                self._weighed[part] = True
            elif name in _SOFTENS or all(shares) or (any(shares) and name in _STAYS):
                self._shares[part] = True
            for old in given:
                # Scores stay scores as long as none is summed away.
                if part.numel() < old.numel() and name not in ops.PICKS:
                    continue
                raw, softened = self._raw.get(old), self._softened.get(old)
                if raw and name not in _SOFTENS:
                    self._raw[part] = self._raw.get(part, frozenset()) | raw
                if softened or (raw and name in _SOFTENS):
                    both = (softened or frozenset()) | (raw if raw and name in _SOFTENS else frozenset())
                    self._softened[part] = self._softened.get(part, frozenset()) | both


def _factors(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[_Factor]:
    """The factors of a product; none where it cannot be read."""
    if name in ops.EINSUM:
        spelt = spell_out(args)
        if spelt is None:
            return []
        labels, out, operands = spelt
        found = []
        for number, (own, operand) in enumerate(zip(labels, operands, strict=True)):
            others = "".join(labels[:number] + labels[number + 1 :])
            summed = tuple(axis for axis, label in enumerate(own) if label not in out)
            alone = tuple(axis for axis, label in enumerate(own) if label in out and label not in others)
            found.append(_Factor(operand, summed, alone))
        return found
    parts = [part for part in flat((args, kwargs)) if isinstance(part, Tensor)]
    if len(parts) < 2:  # a quantised layer keeps its weights to itself
        return []
    left, right = parts[1:3] if name in ops.ADDED_MATMUL else parts[:2]
    if left.ndim < 2 or right.ndim < 2:
        return []
    turned = name in ops.LINEAR  # left @ right^T
    return [_Factor(left, (-1,), (-2,)), _Factor(right, (-1,), (-2,)) if turned else _Factor(right, (-2,), (-1,))]
