"""Where on the picture does a token stand? Found by sending coordinates through the network's own reshapes.

Every tensor that stems from the picture gets three planes of its own shape, homogeneous coordinates (y w, x w, w) in
model pixels: what a value stands for is the point (y, x), or nowhere where w is 0. The planes follow the forward pass:
what moves values (reshape, roll, pad, window partition, ...) moves the planes likewise; what mixes values (linear,
convolution, pooling, attention) takes their mean; what works on each value alone leaves them. Padding and learned tokens
(CLS, registers) begin with w = 0. So windows, their shifts, their padding, merged patches, strided stems and the order of
the tokens need not be known: the network tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.apart import pitch, stand_apart, still
from vizapp.core.capture.contracted import is_constant, of_einsum, of_product
from vizapp.core.capture.kernels import Planes, convolved, is_quantised_linear, normal, pooled
from vizapp.core.capture.written import Writings

_MIXES = ops.CONVOLUTIONS | ops.POOLS | ops.REDUCTIONS | ops.RESIZES
_PRODUCTS = ops.MATMUL | ops.ADDED_MATMUL | ops.EINSUM
MOST = 0.6  # of the picture's height and width: a mean over more than that is a summary, not a place


class TokenCoordinates:
    """Coordinates of every tensor that stems from `pixels` (1, 3, h, w)."""

    def __init__(self, pixels: Tensor) -> None:
        # Weak: intermediate results die during the pass as they would without us, and an id is never taken for another's.
        self._known = WeakTensorKeyDictionary()
        self._mixes = WeakTensorKeyDictionary()  # through how many convolutions and the like a place came
        self._built_on = WeakTensorKeyDictionary()  # numbers of attention calls, as bits, that a tensor was made from
        # In pixels: how far a place may be off where it was resized; infinite where it is a query's, which looked all over.
        self._rough = WeakTensorKeyDictionary()
        self._stems = WeakTensorKeyDictionary()  # what stems from the picture, also where its places were lost
        self._stems[pixels] = True
        # What was placed, or made of what was, and is no longer; masks tell nothing.
        self._lost = WeakTensorKeyDictionary()
        self._writings = Writings()
        height, width = self.extent = (pixels.shape[-2], pixels.shape[-1])
        # In float32 even for a network in half precision, where coordinates above 1024 would be rounded.
        y = torch.arange(height, device=pixels.device).float()[:, None].add(0.5).expand(pixels.shape)
        x = torch.arange(width, device=pixels.device).float().add(0.5).expand(pixels.shape)
        self._known[pixels] = (y, x, torch.ones_like(y))

    def of(self, tensor: Tensor) -> Tensor | None:
        """(*tensor.shape, 2) y and x in model pixels, NaN where a value stands for no place; None if nothing is known."""
        planes = self.planes(tensor)
        if planes is None:
            return None
        y, x, w = planes
        return torch.stack([torch.where(w > 0, y / w, torch.nan), torch.where(w > 0, x / w, torch.nan)], -1)

    def along(self, tensor: Tensor, features: int) -> Tensor | None:
        """(..., token, 2): y and x of each token of `tensor`, whose axis `features` is -1 or -2.

        NaN for tokens that stem from no place of the picture (learned ones, padding), infinite for those that stem from
        one which was lost sight of; None where a token has no single place, because places lie along its features.
        """
        planes = self.planes(tensor)
        if planes is None:
            # Never touched by the picture: learned queries, a CLS token on its own.
            nowhere = torch.inf if self.is_lost(tensor) else torch.nan
            return torch.full((*tensor.select(features, 0).shape, 2), nowhere, device=tensor.device)
        # Of channel attention (XCiT), q is transposed: along its last axis lie places, so its "tokens" are features.
        if not all(is_constant(plane, features) for plane in planes):
            return None
        places = self.of(tensor)
        assert places is not None
        return places.select(features - 1, 0)

    def built_on(self, *tensors: Tensor | None) -> int:
        """The attention calls that these tensors were made from: bit i for the call that was marked with i."""
        calls = 0
        for tensor in tensors:
            calls |= self._built_on.get(tensor, 0) if tensor is not None else 0
        return calls

    def mark(self, output: Tensor, number: int) -> None:
        """From here on, what is made from `output` is built on the attention call `number`."""
        self._built_on[output] = self.built_on(output) | 1 << number

    def replaced(self, old: Tensor, new: Tensor) -> None:
        """`new` takes the place of `old` in the pass, each value for its value: it stands where that stood."""
        if (planes := self.planes(old)) is not None:
            self._known[new] = planes
        for marks in (self._stems, self._lost):
            if old in marks:
                marks[new] = True
        if calls := self.built_on(old):
            self._built_on[new] = calls

    def origin(self, rows: Tensor, *others: Tensor) -> dict[str, Any]:
        """`built_on` and `from_picture` of a `Call`, whose queries are `rows`."""
        from_picture = self.planes(rows) is not None or self.is_lost(rows) or bool(self.built_on(rows))
        return {"built_on": self.built_on(rows, *others), "from_picture": from_picture}

    def attended(
        self, output: Tensor, *, query_places: Tensor | None, key_places: Tensor | None, own: Any = None, **others: Any
    ) -> None:
        """Attention made `output` for such queries (see `Call`): those that stand nowhere get no place from what they look at."""
        if query_places is None or not bool(query_places.isnan().all()):
            return
        # Of a square map that was found whole nothing tells whether learned queries made it, or patches and it is turned over.
        if "matrix" in others and key_places is not None and query_places.shape == key_places.shape:
            return
        made = own.tensor if own is not None else output
        self._known[made] = (torch.zeros(made.shape, device=made.device),) * 3

    def passed(self, module: nn.Module, inputs: object, output: object) -> None:
        """A module was passed: what it did in ways that no function shows (compiled code) is at least built on its inputs."""
        if is_quantised_linear(module):
            self.follow(F.linear, tuple(flat(inputs)), {}, output)
        calls = self.built_on(*(part for part in flat(inputs) if isinstance(part, Tensor)))
        for part in flat(output):
            if calls and isinstance(part, Tensor) and not self.built_on(part):
                self._built_on[part] = calls

    def knows(self, tensor: object) -> bool:
        """Was it made from the picture, as far as could be followed?"""
        return self.planes(tensor) is not None or (isinstance(tensor, Tensor) and bool(self.built_on(tensor)))

    def planes(self, tensor: object) -> Planes | None:
        """The three planes (y w, x w, w) of a tensor, each of its shape; None if it does not stem from the picture."""
        if not isinstance(tensor, Tensor):
            return None
        found: Planes | None = self._known.get(tensor)
        return self._writings.read(tensor) if found is None else found

    def is_lost(self, tensor: Tensor) -> bool:
        """Does it stem from places of the picture, and nothing tells any more from which?"""
        return tensor in self._lost and tensor.is_floating_point() and self.planes(tensor) is None

    def _tells(self, tensor: Tensor) -> bool:
        """Is it placed, or was it?"""
        return tensor in self._lost or self.planes(tensor) is not None

    def follow(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object) -> None:
        """Give `result` = func(*args, **kwargs) its places, if an argument has any.

        Where what the function does to them is not known, they are lost: better no place than a wrong one. What attends with
        such a tensor is "unplaced", and named with that reason.
        """
        name = ops.name_of(func)
        given = [part for part in flat((args, kwargs)) if isinstance(part, Tensor)]
        calls = self.built_on(*given)
        if calls:
            for part in flat(args[0] if name in ops.WRITES else result):
                if isinstance(part, Tensor):
                    self._built_on[part] = calls
        for part in given:  # a view of memory that was written to
            if self._writings.touched(part):
                self._stems[part] = True
                if self._writings.read(part) is None:
                    self._lost[part] = True
        if name in ops.FRESH or not any(part in self._stems for part in given):
            return
        results = [part for part in flat(result) if isinstance(part, Tensor)]
        made = [part for part in results if part.is_floating_point()]
        if name in ops.SETTERS | ops.WRITES or (made and any(part is made[0] for part in given)):
            self._wrote(name, func, args, kwargs, given)
            return
        for part, places in zip(made, self._placed(name, func, args, kwargs, made), strict=False):
            # A shape that differs means that the operation was misread.
            if places is not None and all(plane.shape == part.shape for plane in places):
                # Where the tensor lies: a network may be spread over several devices.
                self._known[part] = tuple(plane.to(part.device) for plane in places)
        # Which values are picked tells nothing of where they stand.
        tell = any(
            self._tells(part) and (part.is_floating_point() or name not in ops.MOVES) for part in _lenders(name, given)
        )
        for part in results:
            self._stems[part] = True
            if tell and part.dtype != torch.bool and self.planes(part) is None:
                self._lost[part] = True

    def _placed(
        self, name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], made: list[Tensor]
    ) -> list[Planes | None]:
        """The planes of each tensor in `made`, as far as they are known."""
        given = _lenders(name, [part for part in flat((args, kwargs)) if isinstance(part, Tensor)])
        sources = [part for part in given if self.planes(part) is not None]
        lost = any(self.is_lost(part) for part in (given[:1] if name in ops.FIRST else given))
        if not made or not sources or (lost and name in ops.MOVES | ops.CHOICE | ops.RESIZES | ops.FIRST):
            return []
        try:
            planes = self._moved(name, func, args, kwargs, made[0], sources)
            for part in made:
                self._mixes[part] = self._straightest(sources, name) + (name in _MIXES)
                self._rough[part] = self._roughness(given, name)
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
            return []  # called in a way that the planes cannot follow
        return planes

    def _wrote(
        self, name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], given: list[Tensor]
    ) -> None:
        """A function wrote into a tensor that was there, or handed it on as it is."""
        self._stems[given[0]] = True
        if not any(map(self._tells, given)):
            return  # a mask that the picture made
        target, bare = given[0], ops.out_of_place(name)
        old, planes = self.planes(target), None
        base = target if target._base is None else target._base
        if "out" in kwargs:
            target = kwargs["out"]
        elif name in ops.WRITES:
            planes = self._set_item(*args)
        elif name in ops.SETTERS:
            if getattr(func.__self__, "__name__", "") == "data":  # type: ignore[attr-defined]
                self._known.pop(target, None)
                if (planes := self.planes(args[1])) is not None:
                    self._known[target] = planes
                elif self.is_lost(args[1]):
                    self._lost[target] = True
            return
        elif bare == name:  # it had nothing to do, such as `contiguous`
            return
        elif ops.is_value_wise(name):
            [planes] = self._placed(bare, func, args, kwargs, [target]) or [None]
            if planes is not None and old is not None:
                return  # relu_, mul_: values stay where they are
        elif name in ops.COPY:
            value = args[1]
            planes = self._values(value, target) if not self.is_lost(value) else None
        elif bare in ops.MOVES:
            moved = self._placed(bare, getattr(Tensor, bare), args, kwargs, [target])
            planes = moved[0] if moved else None
            if bare in ops.RESHAPES:  # transpose_: its memory stays as it is
                self._known.pop(target, None)
                if planes is not None:
                    self._known[target] = planes
                return
        if planes is not None and (self.is_lost(base) or any(plane.shape != target.shape for plane in planes)):
            planes = None
        self._stems[base] = self._stems[target] = True
        for part in () if planes is not None else (base, target):
            self._lost[part] = True
        self._writings.write(target, planes, self._known)

    def _values(self, value: Tensor, target: Tensor) -> Planes:
        """The planes of a value that is written into `target`; learned ones stand nowhere."""
        y, x, w = (self._plane(value, index).expand(target.shape) for index in range(3))
        return y, x, w

    def _moved(
        self,
        name: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        made: Tensor,
        sources: list[Any],
    ) -> list[Planes | None]:
        """The planes of each tensor in `made`, by what the operation does; `sources` are the arguments that have planes."""
        first = self.planes(sources[0])
        assert first is not None
        if name == "pad":  # with zeros, also where the network pads with -inf: w = 0 is nowhere
            args, kwargs = args[:3], {key: value for key, value in kwargs.items() if key != "value"}
        if name in ops.MOVES:
            # The same call on each plane: windows, shifts and merged patches need no understanding, only repetition.
            moved = [flat(func(*self._plane(args, i), **self._plane(kwargs, i))) for i in range(3)]
            return [tuple(planes) for planes in zip(*moved, strict=True)]
        lost = any(isinstance(part, Tensor) and self.is_lost(part) for part in flat(args))
        if name in ops.MATMUL:
            right = args[1] if len(args) > 1 else next(iter(kwargs.values()))
            if right.ndim == 1:
                return [self._reduced(first, (made, -1), {}) if sources[0] is args[0] else None]
            return [of_product(args[0], right, made, self.planes, lost=lost)]
        if name in ops.EINSUM:
            return [of_einsum(args, made, self.planes, lost=lost)]
        if name in ops.ADDED_MATMUL:
            return [of_product(args[1], args[2], made, self.planes, lost=lost)]
        if name in ops.LINEAR or name in ops.FUSED_ATTENTION:
            # A linear map mixes features of one token. What attention gives a query is the query's, wherever it looked:
            # the residual stream goes on at the query's place. Either way: the first argument's mean over features.
            return [tuple(plane.mean(-1, keepdim=True).expand(made.shape) for plane in normal(first))]  # type: ignore[list-item]
        if name in ops.CONVOLUTIONS:
            return [convolved(getattr(F, name), first, args, kwargs, made)]
        if name in ops.POOLS:
            return [pooled(name, first, args, kwargs, made)]
        if name in ops.REDUCTIONS:
            return [self._reduced(first, args, kwargs)]
        if name in ops.RESIZES:
            return [tuple(func(plane, *args[1:], **kwargs) for plane in first)]
        if name in ops.CHOICE and len(sources) > 1:
            y, x, w = (func(*self._plane(args, i), **self._plane(kwargs, i)) for i in range(3))
            return [(y, x, w)]
        if ops.is_value_wise(name):
            return [self._stays(name, sources, args, made)]
        return []

    def _stays(self, name: str, sources: list[Any], args: tuple[Any, ...], made: Tensor) -> Planes | None:
        """Value by value (norms, activations, sums): a value stays where it is.

        With several sources, the one that was not broadcast tells; x + position embedding is x's, since only x stems from the
        picture. Of a sum, it is the one that came most straightly: a branch with a kernel of even length ends between two
        pixels, the skip does not. Sources that stand for different tokens are mixed: nothing tells for which the result does.
        """
        whole = [source for source in sources if source.shape == made.shape]
        if not whole:
            if any(isinstance(part, Tensor) and part.shape == made.shape and self.is_lost(part) for part in args):
                return None
            return tuple(plane.expand(made.shape) for plane in self.planes(sources[0]))  # type: ignore[union-attr,return-value]
        planes = [its for source in whole if (its := self.planes(source)) is not None]
        if len({id(one) for one in planes}) == 1 or all(_equal(one, planes[0]) for one in planes[1:]):
            return planes[0]
        rough = [self._rough.get(source, 0.0) for source in whole]
        mixes = [self._mixes.get(source, 0) if name in ops.PLUS else 0 for source in whole]
        every = zip(map(still, planes), (one == math.inf for one in rough), mixes, range(len(whole)), strict=True)
        best = min(every)[-1]
        # Of a query and what it found the one that did not look elsewhere tells; two that did can be compared.
        others = [i for i, one in enumerate(rough) if i != best and (one == math.inf) == (rough[best] == math.inf)]
        most = max(one if one < math.inf else 0.0 for one in rough)
        return None if any(self._apart(planes[best], planes[i], most) for i in others) else planes[best]

    @staticmethod
    def _apart(one: Planes, other: Planes, rough: float) -> bool:
        return stand_apart(one, other, rough)

    def _straightest(self, sources: list[Any], name: str) -> int:
        mixes = [self._mixes.get(source, 0) for source in sources]
        return min(mixes) if name in ops.PLUS else max(mixes)

    def _roughness(self, given: list[Tensor], name: str) -> float:
        """Of what a function makes of these tensors. What the picture weighs, or where it says to look, is a query's."""
        sources = [part for part in given if self.planes(part) is not None]
        rough = [self._rough.get(source, 0.0) for source in sources]
        by_picture = sum(part in self._stems for part in given) > 1
        if name in ops.FUSED_ATTENTION or (by_picture and name in _PRODUCTS | ops.RESIZES):
            return math.inf
        if name in ops.RESIZES and (planes := self.planes(sources[0])) is not None:
            rough.append(pitch(planes))
        return min(rough) if name in ops.PLUS else max(rough)

    def _reduced(self, planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Planes:
        """The mean place; but a mean over most of the picture, such as a pooled token, stands nowhere in particular."""
        given = dict(zip(("input", "dim", "keepdim"), args, strict=False)) | kwargs
        dim: Any = given.get("dim", given.get("axis"))
        keep = given.get("keepdim", False)
        y, x, w = (plane.mean(dim, keepdim=keep) for plane in normal(planes))
        here = torch.ones_like(w, dtype=torch.bool)
        # Only y and x have an extent: zip leaves the plane of w out.
        for plane, extent in zip(planes, self.extent, strict=False):
            span = plane.amax(dim, keepdim=keep) - plane.amin(dim, keepdim=keep)
            here &= span > MOST * extent  # a row of the picture is wide but not high: it still stands somewhere
        return y * ~here, x * ~here, w * ~here

    def _plane(self, value: Any, index: int) -> Any:
        """`value` with each tensor replaced by one of its planes; a tensor that stands nowhere by zeros."""
        if isinstance(value, Tensor):
            planes = self.planes(value)
            if planes is not None:
                return planes[index]
            return torch.zeros(value.shape, device=value.device) if value.is_floating_point() else value
        if isinstance(value, (tuple, list)):
            return type(value)(self._plane(part, index) for part in value)
        if isinstance(value, dict):
            return {name: self._plane(part, index) for name, part in value.items()}
        return value

    def _set_item(self, target: Tensor, where: Any, value: Any) -> Planes | None:
        if isinstance(value, Tensor) and self.is_lost(value):
            return None
        # New planes, not written in place: other tensors may share the old ones.
        y, x, w = fresh = tuple(self._plane(target, index).clone() for index in range(3))
        for index, plane in enumerate(fresh):
            placed = isinstance(value, Tensor) and value.is_floating_point()
            plane[where] = self._plane(value, index) if placed else 0.0  # a number stands nowhere
        return y, x, w


def _lenders(name: str, given: list[Tensor]) -> list[Tensor]:
    """The tensors whose values, and not only their shapes, are in the result of a function."""
    return given[:1] if name in ops.LIKE else given


def _equal(one: Planes, other: Planes) -> bool:
    return all(map(torch.equal, one, other))


def flat(value: object) -> list[Any]:
    """The leaves of nested tuples, lists and dicts, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flat(part)]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in flat(part)]
    return [value]
