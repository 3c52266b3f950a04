"""Say of a network that it takes attention from other attention: the outputs of two calls, or of two heads, one less the other.

Where the difference is made of the maps themselves (differential attention, spelt out), one call shows it. Where it is made of
what calls give, each is shown, and its map alone is not what the network goes on with.

So what stems from calls is followed with its sign, up to a sum that two of them go into with different signs. Behind a linear
map of its own a sign means little, since o(a) - w(c) may be written as o(a) + w'(c): the network's own way of writing is taken. A
layer that is made from what another wrote and subtracts from the stream takes nothing from that other: it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.nested import flat
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.state import is_stock
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, listed

# (what is subtracted, from what): titles of calls; twice the same: heads of one call.
Pairs = tuple[tuple[str, str], ...]

_TIMES = ops.TIMES | ops.TIMES_IN_PLACE | ops.OVER | ops.OVER_IN_PLACE
_PLUS = ops.PLUS | ops.PLUS_IN_PLACE
_MINUS = ops.MINUS | ops.MINUS_IN_PLACE
_BLENDS = ops.BLENDS | ops.BLENDS_IN_PLACE
_SUMS = _PLUS | _MINUS | ops.MINUS_TURNED | _BLENDS
_REPLAYED = ops.MOVES - ops.JOINS - ops.PUTS  # what moves the values of one tensor
_KEEPS = ops.MOVES | ops.CASTS | ops.DROPOUTS | ops.SAME  # the very values
_MIXES = ops.LINEAR | ops.CONVOLUTIONS | ops.NORMS | ops.REDUCTIONS

_known: Memo[Pairs] = Memo()


def said_of_subtracted(model: VisionModel, pixels: Tensor, titles: Sequence[str]) -> Text | None:
    """Say what must be said with every map of a network that subtracts attention; None of one that does not.

    titles  of the calls of a pass on `pixels` (B, C, h, w). One pass, the first time; none where only well-known modules run,
            and each of them attends once
    """
    model = unedited(model)

    def look() -> Pairs:
        differences = _Differences()
        with torch.no_grad(), differences, Watch(model.net, differences.saw):
            # Of one picture: how a network writes its sums is taken to be the same for all.
            model.net(pixels[:1])
        return tuple(dict.fromkeys(differences.found))

    if is_stock(model.net) and not any("#" in one for one in titles):
        return None
    pairs = _known.get(model.net, tuple(pixels.shape[1:]), look)
    if not pairs:
        return None
    return Text(
        "Attention is subtracted: this network subtracts, with a factor or a map of its own, the output of {pairs}. "
        "Each is shown alone, but the network continues with the difference.",
        pairs=listed(
            [
                Text("some heads of {one} from others", one=one)
                if one == other
                else Text("{one} from {other}", one=one, other=other)
                for one, other in pairs[:3]
            ]
        ),
    )


@dataclass(frozen=True, eq=False)
class _Term:
    """The share that a tensor has of one call.

    sign   1 or -1; 0 where it is not one
    heads  the head that each value is from; None where they are mixed
    """

    title: str
    sign: int
    heads: Tensor | None


class _Differences(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._terms = WeakTensorKeyDictionary()  # of a tensor that is a sum of what calls gave
        self._stems = WeakTensorKeyDictionary()  # the calls that any tensor was made from
        self._built: dict[str, frozenset[str]] = {}  # the same of calls

    def saw(self, call: Call) -> None:
        given = (call.result, call.q, call.k, call.v, call.matrix, call.bias)
        stems = self._stems_of(one for one in given if one is not None)
        self._built[call.title] = stems - {call.title}
        self._stems[call.result] = stems | {call.title}
        self._terms[call.result] = (_Term(call.title, 1, call.in_result(call.numbers_before())),)

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        tensors = [one for one in flat((args, kwargs)) if isinstance(one, Tensor)]
        stems = self._stems_of(tensors)
        if not stems:
            return func(*args, **kwargs)
        name = ops.name_of(func)
        # Before it runs: it may write into what it is given.
        given = [*args, *kwargs.values()][:2]
        held = [self._terms.get(one, ()) if isinstance(one, Tensor) else () for one in given]
        signs = _signs(name, given, held, args, kwargs) if any(held) and name in _SUMS | _TIMES | ops.NEGATIVES else []
        result = func(*args, **kwargs)
        made = [one for one in flat(result) if isinstance(one, Tensor)]
        for one in made:
            self._stems[one] = stems
        if len(made) == 1 and signs:
            self._terms[made[0]] = self._sum(held, signs, made[0])
        elif made and len(held) and held[0] and name in _KEEPS | _MIXES:
            self._pass_on(name, func, args, kwargs, held[0], made)
        elif name in ops.JOINS:
            # By its calls alone, and not by its parts: what is joined, and then negated in part, is not seen.
            terms = {term.title: replace(term, heads=None) for one in tensors for term in self._terms.get(one, ())}
            for one in made:
                self._terms[one] = tuple(terms.values())
        return result

    def _stems_of(self, tensors: Any) -> frozenset[str]:
        return frozenset().union(*(self._stems.get(one, frozenset()) for one in tensors))

    def _sum(self, held: Sequence[tuple[_Term, ...]], signs: Sequence[int], made: Tensor) -> tuple[_Term, ...]:
        """Give the terms of a sum, and note two that go into it with different signs."""
        sides = [
            [replace(term, sign=sign * term.sign, heads=_like(term.heads, made)) for term in terms]
            for terms, sign in zip(held, signs, strict=False)
        ]
        if len(sides) == 2:
            both = {term.title for term in sides[0]} & {term.title for term in sides[1]}
            for one in sides[0]:
                for other in sides[1]:
                    # A sign of 0 is of a factor that has both: nothing is known then, and nothing said.
                    if one.sign * other.sign < 0 and self._are_apart(one, other, both):
                        less, more = (one, other) if one.sign < 0 else (other, one)
                        self.found.append((less.title, more.title))
        terms = dict[str, _Term]()
        for term in (term for side in sides for term in side):
            first = terms.setdefault(term.title, term)  # a call less its own mean is that call
            if first.heads is not term.heads:
                terms[term.title] = replace(first, heads=None)
        return tuple(terms.values())

    def _are_apart(self, one: _Term, other: _Term, both: set[str]) -> bool:
        """Tell whether they are of two calls, neither of them made from the other, or of two heads of one."""
        if one.title == other.title:
            return one.heads is not None and other.heads is not None and bool((one.heads != other.heads).any())
        if {one.title, other.title} & both:  # a sum, less a part of it
            return False
        return one.title not in self._built[other.title] and other.title not in self._built[one.title]

    def _pass_on(
        self,
        name: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        terms: tuple[_Term, ...],
        made: Sequence[Tensor],
    ) -> None:
        for number, one in enumerate(made):
            passed = list[_Term]()
            for term in terms:
                heads = None
                if term.heads is not None and name in _REPLAYED and args:
                    moved = [each for each in flat(func(term.heads, *args[1:], **kwargs)) if isinstance(each, Tensor)]
                    heads = moved[number]
                elif term.heads is not None and name not in ops.MOVES:
                    # A linear map or a norm mixes heads. Where all values are of one, they still are.
                    is_one = bool((term.heads == term.heads.flatten()[0]).all())
                    heads = _like(term.heads.flatten()[0] if is_one else term.heads, one)
                    heads = heads if is_one or name not in _MIXES else None
                passed.append(replace(term, heads=heads))
            self._terms[one] = tuple(passed)


def _like(heads: Tensor | None, made: Tensor) -> Tensor | None:
    """Bring the heads of a tensor to the shape of what was made of it, value by value; None where they do not fit."""
    if heads is None or heads.ndim > made.ndim:
        return None
    # Counted from the end, as PyTorch broadcasts.
    if any(size not in {1, wide} for size, wide in zip(reversed(heads.shape), reversed(made.shape), strict=False)):
        return None
    return heads.expand(made.shape)


def _signs(
    name: str, given: Sequence[Any], held: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[int]:
    """Tell the sign with which each of two arguments goes into what a function makes of them; [] where it is no sum of them."""
    if name in ops.NEGATIVES:
        return [-1]
    if name in _TIMES:
        if len(given) < 2 or all(held):
            return []
        return [_sign(given[1]), 0] if held[0] else [0, _sign(given[0])]
    alpha = _sign(kwargs.get("alpha", 1))
    if name in _PLUS:
        return [1, alpha]
    if name in _MINUS:
        return [1, -alpha]
    if name in ops.MINUS_TURNED:
        return [-alpha, 1]
    third = args[2] if len(args) > 2 else next((kwargs[one] for one in ("weight", "tensor2") if one in kwargs), 1)
    if name.startswith("lerp"):  # a + w (c - a)
        return [_sign(1 - third), _sign(third)]
    return [1, _sign(kwargs.get("value", 1)) * _sign(third)]


def _sign(factor: Any) -> int:
    """Tell the sign, 1 or -1, of a number, or of a tensor all of whose values have it; else 0."""
    if isinstance(factor, Tensor):
        return 1 if bool((factor >= 0).all()) else -1 if bool((factor <= 0).all()) else 0
    return (factor > 0) - (factor < 0)
