"""Measure which row of a call each token of the stream hears, whatever functions lie between.

A network may put its queries in another order, or shift what attention gave, before it adds that to the residual stream. But a
row of a map is read as that of the token that asks. So each row of a call's output is moved a little, and what that
does to the stream is computed: a tangent. All that is linear (a projection, a matrix over tokens, a convolution) makes of the
tangent what it makes of the output. Each row is moved by random numbers u, by y times these, and by x times these, where (y, x)
is its token. So of what a token of the stream hears, y u / u and x u / u tell whose row it is, and all its features say the
same. Where it hears several rows, each of its features says something else.

A function that works value by value (a norm of each token, a gate, an activation) scales all three tangents alike. Only their
ratios are read, so the tangents are handed on as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.attention.sides import Side
from vizapp.core.capture.call import Call
from vizapp.core.capture.nested import flat, with_each
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import Planes, is_constant, still
from vizapp.core.capture.patches.shared_storage import SharedStorage
from vizapp.core.capture.patches.token_grid import spaces

NOTHING, SEVERAL, PADDING = -1, -2, -3  # what a token may hear, if it is no row of a token
HERE = 0.6  # of the distance of neighbours: kernels of even length put one token half of it away
SURE = 0.02  # how far, in patches, the features of a token may be from saying the same
STEP = 1e-6
_SUMS = ops.PLUS | ops.MINUS | ops.BLENDS
# Linear in one argument while the other is held still: the function itself makes the tangents.
_ONE_HELD = ops.LINEAR | ops.MATMUL | ops.EINSUM | ops.CONVOLUTIONS | ops.SAMPLES
# An output may be added to something on its way to the stream, too, so listening goes on behind a sum. But the stream goes
# through the whole network: it is followed only through functions that carry it on, and not into the next block's own work.
_CARRIES = (ops.MOVES - ops.PUTS) | ops.LINEAR | ops.CASTS | ops.IDENTITY | ops.WRITES | ops.TIMES | _SUMS


class Heard(NamedTuple):
    """The rows that were heard where a call's output was joined with something else.

    tokens    (n,) the token of the call's layout whose row is heard; `NOTHING`, `SEVERAL`, or `PADDING`
    places    (n, 2) y and x of what it was joined with; NaN where that stands nowhere
    in_slots  is there one entry for each token, in their order?
    """

    tokens: Tensor
    places: Tensor
    in_slots: bool


class Rows(NamedTuple):
    """The rows of a call in the stream: what tokens heard where its output was joined last, once for each branch.

    lost  it was joined in a way that tells nothing
    """

    heard: tuple[Heard, ...]
    lost: bool


class RowTangents(TokenCoordinates):
    """Tangents (y u, x u, u) of all that a call's output goes into, in place of places, up to the stream and in it.

    number  of the call
    """

    def __init__(self, call: Call, axes: AxisLayout) -> None:
        made = call.result
        super().__init__(made)
        self.number, self._layout = call.number, axes.layout
        self._is_joined = self._is_lost = False  # with something; in a way that tells nothing
        self._heard: list[Heard] = []
        # What was joined with something, and the numbers of what was heard there: only what is heard last counts.
        self._joined = WeakTensorKeyDictionary()
        self._settled = WeakTensorKeyDictionary()  # what is in the stream
        # Row and column of the token that asks, small whole numbers: a ratio of tangents is rounded to them (`_tokens`).
        lead, shape = call.output.shape[:-2], call.output.shape
        codes = _codes(axes)[axes.queries][:, None].expand(-1, axes.n_heads(lead), -1, -1)  # (window, head, query, 2)
        y, x = axes.unfold(codes, lead).to(made.device).split(1, -1)
        # A generator of our own: a survey sees by the state of PyTorch's whether the network drew random numbers.
        u = torch.randn(shape, generator=torch.Generator().manual_seed(call.number)).to(made.device)
        planes = y * u, x * u, u
        self._known[made] = tuple(map(call.in_result, planes))

    @property
    def rows(self) -> Rows:
        """Give what was heard last, once for each branch; `lost` also where the output was joined and nothing was heard."""
        heard = tuple(one for one in self._heard if one is not _FORGOTTEN)
        return Rows(heard, self._is_lost or (self._is_joined and not heard))

    @property
    def is_over(self) -> bool:
        """Tell whether everything that was made of the output is gone, so that nothing can be heard any more."""
        return not len(self._stems)

    def asked(self, sides: Sequence[Tensor]) -> bool:
        """Take note of another call, made of `sides`. Tell whether it asked of the output before that reached a stream.

        If not, the stream is the other call's from here on, and what was in it is forgotten.
        """
        if any(one in self._stems and one not in self._settled for one in sides):
            return True
        for one in list(self._settled):
            for marks in (self._known, self._stems, self._settled, self._joined):
                marks.pop(one, None)
        self._writings = SharedStorage()
        return False

    def listen(
        self, ran: FunctionCall, result: object, stream: TokenCoordinates, was_there: Callable[[Tensor], bool]
    ) -> None:
        """Follow a function, and hear where it joins the output with something that has places in `stream`.

        was_there  did a tensor exist before the call ran?
        """
        name, given = ran.name, ran.given
        mine = [one for one in given if one in self._stems]
        results = [part for part in flat(ran.args[0] if name in ops.WRITES else result) if isinstance(part, Tensor)]
        if not mine or not results:
            return
        settled = [one for one in mine if one in self._settled]
        fresh = [one for one in mine if one not in self._settled]
        # The stream enters the next block here: that is another call's business.
        if settled and not fresh and ops.out_of_place(name) not in _CARRIES and name not in _CARRIES:
            return
        others = [one for one in given if one.is_floating_point() and one not in self._stems and stream.knows(one)]
        # What was made after the call, of the stream itself, is no stream that the output is added to.
        if settled:
            others = [one for one in others if was_there(one)]
        before = frozenset[int]().union(*(self._joined.get(one, frozenset()) for one in mine))
        joined = [one for one in mine if one in self._joined]
        joins = others or (joined if len(joined) < len(mine) else [])
        self.place(ran, result)
        # The last join counts: a gate or a position that was joined before is part of what the stream hears.
        heard = self._meeting(ran, results[0], mine, joins, stream) if joins else None
        if others and not settled:
            self._is_joined = True
            self._is_lost |= heard is None and stream.planes(results[0]) is None
        if heard is not None:
            for number in before:
                self._heard[number] = _FORGOTTEN
            before = frozenset({len(self._heard)})
            self._heard.append(heard)
        # A sum with something that was there before the call is the residual sum: from here on it is the stream.
        in_stream = heard is not None and ops.out_of_place(name) in _SUMS and all(map(was_there, others))
        for part in results:
            if part in self._stems:
                if before:
                    self._joined[part] = before
                if in_stream or settled:
                    self._settled[part] = True

    def _meeting(
        self,
        ran: FunctionCall,
        made: Tensor,
        mine: Sequence[Tensor],
        others: Sequence[Tensor],
        stream: TokenCoordinates,
    ) -> Heard | None:
        """Listen where tensors made of the output are joined with `others`, side by side or value by value; None elsewhere."""
        # The features of another branch are laid beside the output: each token hears the row that lies beside its own place. What
        # is joined token by token is no such branch: its places change along the axis.
        if ran.name in ops.SIDE_BY_SIDE:
            axis = ran.kwargs.get("dim", ran.kwargs.get("axis", ran.args[1] if len(ran.args) > 1 else 0))
            tangents, places = self.planes(mine[0]), stream.planes(others[0])
            if tangents is None or places is None or others[0].ndim != mine[0].ndim:
                return None
            if not all(is_constant(plane, axis) for plane in places):
                return None
            first, shape = [plane.narrow(axis, 0, 1) for plane in places], mine[0].shape
            if tangents[0].narrow(axis, 0, 1).shape != first[0].shape or shape[axis] < 2:
                return None
            y, x, w = (plane.expand(shape) for plane in first)
            return self._hear(tangents, (y, x, w))
        if not ops.is_value_wise(ran.name):
            return None
        whole = [one for one in others if one.shape == made.shape]
        # Something older is added to what is in the stream. It may be the stream, or a row that comes late: its places tell.
        told = made if all(one in self._settled for one in mine) else whole[0] if whole else None
        tangents, places = self.planes(made), stream.planes(told)
        return None if not whole or tangents is None or places is None else self._hear(tangents, places)

    def _hear(self, tangents: Planes, places: Planes) -> Heard | None:
        lines = sum(side == 1 for side in self._layout.grid)
        # What stands still in more directions than the grid has is a summary, of a row or of the picture, told to every token.
        if not tangents[0].ndim or still(places) > lines:
            return None
        every = [*tangents, *(plane.to(tangents[0].device) for plane in places)]
        # Features lie last, or second in pictures (batch, feature, row, column). Without such an axis each value is a token.
        axes = (-1, 1) if every[0].ndim > 3 else (-1,)
        features = next((axis for axis in axes if all(is_constant(plane, axis) for plane in every[3:])), None)
        every = [plane[..., None] if features is None else plane.movedim(features, -1) for plane in every]
        y, x, u, *other = (plane.flatten(0, -2).cpu() for plane in every)
        y2, x2, w = (plane[:, 0] for plane in other)
        there = torch.stack([torch.where(w > 0, y2 / w, torch.nan), torch.where(w > 0, x2 / w, torch.nan)], -1)
        return Heard(self._tokens(torch.stack([y, x]), u), there, features is not None)

    def _tokens(self, moved: Tensor, u: Tensor) -> Tensor:
        """Tell the token (n,) that is heard in tangents times y and x, (2, n, feature), and in those without, (n, feature).

        A least-squares fit of y u to u gives the row, and of x u to u the column. Its rest tells whether several rows are heard:
        their u are random, so no one factor fits all features.
        """
        size = (u * u).sum(-1)
        # Where tangents are rounding alone, their ratios are chance.
        loud = size.sqrt() + moved.norm(dim=(0, 2))
        codes = (moved * u).sum(-1) / size.clamp_min(1e-30)  # (2, n)
        apart = (moved - codes[..., None] * u).norm(dim=(0, 2)) / size.clamp_min(1e-30).sqrt()
        row, col = whole = codes.round()
        sure = (apart <= SURE) & ((codes - whole).abs() <= SURE).all(0)
        rows, cols = self._layout.grid
        n_prefix = self._layout.n_prefix
        tokens = torch.where(row >= 0, n_prefix + row * cols + col, -2 - row)
        tokens = torch.where((row >= rows) | (col >= cols), PADDING, tokens)
        tokens = torch.where(sure, tokens, SEVERAL)
        return torch.where(loud > 1e-6 * loud.max(), tokens, NOTHING).long()

    # ------------------------------------------------------------------------------------------------- tangents

    def _wrote(self, ran: FunctionCall) -> None:
        name, given, bare = ran.name, ran.given, ops.out_of_place(ran.name)
        both = len(given) > 1 and all(self.planes(one) is not None for one in given[:2])
        if (
            both
            and bare != name
            and name not in ops.COPY | ops.WRITES
            and ops.is_value_wise(name)
            and "out" not in ran.kwargs
        ):
            self._writings.write(given[0], self._summed(given[:2], given[0]), self._known)
        else:
            super()._wrote(ran)

    def _moved(self, ran: FunctionCall, made: Tensor, sources: list[Any]) -> list[Planes | None]:
        """Make the tangents of each result; [] where they are not known, or where neighbours are blended on purpose.

        A bilinear resize makes each token hear several rows. That is what it is for, and no disorder to be told of.
        """
        name, func, args, kwargs = ran.name, ran.func, ran.args, ran.kwargs
        if any(map(self.is_lost, ran.given)):
            return []
        if name in ops.MOVES or (name in ops.CHOICE and len(sources) > 1):
            return super()._moved(ran, made, sources)
        if ops.is_value_wise(name):
            return [self._summed(sources, made)]
        if name in ops.FUSED_ATTENTION or (name in ops.MATMUL | ops.EINSUM and len(sources) > 1):
            return []  # another attention asks of this one, and its output is its own
        if name in ops.RESIZES - ops.SAMPLES:
            mode = kwargs.get("mode", args[3] if len(args) > 3 else "nearest")
            if name in {"upsample_bilinear"} or not str(mode).startswith("nearest"):
                return []
        if name in _ONE_HELD | ops.RESIZES:
            # A bias would be added to each tangent; without it the function is linear.
            if name in ops.LINEAR | ops.CONVOLUTIONS:
                args = (*args[:2], *((None,) if len(args) > 2 else ()), *args[3:])
                kwargs = {key: one for key, one in kwargs.items() if key != "bias"}
            return [tuple(func(*self._instead(args, i), **self._instead(kwargs, i)) for i in range(3))]
        # Anything else is differentiated, whatever it is.
        results = [self._slopes(ran, i) for i in range(3)]
        return [tuple(planes) for planes in zip(*results, strict=True)]

    def _summed(self, sources: Sequence[Tensor], made: Tensor) -> Planes:
        planes = [its for one in sources if (its := self.planes(one)) is not None]
        y, x, u = (sum(parts[1:], parts[0]).expand(made.shape) for parts in zip(*planes, strict=True))
        return y, x, u

    def _slopes(self, ran: FunctionCall, index: int) -> list[Tensor]:
        # By differences, in float64: for forward-mode derivatives PyTorch compiles a library first, and some functions have none.
        ends = []
        for step in (STEP, -STEP):
            args, kwargs = self._instead(ran.args, index, step), self._instead(ran.kwargs, index, step)
            results = flat(ran.func(*args, **kwargs))
            ends.append([one for one in results if isinstance(one, Tensor) and one.is_floating_point()])
        return [((more - less) / (2 * STEP)).float() for more, less in zip(*ends, strict=True)]

    def _instead(self, value: Any, index: int, step: float | None = None) -> Any:
        """Give `value` with each tensor that has tangents replaced by one of them, and all else held still.

        step  so many tangents are added to the tensor's own value, in float64; None: the tangent alone
        """

        def instead(one: Tensor) -> Tensor:
            planes = self.planes(one)
            if not one.is_floating_point():
                return one
            if step is None:
                return one.float() if planes is None else planes[index]
            return one.double() if planes is None else one.double() + step * planes[index]

        return with_each(value, instead)


_FORGOTTEN = Heard(torch.zeros(0), torch.zeros(0, 2), in_slots=False)


def _codes(axes: AxisLayout) -> Tensor:
    """Give (token + 1, 2): row and column of each patch, below zero for learned tokens; last, for padding, beyond the grid."""
    rows, cols = axes.layout.grid
    patches = torch.cartesian_prod(torch.arange(rows), torch.arange(cols))
    learned = -2 - torch.arange(axes.layout.n_prefix)
    return torch.cat([learned[:, None].expand(-1, 2), patches, torch.tensor([[rows + 2, cols + 2]])]).float()


# ------------------------------------------------------------------------------------------------------ the verdict


def audited(axes: AxisLayout, rows: Rows) -> AxisLayout:
    """Correct how a call is read, by where its rows are heard: one whose rows are added to other tokens is "disordered"."""
    if axes.kind != "tokens" or axes.spots is None:
        return axes
    if all(_stay(one, axes) for one in rows.heard):
        several = any(bool((one.tokens == SEVERAL).any()) for one in rows.heard)
        word: Side | None = "lost" if rows.lost else "mixed" if several else None
        return axes if word is None else replace(axes, sides=replace(axes.sides, output=word))
    return replace(axes, kind="disordered")


def _stay(heard: Heard, axes: AxisLayout) -> bool:
    """Tell whether each row that is heard alone is that of the token that hears it."""
    assert axes.spots is not None
    spots, n_learned = axes.spots.cpu(), axes.layout.n_prefix
    alone = heard.tokens >= 0
    tokens, places = heard.tokens[alone], heard.places[alone]
    there = places.isfinite().all(-1)
    # A patch that hears only padding has lost its row.
    if bool((heard.places.isfinite().all(-1) & (heard.tokens == PADDING)).any()):
        return False
    off = (spots[tokens] - places).abs() / spaces(axes.spots.cpu(), axes.layout)
    right = torch.where(there, (off <= HERE).all(-1), (tokens < n_learned) | (n_learned == 0))
    learned = tokens[~there]
    return bool(right.all()) and (not heard.in_slots or n_learned < 2 or _in_order(learned))


def _in_order(learned: Tensor) -> bool:
    """Tell whether learned tokens are heard in their order: once each, or once in each of several streams side by side."""
    once = learned.unique()
    times = len(learned) // max(1, len(once))
    return torch.equal(learned, once.repeat(times)) or torch.equal(learned, once.repeat_interleave(times))
