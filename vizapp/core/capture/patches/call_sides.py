"""Follow the sides of a call: where its values are from, what they were mixed with, and where its output goes.

Keys say where a query looks, but what it gets are values. Values may be in another order than keys, or be mixtures of several
patches (a blur, a convolution) where keys are not. Places tell the order. Each mixture is noted as it is made: values are "mixed"
if they went through one that their keys did not go through, nor one just like it.
"""

from collections import Counter
from collections.abc import Hashable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.attention.sides import Side
from vizapp.core.capture.call import Call
from vizapp.core.capture.einsum_labels import einsum_labels
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import STEP, changes, vary
from vizapp.core.capture.patches.row_tangents import Rows, RowTangents

_OPTIONS = ("stride", "padding", "dilation", "groups")  # of a convolution, after its input, its weights and its bias


class CallSides(TokenCoordinates):
    """Coordinates that also follow values through what mixes them, and the rows of each call to where they are added."""

    def __init__(self, pixels: Tensor) -> None:
        super().__init__(pixels)
        self._tangents: dict[int, RowTangents] = {}
        self._sounding: list[RowTangents] = []
        self._mixtures: list[Hashable] = []  # what each was made by
        self._mixed = WeakTensorKeyDictionary()  # the mixtures that a tensor went through, as bits
        self._born = WeakTensorKeyDictionary()  # how many calls had been seen when it was made
        self._n_seen = 0
        self._n_mixtures = 0  # how many had been made by then

    def place(self, ran: FunctionCall, result: object) -> None:
        """Give `result` its places, note what it was mixed of, and follow the rows that are on their way."""
        super().place(ran, result)
        name, given = ran.name, ran.given
        made = [part for part in flat(result) if isinstance(part, Tensor) and part.is_floating_point()]
        if not given or name in ops.FRESH or not any(one in self._stems for one in given):
            return
        self._note(ran, made)
        self._sounding = [one for one in self._sounding if not one.is_over]
        for tangents in self._sounding:
            there = partial(self._was_there, tangents.number)
            tangents.listen(ran, result, self, there)

    # ------------------------------------------------------------------------------------------------ values

    def values(self, v: Tensor, features: int, beside: Tensor) -> tuple[Tensor | None, Side]:
        """Find the places (..., key, 2) of the values `v`, whose axis `features` is -1 or -2, and how far they were followed.

        beside  what went through the mixtures that belong to the tokens: the keys, or a map that was made of them
        The places are None where a value has no one place, or ("lost") where nothing tells.
        """
        places = self.of(v)
        if places is None:
            return None, "lost"
        # One place for all features of a token, or none for all: a token that is half learned is a mixture.
        low = places.nan_to_num(nan=torch.inf).amin(features - 1)
        high = places.nan_to_num(nan=-torch.inf).amax(features - 1)
        some = places.isnan().any(features - 1) & ~places.isnan().all(features - 1)
        # No weight is spread over the patches of a mixture: the network never computes that product (decision 0007).
        if bool(some.any()) or bool(((high - low) > STEP).any()):
            return None, "mixed"
        places = torch.where(low.isinf(), torch.nan, low)
        # A map that the network learned as it is went through nothing, not even what cut the patches. So what the values went
        # through since the last call counts.
        if beside not in self._stems:
            return places, "mixed" if self._mixed_since(v) else "followed"
        # A pair of blurs, one for keys and one for values, that are made alike puts both to the same patches: it cancels out.
        return places, "mixed" if self.mix(v, beside) else "followed"

    def _mixed_since(self, v: Tensor) -> bool:
        """Tell whether `v` went through a mixture since the last call; before the first, through one that cuts no patches."""
        own, first = self._mixed.get(v, 0), not self._n_seen
        return any(
            own >> number & 1 and (_keeps(kind) if first else number >= self._n_mixtures)
            for number, kind in enumerate(self._mixtures)
        )

    def mix(self, one: Tensor, other: Tensor) -> bool:
        """Tell whether `one` went through a mixture that `other` did not go through, nor one just like it."""
        own, others = self._mixed.get(one, 0), self._mixed.get(other, 0)
        return bool(self._kinds(own & ~others) - self._kinds(others & ~own))

    def merges(self, tensor: Tensor) -> int:
        """Tell which mixtures a tensor went through that may make fewer tokens of many, as bits."""
        mixed = self._mixed.get(tensor, 0)
        return sum(
            1 << number for number, kind in enumerate(self._mixtures) if mixed >> number & 1 and not _keeps(kind)
        )

    def _kinds(self, mixtures: int) -> Counter[Hashable]:
        return Counter(kind for number, kind in enumerate(self._mixtures) if mixtures >> number & 1)

    def _note(self, ran: FunctionCall, made: list[Tensor]) -> None:
        name, given, mixed = ran.name, ran.given, 0
        for one in given:
            mixed |= self._mixed.get(one, 0)
        if made and (kind := self._mixes_by(ran, made[0])) is not None:
            mixed |= 1 << len(self._mixtures)
            self._mixtures.append(kind)
        # What is only moved was there as long as what it is made of: a view of the stream is no newer than the stream.
        moves = name in ops.MOVES | ops.CASTS | ops.IDENTITY
        born = max(self._born.get(one, 0) for one in given) if moves else self._n_seen
        for part in given[:1] if name in ops.WRITES else made:
            self._born.setdefault(part, born)
            if mixed:
                self._mixed[part] = mixed

    def _mixes_by(self, ran: FunctionCall, made: Tensor) -> tuple[Any, ...] | None:
        """Tell by what a function mixes places, the same for two that do it alike; None if it mixes none."""
        name, args, kwargs, given = ran.name, ran.args, ran.kwargs, ran.given
        if name in ops.CONVOLUTIONS:
            weight = kwargs["weight"] if "weight" in kwargs else args[1]
            options = dict(zip(_OPTIONS, args[3:], strict=False)) | {k: kwargs[k] for k in _OPTIONS if k in kwargs}
            kernel = tuple(weight.shape[2:])
            # Without the groups: a depthwise blur of keys and a full one of values mix the same patches.
            how = tuple(str(options.get(each)) for each in _OPTIONS[:3])
            return (name, kernel, how) if max(kernel, default=1) > 1 else None
        if name in ops.POOLS | ops.RESIZES:
            return name, tuple(made.shape[2:])
        if name in ops.REDUCTIONS:
            spelt = dict(zip(("input", "dim"), args, strict=False)) | kwargs
            dim = spelt.get("dim", spelt.get("axis"))
            axes = range(given[0].ndim) if not isinstance(dim, (int, tuple, list)) else flat([dim])
            return (name, tuple(axes)) if self.vary(given[0], tuple(axes)) else None
        if name in ops.LINEAR:
            return (name, tuple(made.shape)) if self.vary(given[0], (-1,)) else None
        if name in ops.MATMUL | ops.EINSUM and sum(one in self._stems for one in given) == 1:
            return (name, tuple(made.shape)) if self._sums_places(ran) else None
        return None

    def _sums_places(self, ran: FunctionCall) -> bool:
        """Tell whether a product with weights that do not stem from the picture sums over an axis along which places change."""
        if ran.name in ops.EINSUM:
            labels, out, operands = einsum_labels(ran.args) or ([], "", [])
            return any(
                self.vary(one, tuple(axis for axis, label in enumerate(each) if label not in out))
                for each, one in zip(labels, operands, strict=True)
            )
        left, right = ran.given[:2]
        return self.vary(left, (-1,)) or (right.ndim > 1 and self.vary(right, (-2,)))

    def vary(self, tensor: Tensor, axes: tuple[int, ...]) -> bool:
        """Tell whether places change along any of these axes, among the values that have one."""
        planes = self.planes(tensor)
        return planes is not None and vary(planes, axes)

    # -------------------------------------------------------------------------------------------------- rows

    def began(self, call: Call, *sides: Tensor) -> None:
        """Note a call that was seen, made of `sides`; the rows that it is made of are at their end."""
        # Without a residual sum there is no place to land: the next attention goes on with what the last one gave.
        self._sounding = [one for one in self._sounding if not one.asked(sides)]
        places = call.query_places
        if places is not None and bool(places.isfinite().any()):
            self._stands_with_keys(call, places, call.key_places)

    def sound(self, call: Call, axes: AxisLayout) -> None:
        """Listen from here on for the rows of `call`, which is read as `axes`."""
        if axes.kind == "tokens":
            one = self._tangents[call.number] = RowTangents(call, axes)
            self._sounding.append(one)

    def rows(self, number: int) -> Rows | None:
        """Tell where the rows of a call are heard, by its number; None if nobody listened."""
        return self._tangents[number].rows if number in self._tangents else None

    def _was_there(self, number: int, tensor: Tensor) -> bool:
        return bool(self._born.get(tensor, 0) <= number)

    def _stands_with_keys(self, call: Call, queries: Tensor, keys: Tensor | None) -> None:
        """Put the output where the keys stand, if queries were made from the middle of their window (see `arrange`)."""
        if keys is None or queries.shape != keys.shape or changes(queries, -2) or not changes(keys, -2):
            return
        there = keys.isfinite().all(-1, keepdim=True).expand(call.output.shape).float()
        y, x = (keys[..., axis, None].nan_to_num().expand(call.output.shape) for axis in range(2))
        y, x, w = map(call.in_result, (y, x, there))
        self._known[call.result] = (y, x, w)

    def mark(self, output: Tensor, number: int) -> None:
        super().mark(output, number)
        self._n_seen, self._n_mixtures = number + 1, len(self._mixtures)


def _keeps(kind: Any) -> bool:
    """Tell whether a mixture of this kind (`_mixes_by`) gives as many tokens as it takes."""
    name, *_, how = kind
    return name in ops.CONVOLUTIONS and not set(str(how[0])) & set("23456789")
