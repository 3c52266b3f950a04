"""Find what weighs tokens in a way that no softmax tells of: the picture multiplied by itself, where different tokens meet.

Attention is a product over an axis along which places change. Where both sides of such a product stem from the picture, and it
is no attention call that was seen, tokens were mixed by weights that nobody knows: sigmoid or ReLU attention, linear attention,
exp over its sum. The same holds where values of different tokens are multiplied one by one, where a product of the picture with
itself is summed over tokens, and for every function of another library in which one token changes another.

Two things are no attention. Weights that do not stem from the picture (convolutions, pooling, Mixer's linear layers) mix tokens
the same for every picture, and chains of layers pass them by. Gates weigh a token by what it is, whoever asks.

So every such product is a suspect, by a number, until an attention call explains it. A suspect that nobody explains is named in
the ledger: maps of layers around it are no whole chain. tests/whole/libraries/test_unseen_mixing.py has the spellings.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor
from torch._C._functorch import get_unwrapped, is_functorch_wrapped_tensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.call import Call
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.call_sides import CallSides
from vizapp.core.capture.patches.coordinates import lenders
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import are_two_tokens, stand_apart, still
from vizapp.core.capture.refusals.custom_ops import may_mix
from vizapp.core.capture.refusals.product_factors import PRODUCTS, factors_of

_TIMES = ops.TIMES | ops.TIMES_IN_PLACE
_OVER = ops.OVER | ops.OVER_IN_PLACE
_BLENDS = ops.BLENDS | ops.BLENDS_IN_PLACE
_PLUS = ops.PLUS | ops.PLUS_IN_PLACE
_SUMS = ops.SUM | ops.MEAN | ops.CUMULATES
_HELD = ops.CASTS | ops.IDENTITY | ops.SAME | _TIMES | _OVER  # by a number, or by what was learned
_MOVED = ops.MOVES | ops.TRIANGLES | ops.COPY | ops.WRITES
_MAY_CALL = PRODUCTS | ops.FUSED_ATTENTION  # any of these may turn out to be an attention call
_NOBODY = frozenset[int]()


class Suspect(NamedTuple):
    """A product of the picture with itself: the module and the function, and how many attention calls had been seen.

    gathers  it sums over tokens before any token asks
    """

    module: str
    function: str
    calls: int
    gathers: bool


@dataclass(frozen=True)
class Mark:
    """A note of what a tensor is.

    suspects  numbers of the suspects whose scores, or whose map, it still is
    product   it is the picture times itself, value by value; `summed`: that, summed over tokens by learned weights
    """

    suspects: frozenset[int] = _NOBODY
    product: bool = False
    summed: bool = False


_NONE = Mark()


class UnseenMixing(CallSides):
    """Coordinates that also notice where tokens are weighed. `running` tells the module that runs now.

    Of each function, first the places of its result are known (`CallSides.follow`), then it is noticed what that means
    (`_notice`): the weighing here, and after it in `HeadGroups` what is laid side by side.
    """

    def __init__(self, pixels: Tensor, running: Callable[[], str]) -> None:
        super().__init__(pixels)
        self._running = running
        self._suspects: dict[int, Suspect] = {}
        self._n = 0
        self._n_calls = 0
        self._marks = WeakTensorKeyDictionary()
        # The suspect that the last product raised: if the product is a call, that comes right after it.
        self._raised: int | None = None

    @property
    def unexplained(self) -> dict[str, str]:
        """Give the modules that weigh tokens in a way that belongs to no attention call, each with the function that does."""
        # The last of a module, which weighs, and not the scores before it; but an op of another library says more.
        last = sorted(self._suspects.values(), key=lambda one: "::" in one.function)
        return {one.module: one.function for one in last}

    @property
    def gathered(self) -> tuple[str, ...]:
        """List those of them that sum over tokens before any token asks: linear attention."""
        return tuple(dict.fromkeys(one.module for one in self._suspects.values() if one.gathers))

    @property
    def behind(self) -> int:
        """Count the attention calls that had been seen when the last of the unexplained ran; 0 where there is none.

        A pass that weighs tokens behind its last call has an output that its maps do not lead to (`Reading.goes_on_behind`).
        """
        return max((one.calls for one in self._suspects.values()), default=0)

    def place(self, ran: FunctionCall, result: object) -> None:
        """Give `result` its places, and notice what is made of it."""
        # `SoftmaxCounter` counts what the network runs, and not this: 8,000 functions, which cost a survey 0.07 s.
        with _disable_current_modes():
            super().place(ran, result)
            self._notice(ran, result)

    def began(self, call: Call, *sides: Tensor) -> None:
        """Clear the suspects that an attention call explains: its own product, and the scores under its softmax."""
        super().began(call, *sides)
        self._n_calls = call.number + 1
        # Of its map alone: what was weighed before goes on in the stream, of which all later calls are made (decision 0007).
        under = _NOBODY if call.applied is None else self._mark_of(call.applied).suspects
        for suspect in under if self._raised is None else under | {self._raised}:
            self._suspects.pop(suspect, None)

    def _notice(self, ran: FunctionCall, result: object) -> None:
        """Look at what a function multiplied or summed, and mark its results; `result` has its places already."""
        name, given = ran.name, lenders(ran.name, ran.given)
        if name in _MAY_CALL:
            self._raised = None
        # What comes out of torch.vmap and its kind stems from nothing that was followed.
        if any(is_functorch_wrapped_tensor(one) and _inside(one) in self._stems for one in given):
            self._suspect("torch.vmap")
        stems = list({id(one): one for one in given if one in self._stems}.values())
        made = [part for part in flat(ran.args[0] if name in ops.WRITES else result) if isinstance(part, Tensor)]
        if not stems or not made:
            return
        op = ops.custom_op(ran.func)
        if op and (any(self._mark_of(one).suspects for one in stems) or may_mix(ran, result, stems, self._axes)):
            self._suspect(op)
        for part in made:
            mark = _NONE if op else self._marked(ran, stems, part)
            if mark != _NONE:
                self._marks[part] = mark
            else:
                self._marks.pop(part, None)  # of a function that writes into its argument, which had a mark

    def _marked(self, ran: FunctionCall, stems: list[Tensor], made: Tensor) -> Mark:
        name, mark = ran.name, self._mark_of(stems[0])
        if name in PRODUCTS:
            return self._judged(ran, made) if len(stems) > 1 else self._by_learned(ran, stems[0], made)
        if name in _TIMES | _OVER | _BLENDS and len(factors := _factors(ran, stems)) > 1:
            return self._multiplied(name, factors[0], factors[1], made)
        # A state, to which token after token is added.
        adds = name in _PLUS and len(stems) > 1 and any(self._mark_of(one).product for one in stems)
        if adds and self._are_two_tokens(stems[0], stems[1]):
            self._suspect(name)
        if name in _SUMS and mark.product and self.vary(stems[0], _axes_of(ran, stems[0])):
            self._suspect(name, gathers=True)
        moved = name in _MOVED
        if not moved and not ops.is_value_wise(name):
            return _NONE
        # Scores stay scores as long as none is summed away. A pick is smaller than what it is of, and nothing of it was summed.
        suspects = self._suspects_of(stems, made, picks=name in ops.PICKS)
        held = len(stems) == 1 and (moved or name in _HELD)
        return Mark(suspects, held and mark.product, held and mark.summed)

    def _judged(self, ran: FunctionCall, made: Tensor) -> Mark:
        """Judge a product of the picture with itself: a new suspect, if it compares tokens or sums over them.

        The mark that it gives follows the result to a softmax.
        """
        factors = factors_of(ran)
        # A product that cannot be read may sum over anything.
        if factors is None:
            self._raised = self._suspect(ran.name)
            return _NONE
        factors = [one for one in factors if one.tensor in self._stems]
        # Where places are lost, tokens may be summed over: that is suspected rather than passed by.
        lost = any(self.planes(one.tensor) is None for one in factors)
        over_tokens = any(self.vary(one.tensor, one.summed) for one in factors)
        tokens = [self.vary(one.tensor, one.own) for one in factors]
        if not (lost or over_tokens or sum(tokens) > 1):
            return _NONE
        # What was lost may stand for tokens that ask.
        number = self._suspect(ran.name, gathers=over_tokens and not any(tokens) and not lost)
        self._raised = number
        # Scores may still come to weigh values in a call, and so may sums over all tokens (of channels with channels, XCiT).
        # What was summed over tokens and has tokens again is what attention gave: nothing will explain it later.
        ends = over_tokens and not lost and self._has_tokens(made)
        return _NONE if ends else Mark(frozenset({number}))

    def _by_learned(self, ran: FunctionCall, tensor: Tensor, made: Tensor) -> Mark:
        """Mark a product with weights that do not stem from the picture: heads that are mixed, or a sum over tokens."""
        # `factors_of` may leave a mask out, which is no factor: the marked one is found by what it is.
        mark = self._mark_of(tensor)
        mine = [one for one in factors_of(ran) or () if one.tensor is tensor] if mark != _NONE else []
        if mine and self.vary(tensor, mine[0].summed):
            return Mark(summed=mark.product)
        return Mark(self._suspects_of([tensor], made)) if mine else _NONE

    def _multiplied(self, name: str, one: Tensor, other: Tensor, made: Tensor) -> Mark:
        """Mark two tensors of the picture that are multiplied value by value: a new suspect, if different tokens meet."""
        suspects = self._suspects_of([one, other], made)
        # A gate on a map, or on scores, leaves it one. Spread over values it has weighed them, and the sum is still to come.
        if suspects:
            maps = [each for each in (one, other) if self._mark_of(each).suspects]
            spread = made.numel() > max(each.numel() for each in maps)
            return Mark(suspects | {self._suspect(name)} if spread else suspects)
        # sum(w v) / sum(w), with learned weights besides (AFT); and two spectra, whose product is a convolution.
        is_mean = name in _OVER and self._mark_of(one).summed
        if is_mean or (one.is_complex() and other.is_complex()) or self._meet_apart(one, other, made):
            self._suspect(name)
            return _NONE
        # A summary that is told to every token is a gate, and no second factor.
        summed = self._mark_of(one).summed or self._mark_of(other).summed
        return Mark(product=self._has_tokens(one) == self._has_tokens(other), summed=summed)

    def _has_tokens(self, tensor: Tensor) -> bool:
        planes = self.planes(tensor)
        return planes is not None and still(planes) < 2

    def _meet_apart(self, one: Tensor, other: Tensor, made: Tensor) -> bool:
        """Tell whether values meet that stand for different tokens, as those of a shifted tensor do."""
        planes, others = self.planes(one), self.planes(other)
        if planes is None or others is None:
            return False
        rough = [self._rough.get(each, 0.0) for each in (one, other)]
        if self.planes(made) is None and one.shape == other.shape:
            return True
        if math.inf in rough:  # what a query found has its place, and may be from all over the picture
            return self._are_two_tokens(one, other)
        (y, x, w), (v, u, t) = (tuple(plane.expand(made.shape) for plane in each) for each in (planes, others))
        return self._are_two_tokens(one, other) or stand_apart((y, x, w), (v, u, t), max(rough))

    def _are_two_tokens(self, one: Tensor, other: Tensor) -> bool:
        planes, others = self.planes(one), self.planes(other)
        return planes is not None and others is not None and are_two_tokens(planes, others)

    def _axes(self, tensor: Tensor) -> list[int]:
        if self.planes(tensor) is None:
            raise LookupError
        return [axis for axis in range(tensor.ndim) if self.vary(tensor, (axis,))]

    def _mark_of(self, tensor: Tensor) -> Mark:
        found: Mark = self._marks.get(tensor, _NONE)
        return found

    def _suspects_of(self, tensors: Sequence[Tensor], made: Tensor, picks: bool = False) -> frozenset[int]:
        kept = [one for one in tensors if picks or made.numel() >= one.numel()]
        return _NOBODY.union(*(self._mark_of(one).suspects for one in kept))

    def _suspect(self, function: str, *, gathers: bool = False) -> int:
        self._n += 1
        self._suspects[self._n] = Suspect(self._running(), function, self._n_calls, gathers)
        return self._n


def _inside(tensor: Tensor) -> Tensor:
    while is_functorch_wrapped_tensor(tensor):
        tensor = get_unwrapped(tensor)
    return tensor


def _factors(ran: FunctionCall, stems: Sequence[Tensor]) -> list[Tensor]:
    """List the tensors of the picture, each once, that a function multiplies or divides value by value."""
    if ran.name not in _BLENDS:
        return list(stems)
    # base + a * b, base + a / b, and a + w (b - a)
    parts = ran.given[1:] if ran.name.startswith("addc") else ran.given[::2]
    return [one for one in parts if any(one is each for each in stems)]


def _axes_of(ran: FunctionCall, tensor: Tensor) -> tuple[int, ...]:
    """Read the axes that a function sums over; all of them, where it names none."""
    dim = ran.kwargs.get("dim", ran.kwargs.get("axis", ran.args[1] if len(ran.args) > 1 else None))
    axes = [one for one in flat([dim]) if isinstance(one, int) and not isinstance(one, bool)]
    return tuple(axes or range(tensor.ndim))
