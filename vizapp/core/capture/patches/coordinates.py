"""Find where on the picture each token stands, by sending coordinates through the network's own reshapes.

Every tensor that stems from the picture gets three planes of its own shape, homogeneous coordinates (y w, x w, w) in
model pixels: a value stands for the point (y, x), or for none where w is 0. The planes follow the forward pass. A function that
moves values (reshape, roll, pad, window partition, ...) moves the planes likewise. One that mixes values (linear, convolution,
pooling, attention) takes the mean of their places. One that works on each value alone leaves them. Padding and learned tokens
(CLS, registers) begin with w = 0. So nobody needs to know windows, their shifts, their padding, merged patches, strided stems or
the order of the tokens: the network tells.

Places are lost rather than guessed. A value has its place only if each function on its way is one that is known here.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core import ops
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.convolutions import convolved, folded, is_quantised_linear, pooled
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.known_places import KnownPlaces
from vizapp.core.capture.patches.planes import Planes, normal, pitch, stand_apart, still
from vizapp.core.capture.patches.products import of_einsum, of_product
from vizapp.core.modes import own_precision

# How many of these a value came through tells the branch from the skip connection where the two are added (`_stays`).
_MIXES = ops.CONVOLUTIONS | ops.POOLS | ops.REDUCTIONS | ops.RESIZES
_PRODUCTS = ops.MATMUL | ops.ADDED_MATMUL | ops.EINSUM
MOST = 0.6  # of the picture's height and width: a mean over more than that is a summary, not a place


class TokenCoordinates(KnownPlaces):
    """Coordinates of every tensor that stems from the picture, sent through each function that the network calls."""

    def attended(
        self, output: Tensor, *, query_places: Tensor | None, key_places: Tensor | None, own: Any = None, **others: Any
    ) -> None:
        """Take the places from what attention made for queries that stand nowhere (see `Call` for the arguments).

        `follow` has given `output` the mean place of all that the queries looked at. A learned query is not there.
        """
        if query_places is None or not bool(query_places.isnan().all()):
            return
        # A square map that was found whole may be one of learned queries, or one of patches that is turned over: nothing tells.
        if "matrix" in others and key_places is not None and query_places.shape == key_places.shape:
            return
        made = own.tensor if own is not None else output
        self._known[made] = (torch.zeros(made.shape, device=made.device),) * 3

    def passed(self, module: nn.Module, inputs: object, output: object) -> None:
        """Note that a module was passed: its output is built on its inputs, even if compiled code hid the functions."""
        # As if `F.linear` had run: the planes go by features alone, and its weights are of no interest to them.
        if is_quantised_linear(module):
            self.follow(F.linear, tuple(flat(inputs)), {}, output)
        calls = self.built_on(*(part for part in flat(inputs) if isinstance(part, Tensor)))
        for part in flat(output):
            if calls and isinstance(part, Tensor) and not self.built_on(part):
                self._built_on[part] = calls

    def follow(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object) -> None:
        """Give `result` = func(*args, **kwargs) its places, if an argument has any.

        A network may work in autocast. Places that were rounded to half precision would be those of neighbours.
        """
        with own_precision(self._device):
            self.place(FunctionCall(ops.name_of(func), func, args, kwargs), result)

    def place(self, ran: FunctionCall, result: object) -> None:
        """Give the `result` of a function its places.

        A function that is not known loses them: no place is better than a wrong one. A call that attends with such a tensor is
        "unplaced", and the ledger names it with that reason.
        """
        name, given = ran.name, ran.given
        calls = self.built_on(*given)
        if calls:
            for part in flat(ran.args[0] if name in ops.WRITES else result):
                if isinstance(part, Tensor):
                    self._built_on[part] = calls
        # A view that was made before its memory was written to has the places of what stands in that memory now.
        for part in given:
            if self._writings.touched(part):
                self._stems[part] = True
                if self._writings.read(part) is None:
                    self._lost[part] = True
        if name in ops.FRESH or not any(part in self._stems for part in lenders(name, given)):
            return
        results = [part for part in flat(result) if isinstance(part, Tensor)]
        made = [part for part in results if ops.has_numbers(part)]
        # A function that returns one of its arguments wrote into it (relu_, out=), or did nothing (contiguous).
        if name in ops.SETTERS | ops.WRITES or (made and any(part is made[0] for part in given)):
            self._wrote(ran)
            return
        for part, places in zip(made, self._placed(ran, made), strict=False):
            # A shape that differs means that the operation was misread.
            if places is not None and all(plane.shape == part.shape for plane in places):
                # The planes go to the device of their tensor: a network may be spread over several.
                self._known[part] = tuple(plane.to(part.device) for plane in places)
        # Indices are made of the picture by sorting or top-k. They say which values are picked, and not where these stand.
        tell = any(
            self._tells(part) and (ops.has_numbers(part) or name not in ops.MOVES) for part in lenders(name, given)
        )
        for part in results:
            self._stems[part] = True
            # A mask of yes and no holds no tokens, so it has no places to lose.
            if tell and part.dtype != torch.bool and self.planes(part) is None:
                self._lost[part] = True

    def _placed(self, ran: FunctionCall, made: list[Tensor]) -> list[Planes | None]:
        """Find the planes of each tensor in `made`; [] where they are not known."""
        name, given = ran.name, lenders(ran.name, ran.given)
        sources = [part for part in given if self.planes(part) is not None]
        # Some functions take places from their first argument alone. In the others one lost argument loses the result.
        lost = any(self.is_lost(part) for part in (given[:1] if name in ops.FIRST else given))
        if not made or not sources or (lost and name in ops.MOVES | ops.CHOICE | ops.RESIZES | ops.FIRST):
            return []
        try:
            planes = self._moved(ran, made[0], sources)
            for part in made:
                self._mixes[part] = self._straightest(sources, name) + (name in _MIXES)
                self._rough[part] = self._roughness(given, name)
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
            # The function was called in a way that the planes cannot follow. Then nothing is known, and nothing breaks: a network
            # that runs must run when it is watched.
            return []
        return planes

    def _wrote(self, ran: FunctionCall) -> None:
        """Move places where a function wrote into a tensor that was there, or handed it on as it is.

        What is written into a view is written into its base, too, so `SharedStorage` keeps planes for the memory as a whole.
        """
        name, args, given = ran.name, ran.args, ran.given
        self._stems[given[0]] = True
        if not any(map(self._tells, given)):
            return  # a mask that the picture made
        target, bare = given[0], ops.out_of_place(name)
        old, planes = self.planes(target), None
        base = target if target._base is None else target._base
        if "out" in ran.kwargs:
            target = ran.kwargs["out"]
        elif name in ops.WRITES:
            planes = self._set_item(*args)
        elif name in ops.SETTERS:
            if getattr(ran.func.__self__, "__name__", "") == "data":  # type: ignore[attr-defined]
                self._known.pop(target, None)
                if (planes := self.planes(args[1])) is not None:
                    self._known[target] = planes
                elif self.is_lost(args[1]):
                    self._lost[target] = True
            return
        elif bare == name:  # it had nothing to do, such as `contiguous`
            return
        elif ops.is_value_wise(name):
            [planes] = self._placed(replace(ran, name=bare), [target]) or [None]
            if planes is not None and old is not None:
                return  # relu_, mul_: values stay where they are
        elif name in ops.COPY:
            value = args[1]
            planes = self._values(value, target) if not self.is_lost(value) else None
        elif bare in ops.MOVES:
            moved = self._placed(replace(ran, name=bare, func=getattr(Tensor, bare)), [target])
            planes = moved[0] if moved else None
            if bare in ops.RESHAPES:  # transpose_: its memory stays as it is
                self._known.pop(target, None)
                if planes is not None:
                    self._known[target] = planes
                return
        # Of a base that was lost only a part is known again, and nothing says which.
        if planes is not None and (self.is_lost(base) or any(plane.shape != target.shape for plane in planes)):
            planes = None
        self._stems[base] = self._stems[target] = True
        for part in () if planes is not None else (base, target):
            self._lost[part] = True
        self._writings.write(target, planes, self._known)

    def _values(self, value: Tensor, target: Tensor) -> Planes:
        """Give the planes of a value that is written into `target`. A learned value stands nowhere."""
        y, x, w = (self._plane(value, index).expand(target.shape) for index in range(3))
        return y, x, w

    def _moved(self, ran: FunctionCall, made: Tensor, sources: list[Any]) -> list[Planes | None]:
        """The planes of each result, the first of which is `made`; `sources` are the arguments that have planes."""
        name, func, args, kwargs = ran.name, ran.func, ran.args, ran.kwargs
        first = self.planes(sources[0])
        assert first is not None
        # Planes are padded with zeros, also where the network pads with -inf: w = 0 is nowhere.
        if name == "pad":
            args, kwargs = args[:3], {key: value for key, value in kwargs.items() if key != "value"}
        if name in ops.MOVES:
            # The same call on each plane: windows, shifts and merged patches need no understanding, only repetition.
            moved = [flat(func(*self._plane(args, i), **self._plane(kwargs, i))) for i in range(3)]
            return [tuple(planes) for planes in zip(*moved, strict=True)]
        lost = any(isinstance(part, Tensor) and self.is_lost(part) for part in flat(args))
        if name in ops.MATMUL:
            right = args[1] if len(args) > 1 else next(iter(kwargs.values()))
            if right.ndim == 1:
                # A product with a vector is a weighed sum, whose place is that of the plain one.
                return [self._reduced(first, (made, -1), {}) if sources[0] is args[0] else None]
            return [of_product(args[0], right, made, self.planes, lost=lost)]
        if name in ops.EINSUM:
            return [of_einsum(args, made, self.planes, lost=lost)]
        # baddbmm and addmm add a mask, a bias or nothing to the product of the second and the third.
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
        if name in ops.PAIRS:
            return [tuple(plane.mean(-1) for plane in normal(first))]  # type: ignore[list-item]
        if name in ops.UNPAIRED:
            return [tuple(plane[..., None].expand(made.shape) for plane in first)]  # type: ignore[list-item]
        if name in ops.RESIZES:
            return [tuple(func(plane, *args[1:], **kwargs) for plane in first)]
        if name == "fold":
            return [folded(func, first, args, kwargs)]
        if name in ops.CHOICE and len(sources) > 1:
            y, x, w = (func(*self._plane(args, i), **self._plane(kwargs, i)) for i in range(3))
            return [(y, x, w)]
        if ops.is_value_wise(name):
            return [self._stays(name, sources, args, made)]
        return []

    def _stays(self, name: str, sources: list[Any], args: tuple[Any, ...], made: Tensor) -> Planes | None:
        """Leave each value where it is, for functions that work value by value (norms, activations, sums).

        Of several sources, one that was not broadcast tells. x + position embedding is x's, since only x stems from the picture.
        Of a sum it is the source that went through the fewest mixtures: a branch with a kernel of even length ends between two
        pixels, and the skip connection does not. Sources that stand for different tokens give None: the result stands for
        neither.
        """
        whole = [source for source in sources if source.shape == made.shape]
        if not whole:
            if any(isinstance(part, Tensor) and part.shape == made.shape and self.is_lost(part) for part in args):
                return None
            return tuple(plane.expand(made.shape) for plane in self.planes(sources[0]))  # type: ignore[union-attr,return-value]
        planes = [its for source in whole if (its := self.planes(source)) is not None]
        # The same planes or equal ones are the usual case, which needs no look at how they differ.
        if len({id(one) for one in planes}) == 1 or all(_equal(one, planes[0]) for one in planes[1:]):
            return planes[0]
        rough = [self._rough.get(source, 0.0) for source in whole]
        mixes = [self._mixes.get(source, 0) if name in ops.PLUS else 0 for source in whole]
        # A summary that is told to every token comes last, a query's place before it; of the others the straightest is first.
        every = zip(map(still, planes), (one == math.inf for one in rough), mixes, range(len(whole)), strict=True)
        # By the term that is named first, twelve blocks of CPUBone moved the rows of a 7 x 7 grid to within ten pixels.
        best = min(every)[-1]
        # What a query found has the query's place, however far it looked. So it can only be compared with another such result.
        # Else gcvit (one query for all windows) and Mask2Former (which samples where the picture says) lose their places.
        others = [i for i, one in enumerate(rough) if i != best and (one == math.inf) == (rough[best] == math.inf)]
        most = max(one if one < math.inf else 0.0 for one in rough)
        return None if any(stand_apart(planes[best], planes[i], most) for i in others) else planes[best]

    def _straightest(self, sources: list[Any], name: str) -> int:
        mixes = [self._mixes.get(source, 0) for source in sources]
        return min(mixes) if name in ops.PLUS else max(mixes)

    def _roughness(self, given: list[Tensor], name: str) -> float:
        """Tell how far the places of a function's result may be off, in pixels; infinite of what queries found.

        That is the result of attention, of a product of two tensors of the picture, and of sampling where the picture says to.
        """
        sources = [part for part in given if self.planes(part) is not None]
        rough = [self._rough.get(source, 0.0) for source in sources]
        by_picture = sum(part in self._stems for part in given) > 1
        if name in ops.FUSED_ATTENTION or (by_picture and name in _PRODUCTS | ops.RESIZES):
            return math.inf
        # Resized places lie between those of the neighbours: off by their distance at most.
        if name in ops.RESIZES and (planes := self.planes(sources[0])) is not None:
            rough.append(pitch(planes))
        return min(rough) if name in ops.PLUS else max(rough)

    def _reduced(self, planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Planes:
        """Take the mean place. A mean over most of the picture, such as a pooled token, stands nowhere in particular."""
        given = dict(zip(("input", "dim", "keepdim"), args, strict=False)) | kwargs
        dim: Any = given.get("dim", given.get("axis"))
        keep = given.get("keepdim", False)
        y, x, w = (plane.mean(dim, keepdim=keep) for plane in normal(planes))
        here = torch.ones_like(w, dtype=torch.bool)
        # Only y and x have an extent, and zip leaves the plane of w out.
        for plane, extent in zip(planes, self.extent, strict=False):
            span = plane.amax(dim, keepdim=keep) - plane.amin(dim, keepdim=keep)
            here &= span > MOST * extent  # a row of the picture is wide but not high: it still stands somewhere
        return y * ~here, x * ~here, w * ~here

    def _set_item(self, target: Tensor, where: Any, value: Any) -> Planes | None:
        if isinstance(value, Tensor) and self.is_lost(value):
            return None
        # New planes, not written in place: other tensors may share the old ones.
        y, x, w = fresh = tuple(self._plane(target, index).clone() for index in range(3))
        for index, plane in enumerate(fresh):
            placed = isinstance(value, Tensor) and ops.has_numbers(value)
            plane[where] = self._plane(value, index) if placed else 0.0  # a number stands nowhere
        return y, x, w


def lenders(name: str, given: list[Tensor]) -> list[Tensor]:
    """Choose the tensors whose values, and not only their shapes, are in the result of a function."""
    return given[:1] if name in ops.LIKE else given


def _equal(one: Planes, other: Planes) -> bool:
    return all(map(torch.equal, one, other))
