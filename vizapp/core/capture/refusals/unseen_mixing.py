"""Find what weighs tokens in a way that no softmax tells of: sums over tokens, known by where tokens stand.

Attention is a product over an axis along which places change. Where both sides of such a product stem from the picture, and it
is no attention call that was seen, tokens were mixed by weights that nobody knows: sigmoid or ReLU attention, linear attention,
exp over its sum. The same holds for scores (each token with each other one) that never came to weigh values in a call, whether a
product made them or a function that works value by value; and for a sum of weighed tokens over the sum of their weights (AFT,
RWKV).

Two things are no attention. Weights that do not stem from the picture (convolutions, pooling, Mixer's linear layers) mix tokens
the same for every picture, and chains of layers pass them by. Gates weigh a token by what it is, whoever asks.

So every such product is a suspect, by a number, until an attention call explains it. A suspect that nobody explains is named in
the ledger: maps of layers around it are no whole chain. tests/whole/libraries/test_unseen_mixing.py has the spellings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch._C._functorch import get_unwrapped, is_functorch_wrapped_tensor, peek_interpreter_stack
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.call_sides import CallSides
from vizapp.core.capture.patches.coordinates import lenders
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import are_two_tokens, stand_apart
from vizapp.core.capture.refusals.custom_ops import may_mix
from vizapp.core.capture.refusals.product_factors import PRODUCTS, factors_of
from vizapp.core.capture.refusals.suspect_marks import (
    NONE,
    OVER,
    SOFTENS,
    TIMES,
    Mark,
    Marked,
    by_value,
    moved,
    reduced,
)
from vizapp.core.capture.refusals.token_pairs import EVERY, Axes, pair_axes, turned, weighed_axes

_PLUS = ops.PLUS | ops.PLUS_IN_PLACE
_SUMS = ops.SUM | ops.MEAN | ops.CUMULATES
_SUMS_UP = ops.REDUCTIONS | ops.SPREADS | ops.CUMULATES | ops.POOLS
_BEGINS = ops.POSITIVE | SOFTENS  # these give a mark to a tensor that had none
_MAY_CALL = PRODUCTS | ops.FUSED_ATTENTION | _SUMS  # any of these may turn out to be an attention call
_NORMS = frozenset({"norm", "linalg_vector_norm"})  # whose axes are their third argument


class UnseenMixing(CallSides):
    """Coordinates that also notice where tokens are weighed. `running` tells the module that runs now.

    Of each function, first the places of its result are known (`CallSides.follow`), then it is noticed what that means
    (`_notice`): the weighing here, and after it in `HeadGroups` what is laid side by side.

    unexplained  the modules whose products of tokens belong to no attention call that was seen
    gathered     those of them that sum over tokens before any token asks: linear attention
    ops          an op of another library for each of them that mixes tokens by one
    """

    def __init__(self, pixels: Tensor, running: Callable[[], str]) -> None:
        super().__init__(pixels)
        self._running = running
        self.ops: dict[str, str] = {}
        self._suspects: dict[int, tuple[str, bool]] = {}  # the module, and whether it gathers
        self._n = 0
        # A pass that weighs tokens behind its last call has an output that its maps do not lead to (`Reading.goes_on_behind`).
        self._calls_before: dict[int, int] = {}  # how many attention calls had been seen
        self._n_calls = 0
        self._marks = WeakTensorKeyDictionary()
        self._numbers = WeakTensorKeyDictionary()  # of tensors that weights are made of
        self._n_numbers = 0
        # What the last function that may be a call was given, and the suspect that it raised: its call comes right after it.
        self._last: tuple[list[Tensor], int | None] = [], None

    @property
    def unexplained(self) -> tuple[str, ...]:
        """List the modules that weigh tokens in a way that belongs to no attention call."""
        return tuple(dict.fromkeys(name for name, _ in self._suspects.values()))

    @property
    def gathered(self) -> tuple[str, ...]:
        """List those of them that sum over tokens before any token asks."""
        return tuple(dict.fromkeys(name for name, gathers in self._suspects.values() if gathers))

    @property
    def behind(self) -> int:
        """Count the attention calls that had been seen when the last of the unexplained ran; 0 where there is none."""
        return max((self._calls_before[number] for number in self._suspects), default=0)

    def place(self, ran: FunctionCall, result: object) -> None:
        """Give `result` its places, and notice what is made of it."""
        # `SoftmaxCounter` counts what the network runs, and not this: 8,000 functions, which cost a survey 0.07 s.
        with _disable_current_modes():
            inside = peek_interpreter_stack() is not None
            if inside:
                self._lift(ran.given)
            super().place(ran, result)
            self._notice(ran, result)
            if inside:
                self._lower([part for part in flat(result) if isinstance(part, Tensor)])

    def _lift(self, given: Sequence[Tensor]) -> None:
        """Take the stems of wrapped tensors from what is in them, inside of torch.vmap and its kind; their places are lost."""
        for one in given:
            inner = one
            while is_functorch_wrapped_tensor(inner):
                inner = get_unwrapped(inner)
            if inner is not one and inner in self._stems:
                self._stems[one] = self._lost[one] = True

    def _lower(self, made: Sequence[Tensor]) -> None:
        """Give the stems of wrapped results to what is in them, for what goes on outside of torch.vmap."""
        for one in made:
            inner = one
            while is_functorch_wrapped_tensor(inner) and one in self._stems:
                inner = get_unwrapped(inner)
                self._stems[inner] = self._lost[inner] = True

    def _notice(self, ran: FunctionCall, result: object) -> None:
        """Look at what a function multiplied, weighed or summed, and mark its results; `result` has its places already."""
        name, given = ran.name, lenders(ran.name, ran.given)
        # Noted before anything is judged: `mark` comes right behind a call, and asks what it was given.
        if name in _MAY_CALL:
            self._last = given, None
        stems = [part for part in given if part in self._stems]
        made = [part for part in flat(ran.args[0] if name in ops.WRITES else result) if isinstance(part, Tensor)]
        if not stems or not made:
            return
        if (op := ops.custom_op(ran.func)) and (
            any(mark.raw | mark.softened for one in stems if (mark := self._marks.get(one)) is not None)
            or may_mix(ran, result, stems, self._axes)
        ):
            self._suspect()
            self.ops.setdefault(self._running(), op)
            return
        # A product of the picture with itself may be attention. All others hand marks on, or end them.
        if name in PRODUCTS and len(stems) > 1:
            self._set(made[0], self._judged(ran))
            return
        # Only tensors of the picture can have marks: weights of a network weigh no token by another.
        marked = [(one, mark) for one in stems if (mark := self._marks.get(one)) is not None]
        if name in PRODUCTS:
            if marked:
                self._set(made[0], self._hand_over(ran, marked, made[0]))
        elif ops.is_value_wise(name):
            if marked or len(stems) > 1 or name in _BEGINS:
                self._set(made[0], self._by_value(name, len(given), stems, marked, made[0]))
        elif marked:
            handed = self._summed(ran, marked, made[0]) if name in _SUMS_UP else None
            for part in made:
                self._set(part, moved(name, marked, part) if handed is None else handed)
            # A reshape of pairs puts the axes along which tokens lie elsewhere.
            (one, mark), *_ = marked
            if mark.pairs and name in ops.RESHAPES and ran.args and ran.args[0] is one:
                axes = turned(ran, one.shape, mark.pairs)
                self._set(made[0], replace(moved(name, marked, made[0]), pairs=axes))

    def _axes(self, tensor: Tensor) -> list[int]:
        if self.planes(tensor) is None:
            raise LookupError
        return [axis for axis in range(tensor.ndim) if self.vary(tensor, (axis,))]

    def _set(self, made: Tensor, mark: Mark) -> None:
        if mark != NONE:
            self._marks[made] = mark
        else:
            self._marks.pop(made, None)  # of a function that writes into its argument, which had a mark

    def mark(self, output: Tensor, number: int) -> None:
        """Clear the suspects that an attention call explains: its own product, and the scores under its softmax."""
        super().mark(output, number)
        self._n_calls = number + 1
        given, raised = self._last
        for suspect in (raised, *(one for tensor in given for one in self._marks.get(tensor, NONE).softened)):
            if suspect is not None:
                self._suspects.pop(suspect, None)

    def _judged(self, ran: FunctionCall) -> Mark:
        """Judge a product of the picture with itself: a new suspect, if it compares tokens or sums over them.

        The mark that it gives follows the result to a softmax.
        """
        given, _ = self._last
        factors = factors_of(ran)
        # A product that cannot be read may sum over anything.
        if factors is None:
            self._last = given, self._suspect()
            return NONE
        factors = [one for one in factors if one.tensor in self._stems]
        # Where places are lost, tokens may be summed over: that is suspected rather than passed by.
        lost = any(self.planes(one.tensor) is None for one in factors)
        over_tokens = any(self.vary(one.tensor, one.summed) for one in factors)
        tokens = [self.vary(one.tensor, one.own) for one in factors]
        if not (lost or over_tokens or sum(tokens) > 1):
            return NONE
        # What was lost may stand for tokens that ask.
        number = self._suspect(gathers=over_tokens and not any(tokens) and not lost)
        self._last = given, number
        # Scores may still come to weigh values in a call, and so may sums over all tokens (of channels with channels, XCiT).
        # What was summed over tokens and has tokens again is what attention gave: nothing will explain it later.
        ends = over_tokens and any(tokens) and not lost
        return NONE if ends else Mark(raw=frozenset({number}))

    def _hand_over(self, ran: FunctionCall, marked: Marked, made: Tensor) -> Mark:
        """Mark a product with weights that do not stem from the picture: talking heads, features of pairs, sums over tokens."""
        # `factors_of` may turn operands about, or leave the mask of baddbmm out: the marked one is found by what it is.
        mine = [one for one in factors_of(ran) or () if one.tensor is marked[0][0]]
        # It went in as a mask or a bias, and is no factor.
        if not mine:
            return NONE
        [(tensor, summed, _)] = mine
        over_tokens = self.vary(tensor, summed)
        axes = frozenset(axis % tensor.ndim - tensor.ndim for axis in summed)
        handed = reduced(marked, made, axes) if ran.name in ops.LINEAR or not over_tokens else NONE
        return _total(marked[0][1], handed) if over_tokens else handed

    def _suspect(self, *, gathers: bool = False) -> int:
        self._n += 1
        self._suspects[self._n] = self._running(), gathers
        self._calls_before[self._n] = self._n_calls
        return self._n

    def _by_value(self, name: str, n_given: int, stems: list[Tensor], marked: Marked, made: Tensor) -> Mark:
        """Mark what is made value by value; a sum of weighed tokens over the sum of their weights is a new suspect."""
        unlike = list({id(one): one for one in stems}.values())
        mark = by_value(name, n_given, unlike, marked, made)
        if len(unlike) == 1:
            return replace(mark, weight=frozenset({self._number_of(stems[0])})) if name in ops.POSITIVE else mark
        mark = self._of_several(name, unlike[0], unlike[1], mark, made)
        # AFT and RWKV: sum(w v) / sum(w), or the same with the reciprocal. exp / its own sum is a softmax that is spelt out.
        if name in OVER | TIMES and len(marked) == 2:
            (_, above), (_, below) = marked
            if above.summed and below.summed and (above.weighs & below.weight or below.weighs & above.weight):
                self._suspect()
            elif name in OVER and below.summed and above.weight & below.weight:
                return replace(mark, share=True)
        return mark

    def _of_several(self, name: str, one: Tensor, other: Tensor, mark: Mark, made: Tensor) -> Mark:
        """Mark where two tensors of the picture meet: a new suspect, if values of different tokens meet in them."""
        planes, others, lost = self.planes(one), self.planes(other), self.planes(made) is None
        # A product of two spectra of the picture is a convolution of its tokens with its tokens.
        if name in TIMES and one.is_complex() and other.is_complex():
            self._suspect()
        if planes is None or others is None:
            return mark
        # A loop over tokens takes them one by one: a token times another, or one added to a product (RWKV, a state space).
        recurs = (name in TIMES or (name in _PLUS and mark.product)) and are_two_tokens(planes, others)
        if recurs or one.shape != other.shape or lost:
            pairs = pair_axes(planes, others)
            if recurs or pairs or (name in TIMES and self._meet_apart(one, other, made)):
                number = frozenset({self._suspect()})
                # Pairs behind a softmax are weighed values, or maps that are multiplied; those before it are scores.
                behind = mark.share or mark.softened or any(self._marks.get(each, NONE).share for each in (one, other))
                pairs |= mark.pairs
                if behind:
                    return replace(mark, softened=mark.softened | number, pairs=pairs)
                return replace(mark, raw=mark.raw | number, pairs=pairs)
        if name in TIMES and not (mark.weighed or mark.raw or mark.softened):
            mark = replace(mark, weighed=weighed_axes(one, other, planes, others))
        if name in _PLUS and (mark.weight or mark.weighs) and not all(map(torch.equal, planes, others)):
            return replace(mark, summed=True)  # tokens that are added up one by one
        return mark

    def _meet_apart(self, one: Tensor, other: Tensor, made: Tensor) -> bool:
        """Tell whether values are multiplied that stand for different tokens, as those of a shifted tensor do."""
        if self.planes(made) is None and one.shape == other.shape:
            return True
        rough = [self._rough.get(each, 0.0) for each in (one, other)]
        if math.inf in rough:  # what a query found has its place, and may be from all over the picture
            return False
        planes = [self.planes(each) for each in (one, other)]
        (y, x, w), (v, u, t) = (tuple(plane.expand(made.shape) for plane in each or ()) for each in planes)
        return stand_apart((y, x, w), (v, u, t), max(rough))

    def _number_of(self, tensor: Tensor) -> int:
        if tensor not in self._numbers:
            self._n_numbers += 1
            self._numbers[tensor] = self._n_numbers
        found: int = self._numbers[tensor]
        return found

    def _summed(self, ran: FunctionCall, marked: Marked, made: Tensor) -> Mark:
        """Mark a sum, a mean or the like: a new suspect, if it sums over tokens that tokens have weighed."""
        name, (tensor, mark) = ran.name, marked[0]
        # Pooling sums over neighbours, whatever their weights. A map or a product of pairs ends there.
        if name in ops.POOLS:
            return _total(mark, NONE)
        axes = _axes_of(ran, tensor)
        over_tokens = name in _SUMS and self.vary(tensor, tuple(axes))
        # A product of the picture with itself, summed over tokens, is one of weighed tokens. `EVERY` means that the axes are not
        # known any more: then places must change along the sum.
        weighed = mark.weighed & axes and (over_tokens or mark.weighed != EVERY)
        if name in _SUMS and (weighed or (name in ops.CUMULATES and mark.product and over_tokens)):
            self._last = self._last[0], self._suspect(gathers=True)
        handed = reduced(marked, made, axes)
        return _total(mark, handed) if over_tokens else handed


def _total(mark: Mark, handed: Mark) -> Mark:
    """Add to what a sum over tokens has `handed` on which weights it is a sum of."""
    return replace(handed, weight=mark.weight, weighs=mark.weighs, summed=bool(mark.weight | mark.weighs))


def _axes_of(ran: FunctionCall, tensor: Tensor) -> Axes:
    """Read the axes that a function reduces, counted from the end; all of them, where it names none."""
    place = 2 if ran.name in _NORMS else 1
    dim = ran.kwargs.get("dim", ran.kwargs.get("axis", ran.args[place] if len(ran.args) > place else None))
    axes = [one for one in flat([dim]) if isinstance(one, int) and not isinstance(one, bool)]
    return frozenset(axis % tensor.ndim - tensor.ndim for axis in axes or range(tensor.ndim))
