"""Find calls that are one layer: heads that a network computes one after the other, and attention to what attention gave.

A loop over heads gives a call for each of them. What tells it from other attention that stands side by side (branches, maps
that are subtracted, one module on two inputs) is what becomes of the outputs: as they are, they are laid side by side as the
features of their tokens, and a call of another kind asks of another tensor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.call import Call
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import is_constant
from vizapp.core.capture.patches.window_calls import one_layer
from vizapp.core.capture.refusals.unseen_mixing import UnseenMixing

Groups = frozenset[tuple[str, ...]]

_SAME = ops.RESHAPES | ops.CASTS | ops.IDENTITY
_PARTS = _SAME | ops.PICKS | ops.REPEATS
# Padding joins with zeros, which are no head.
_JOINS = ops.JOINS - {"pad"}
_MAPS = ops.LINEAR | ops.CONVOLUTIONS
_PRODUCTS = ops.MATMUL | ops.ADDED_MATMUL | ops.EINSUM
_BARE = ops.MOVES | ops.CASTS | ops.IDENTITY | ops.SAME
_SCALED = ops.TIMES | ops.OVER  # by a number, or by what was learned


class _Head(NamedTuple):
    """A call that may be a head of a layer: the tensors that it asks of, by number, and the features that it gives a token."""

    name: str
    title: str
    number: int
    built_on: int
    asks: frozenset[int]
    width: int


class HeadGroups(UnseenMixing):
    """Coordinates that notice what `UnseenMixing` does, and which calls' outputs are laid side by side as features."""

    def __init__(self, pixels: Tensor, running: Callable[[], str]) -> None:
        super().__init__(pixels, running)
        self._heads: dict[str, _Head] = {}
        self._found: set[tuple[str, ...]] = set()
        # Titles of the calls whose outputs, and nothing else, a tensor is made of.
        self._holds = WeakTensorKeyDictionary()
        # Number of the tensor that another is a part of; and of those that linear maps made it from.
        self._root, self._asked = WeakTensorKeyDictionary(), WeakTensorKeyDictionary()
        self._n_roots = 0
        # Numbers of the calls, as bits, whose output a tensor is, moved at most; and those whose output a call weighed.
        self._bare = WeakTensorKeyDictionary()
        self._weighed: dict[int, int] = {}

    @property
    def groups(self) -> Groups:
        """List the titles of the calls that are the heads of one layer, in the order in which their outputs are joined."""
        # Heads that are joined in pairs, and these again: only the whole is the layer.
        whole = [one for one in self._found if not any(set(one) < set(other) for other in self._found)]
        return frozenset(one for one in whole if self._is_layer([self._heads[title] for title in one]))

    def began(self, call: Call, *sides: Tensor) -> None:
        super().began(call, *sides)
        # The last of the sides is the values.
        self._weighed[call.number] = self._bare.get(sides[-1], 0)

    def mark(self, output: Tensor, number: int) -> None:
        super().mark(output, number)
        self._bare[output] = 1 << number

    def weighs(self, number: int) -> int:
        """Tell the calls whose output, moved at most, are the values of call `number`: bit i for call i.

        The two are one attention, of which a network applies the product. Between layers there is a projection, or a residual.
        """
        return self._weighed.get(number, 0)

    def saw(self, call: Call, axes: AxisLayout) -> None:
        """Take a call of the pass, which is read as `axes`."""
        if axes.kind != "tokens" or axes.folded != (1, 1):
            return
        lead = call.output.shape[:-2]
        # Some are views that `SpelledAttention` made, and nothing is known of them.
        parts = [part for part in (call.q, call.k, call.matrix, call.v) if part is not None and part in self._stems]
        asks = frozenset[int]().union(*(self._asks(part) for part in parts))
        width = axes.n_heads(lead) * call.output.shape[-1]
        self._heads[call.title] = _Head(call.name, call.title, call.number, call.built_on, asks, width)
        self._holds[call.result] = (call.title,)

    def _notice(self, ran: FunctionCall, result: object) -> None:
        super()._notice(ran, result)
        name, given = ran.name, ran.given
        stems = [one for one in given if one in self._stems]
        made = [part for part in flat(result) if isinstance(part, Tensor)]
        if not stems or not made:
            return
        bare = 0
        for one in given if name in _BARE or (name in _SCALED and len(stems) == 1) else ():
            bare |= self._bare.get(one, 0)
        for part in made:
            self._trace_back(name, stems, part)
            if bare:
                self._bare[part] = bare
            else:
                self._bare.pop(part, None)  # a function that writes into what it is given
        if name in _SAME and len(made) == 1 and (held := self._holds.get(given[0])):
            self._hold(made[0], held)
        elif name in _JOINS and all(one in self._holds for one in given):
            self._hold(made[0], tuple(title for one in given for title in self._holds[one]))

    def _trace_back(self, name: str, stems: Sequence[Tensor], made: Tensor) -> None:
        # Heads are cut out of one projection, by slices: what they are cut from is one tensor, and has one number.
        if name in _PARTS:
            self._root[made] = self._number(stems[0])
        if name in _MAPS or (name in _PRODUCTS and len(stems) == 1):
            self._asked[made] = frozenset({self._number(stems[0])})
        elif name in _PRODUCTS:
            self._asked[made] = frozenset[int]().union(*map(self._asks, stems))
        elif asked := frozenset[int]().union(*(self._asked.get(one, frozenset()) for one in stems)):
            self._asked[made] = asked

    def _asks(self, tensor: Tensor) -> frozenset[int]:
        asked: frozenset[int] | None = self._asked.get(tensor)
        return asked or frozenset({self._number(tensor)})

    def _number(self, tensor: Tensor) -> int:
        if tensor not in self._root:
            self._n_roots += 1
            self._root[tensor] = self._n_roots
        found: int = self._root[tensor]
        return found

    def _hold(self, made: Tensor, titles: tuple[str, ...]) -> None:
        self._holds[made] = titles
        if len(titles) < 2 or len(set(titles)) < len(titles):
            return
        planes = self.planes(made)
        # Side by side as features: one place along the last axis, which is as long as those of all calls. Outputs that are
        # stacked to be summed, or joined token by token, do not come to that.
        wide = made.ndim and made.shape[-1] == sum(self._heads[title].width for title in titles)
        if wide and planes is not None and all(is_constant(plane, -1) for plane in planes):
            self._found.add(titles)

    def _is_layer(self, heads: Sequence[_Head]) -> bool:
        first, numbers = heads[0], sorted(one.number for one in heads)
        if not first.asks:
            return False
        every = sum(1 << number for number in numbers)
        if any(
            one.name != first.name or one.asks != first.asks or one.width != first.width or one.built_on & every
            for one in heads
        ):
            return False
        # A loop over heads runs them one right after the other.
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            return False
        # A call of the same module may stand beside them and not be joined with them. Nothing tells what it is for: it may be a
        # map that is subtracted later. Then they are no layer.
        titles = {one.title for one in heads}
        for other in self._heads.values():
            if other.name == first.name and other.title not in titles:
                below = any(one.built_on >> other.number & 1 for one in heads)
                if not below and not other.built_on & every:
                    return False
        return True


def layers_of(
    groups: Groups, layouts: Mapping[str, AxisLayout], shapes: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[str, ...]]:
    """Choose the groups whose calls have one shape, and the same tokens: titles by that of the first call."""
    found = {}
    for titles in groups:
        first = titles[0]
        same = all(
            shapes[title][1:] == shapes[first][1:] and _read_alike(layouts[title], layouts[first]) for title in titles
        )
        if same:
            # By the one that ran first, whatever place its head has: a layer has its place in the pass.
            found[min(titles, key=lambda title: layouts[title].number)] = titles
    return found


def _read_alike(one: AxisLayout, other: AxisLayout) -> bool:
    return (
        one.kind == other.kind == "tokens"
        and (one.heads, one.windows, one.folded) == (other.heads, other.windows, other.folded)
        and (one.layout, one.key_layout) == (other.layout, other.key_layout)
        and torch.equal(one.queries, other.queries)
        and torch.equal(one.keys, other.keys)
    )


def joined_axes(each: Sequence[AxisLayout], rank: int) -> AxisLayout:
    """Read `side_by_side` tensors of calls, which have `rank` axes before the last two and are read as `each` alone.

    The calls are the heads of one layer, or its windows.
    """
    return one_layer(each, rank) if each[0].is_part else replace(each[0], heads=(rank, *each[0].heads))


def side_by_side(tensors: Sequence[Tensor], lead: Sequence[int]) -> Tensor:
    """Stack a tensor (..., a, b) of each call, which may be broadcast to `lead`, to (*lead, call, a, b).

    Those of smaller windows are filled up with zeros.
    """
    a, b = (max(one.shape[axis] for one in tensors) for axis in (-2, -1))
    filled = [F.pad(one, (0, b - one.shape[-1], 0, a - one.shape[-2])) for one in tensors]
    return torch.stack([one.expand(*lead, a, b) for one in filled], -3)
