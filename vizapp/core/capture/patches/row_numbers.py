"""Follow the rows of a call to the tokens that they are added to. A row of a map is that token's, whoever asked.

A network may put its queries in another order, or shift what attention gave, before it adds that to the residual stream. So each
value of a call's output carries the number of its row on its way, by the same functions that places go by, up to the sum with
something that stands for patches. There it is seen where each row lands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from vizapp.core import ops
from vizapp.core.capture.call import Call
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import NEAR, Planes, is_constant, stand_apart, still, vary
from vizapp.core.capture.patches.token_grid import spaces, tokens_at

# `RowTangents` measures the same, through any function. Why both? A tangent costs a second evaluation of what is not linear, so
# only one pass of a survey has them. Numbers are cheap: every pass of a survey follows them, and so does the self-test. Without
# them nothing tells that rows land elsewhere on another picture, in a network that moves its output by what it sees:
# test_where_outputs_land.py has one.
_SUMS = ops.PLUS | ops.MINUS | ops.BLENDS
WHOLE = 0.1  # how far a number may be off from a whole one, after means over features


class Landing(NamedTuple):
    """The places where the rows of a call were added to something.

    rows      (n, 2): number of the query, and of the axes before it, of each value that was added; NaN where no row is
    places    (n, 2): y and x of what it was added to; NaN where that stands nowhere
    in_slots  is there one entry for each token, in their order?
    at_home   do its queries, as places go, stand where it was added?
    """

    rows: Tensor
    places: Tensor
    in_slots: bool
    at_home: bool


class RowNumbers(TokenCoordinates):
    """The numbers of a call's rows, in place of y (query) and x (the axes before), followed to where they land.

    number  of the call; `landing` None as long as they were added to nothing; `lost`: to something, but nothing tells where
    over    they are in the stream: what is added to them from here on is another's
    """

    def __init__(self, call: Call, number: int) -> None:
        made = call.result
        super().__init__(made)
        self.extent = (1 << 60, 1 << 60)  # no mean over rows is a summary of a picture
        self.number, self.lost, self.over = number, False, False
        self.landing: Landing | None = None
        # Numbers and not places: queries that are made from the middle of a window, or from the whole picture, all stand in one.
        query = torch.arange(call.output.shape[-2], device=made.device).float()[:, None].expand(call.output.shape)
        planes = query, call.numbers_before().float(), torch.ones_like(query)
        y, x, w = map(call.in_result, planes)
        self._known[made] = (y, x, w)

    def _moved(self, ran: FunctionCall, made: Tensor, sources: list[Any]) -> list[Planes | None]:
        # Windows that overlap add several rows to one token. Their mean number would be that of a third row.
        return [] if ran.name == "fold" else super()._moved(ran, made, sources)

    def reach(self, *tensors: Tensor) -> bool:
        """Tell whether any of these tensors is made of the rows."""
        return any(one in self._stems for one in tensors)

    def meets(
        self, name: str, given: Sequence[Tensor], made: Tensor, stream: TokenCoordinates, *, before: bool
    ) -> None:
        """Look at a function of `given` that may add the rows to the stream.

        stream  knows the places of all that is no row; `before`: what they are added to was there before the call ran
        """
        if ops.out_of_place(name) not in _SUMS:
            theirs = [one for one in given if one.is_floating_point() and one not in self._stems and stream._tells(one)]
            # The rows were joined with the stream in a way that is not understood.
            if theirs and self.reach(*given) and stream.planes(made) is None:
                self.lost, self.landing = True, None
            return
        whole = [one for one in given if one.shape == made.shape and one.is_floating_point()]
        mine = next((one for one in whole if one in self._stems), None)
        other = next((one for one in whole if one not in self._stems and stream._tells(one)), None)
        if mine is None or other is None:
            return
        rows, places = self.planes(mine), stream.planes(other)
        # What stands in one place is a summary that is told to every token, such as a gate of the whole picture: no stream.
        if places is not None and still(places) == 2:
            return
        # Windows that overlap, and pooling, add rows to one another. Their numbers are lost then, and it must do that the sum
        # stands where the queries stand.
        asked = stream.planes(mine)
        at_home = asked is not None and places is not None and not stand_apart(asked, places)
        self.over, self.lost = before, not at_home and (rows is None or places is None)
        self.landing = None if rows is None or places is None else _landing(rows, places, at_home)

    def merged(self, tensor: Tensor, axes: tuple[int, ...]) -> None:
        """Note a sum over `axes`, along which places change: if rows do not change there, it adds one row to several tokens."""
        planes = self.planes(tensor)
        if planes is not None and axes and not vary(planes, axes):
            self.lost, self.landing = True, None


def _landing(rows: Planes, places: Planes, at_home: bool) -> Landing:
    every = [*rows, *(plane.to(rows[0].device) for plane in places)]
    in_slots = False
    for axis in (-1, 1) if every[0].ndim == 4 else (-1,):
        if all(is_constant(plane, axis) for plane in every):  # the axis of features
            every, in_slots = [plane.select(axis, 0) for plane in every], True
            break
    y, x, w, *other = (plane.flatten().cpu() for plane in every)
    return Landing(_points(y, x, w), _points(*other), in_slots, at_home)


def _points(y: Tensor, x: Tensor, w: Tensor) -> Tensor:
    return torch.stack([torch.where(w > 0, y / w, torch.nan), torch.where(w > 0, x / w, torch.nan)], -1)


def landed(axes: AxisLayout, lead: torch.Size, rows: RowNumbers | None) -> AxisLayout:
    """Read a call, whose axes before the last two are `lead`, so that each row is that of the token that it is added to.

    A call whose rows were lost, or of which one row lands on tokens that lie apart, says so in `sides`. One whose rows do not
    land on each token once is "displaced".
    """
    if axes.kind != "tokens" or rows is None or axes.spots is None:
        return axes
    lost = replace(axes, sides=replace(axes.sides, output="lost"))
    if rows.landing is None:
        return lost if rows.lost else axes
    cells, places = _cells(axes, lead, rows.landing)
    own = axes.queries.flatten()
    known = own[cells] >= 0
    cells, places = cells[known], places[known]
    if not len(cells):
        return axes if rows.landing.at_home else lost
    step = spaces(axes.spots, axes.layout)
    # A row that lands on several neighbours, such as a pooled query's, stands in their middle.
    count = torch.zeros(len(own)).index_add_(0, cells, torch.ones(len(cells)))
    there = places.isfinite().all(-1)
    sums = torch.zeros(len(own), 2).index_add_(0, cells[there], places[there])
    n_there = torch.zeros(len(own)).index_add_(0, cells[there], torch.ones(int(there.sum())))
    middle = sums / n_there[:, None]  # NaN of what lands nowhere
    reached = count > 0
    home = axes.spots.cpu()[own.clamp_min(0)]
    off = (middle - home).abs() / step
    stays = (off <= NEAR).all(-1) | (middle.isnan().any(-1) & home.isnan().any(-1))
    if bool(stays[reached].all()):
        return axes
    # One row on tokens that lie apart: their middle would be a patch that has nothing of it.
    if bool(((places - middle[cells]).abs() > NEAR * step).any()):
        return lost
    to = tokens_at(middle, axes.spots.cpu(), axes.layout)
    nowhere = middle.isnan().any(-1)
    n_learned = axes.layout.n_prefix
    # Of several learned tokens nothing tells one from another, unless none has left their places.
    learned = torch.where(own < n_learned, own, -1) if n_learned > 1 else torch.full_like(own, 0 if n_learned else -1)
    new = torch.where(reached, torch.where(nowhere, learned, to), own)
    asked = own >= 0
    # Each token once, as before: else some row would be shown twice, and another not at all.
    if not torch.equal(new[asked].sort().values, own[asked].sort().values):
        return replace(axes, kind="displaced")
    stream = torch.full((1, 1), -1)
    if rows.landing.in_slots:
        found = tokens_at(rows.landing.places, axes.spots.cpu(), axes.layout)
        stream = torch.where(rows.landing.places.isnan().any(-1), 0 if n_learned == 1 else -1, found)[None]
    sides = replace(axes.sides, output="moved")
    return replace(axes, queries=new.reshape(axes.queries.shape), stream=stream, sides=sides)


def _cells(axes: AxisLayout, lead: torch.Size, landing: Landing) -> tuple[Tensor, Tensor]:
    """List window * queries + query, (n,), of all values whose row is known, and where they landed, (n, 2)."""
    query, before = landing.rows.unbind(-1)
    numbers = axes.fold(torch.arange(lead.numel()).float().reshape(*lead, 1, 1))[..., 0, 0]  # (window, head)
    # A projection takes the mean of the numbers of all heads. These are evenly spaced, so the mean is another for each window.
    # Where no projection came first, what is added still has the number of one head of one window.
    are_heads = len((before[before.isfinite()] / WHOLE).round().unique()) > len(numbers)
    ordered, order = numbers.flatten().sort() if are_heads else numbers.mean(1).sort()
    order = order // numbers.shape[1] if are_heads else order
    query, before = query.nan_to_num(nan=-1.0), before.nan_to_num(nan=-1.0)
    nearest = _nearest(before, ordered)
    # Mixed rows have a mean number that is mostly no whole one; `RowTangents` finds those of which it is one.
    slot = query.round().long()
    known = (query >= 0) & ((query - slot).abs() < WHOLE) & ((before - ordered[nearest]).abs() < WHOLE)
    known &= slot < axes.queries.shape[1]
    cells = order[nearest] * axes.queries.shape[1] + slot
    return cells[known], landing.places[known]


def _nearest(values: Tensor, ordered: Tensor) -> Tensor:
    """Find the index of the nearest of `ordered` for each value."""
    if len(ordered) < 2:
        return torch.zeros(len(values), dtype=torch.long)
    after = torch.searchsorted(ordered, values.contiguous()).clamp(1, len(ordered) - 1)
    return torch.where((values - ordered[after - 1]).abs() <= (ordered[after] - values).abs(), after - 1, after)
