"""One pass with places: every attention call in it, how it is read, and where two passes differ.

A pass that is followed costs about four times a plain one, so it is made for a survey and not for a map. It runs three listeners
at once: `HeadGroups` for places and for all that weighs tokens, `TokenOrder` for how the tokens were moved, and `SoftmaxCounter`
for softmaxes that no Python function tells of.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.patches.axis_layout import NO_TOKENS, AxisLayout
from vizapp.core.capture.patches.planes import STEP
from vizapp.core.capture.patches.row_tangents import Rows
from vizapp.core.capture.patches.token_order import TokenOrder
from vizapp.core.capture.patches.window_calls import arranged_in, in_stream
from vizapp.core.capture.refusals.hidden_softmaxes import SoftmaxCounter, scripted
from vizapp.core.capture.survey.head_groups import Groups, HeadGroups
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import VisionModel


class FoundCall(NamedTuple):
    """An attention call of a followed pass: how it is read, and where its tokens stand.

    queries, keys  (..., token, 2) places; those of the keys are of their values, where these were followed
    asked          its queries, or its map, where nothing tells that they were made from the picture; else None
    rows           where they are heard, if somebody listened
    """

    shape: Shape
    axes: AxisLayout
    queries: Tensor | None
    keys: Tensor | None
    asked: Tensor | None = None
    rows: Rows | None = None

    def audited(self) -> AxisLayout:
        """Read the call, now that it is known where its rows are heard."""
        return in_stream(self.axes, self.rows)


class FollowedPass(NamedTuple):
    """The findings of one followed pass.

    found   every attention call, by title
    groups  the calls that are the heads of one layer
    order   how its tokens were moved (see `TokenOrder`)
    unexplained, astray, behind  see `Survey`; `gathered`: those that sum over tokens before any token asks (linear attention)
    """

    found: dict[str, FoundCall]
    unexplained: Mapping[str, str]
    groups: Groups
    astray: tuple[str, ...] = ()
    behind: float = 0
    order: int = 0
    gathered: tuple[str, ...] = ()


def follow(
    model: VisionModel,
    pixels: Tensor,
    windows: Mapping[str, AxisLayout] | None = None,
    *,
    counting: bool = True,
    listening: bool = False,
) -> FollowedPass:
    """Run `model` on `pixels` (1, C, h, w), following places.

    windows    how another pass has read calls that are one window of a layer, by title
    counting   softmaxes that no Python function tells of are counted, too
    listening  it is measured which token hears which row of a call, too (see `RowTangents`)
    """
    found: dict[str, FoundCall] = {}

    def saw(call: Call) -> None:
        with _disable_current_modes():  # `SoftmaxCounter` must not count what `arrange` computes
            axes = arranged_in(call, model.prefix, (windows or {}).get(call.title))
            if listening:
                joins.sound(call, axes)
        if weighs := joins.weighs(call.number):
            axes = replace(axes, weighs=weighs)
        # What is given are views of planes that are hundreds of times as large, and a survey holds several passes at once.
        asked = None if axes.from_picture else call.matrix if call.q is None else call.q
        # Of the values, where these were followed: it is values that a query gets.
        columns = call.key_places if call.value_places is None else call.value_places
        queries, keys = (None if part is None else part.clone() for part in (call.query_places, columns))
        found[call.title] = FoundCall(Shape.of(call), axes, queries, keys, None if asked is None else asked.clone())
        joins.saw(call, axes)
        order.attended()

    # The watch and its listeners need each other: who is running is asked only once the pass has begun.
    joins, order = HeadGroups(pixels, lambda: watch.running), TokenOrder()
    watch = Watch(model.net, saw, joins, order=order)
    counted = SoftmaxCounter(lambda: watch.running)
    try:
        with torch.no_grad(), watch, counted if counting else nullcontext():
            model.net(pixels)
    except RuntimeError:
        # Some traced and scripted parts do not run while a `TorchDispatchMode` is on. They may hide anything, so they are named.
        if not counting or not scripted(model.net):
            raise
        seen = follow(model, pixels, windows, counting=False, listening=listening)
        hidden = dict.fromkeys(scripted(model.net), "TorchScript")
        return seen._replace(unexplained={**seen.unexplained, **hidden}, behind=float("inf"))
    # Only now is it known where the rows landed: an output is added to the stream after its call was seen.
    for title, one in found.items():
        found[title] = one._replace(rows=joins.rows(one.axes.number))
    hidden = dict.fromkeys(counted.hidden(watch), "softmax")
    # When a hidden softmax ran, between which calls, nobody knows: so no call is known to be the last that weighs tokens.
    behind = float("inf") if hidden else joins.behind
    named = {**joins.unexplained, **hidden}
    return FollowedPass(found, named, joins.groups, watch.astray, behind, order.digest, joins.gathered)


def moved(one: Mapping[str, FoundCall], other: Mapping[str, FoundCall]) -> list[str]:
    """List the titles of calls whose tokens stand elsewhere in another pass, or that only one of the two made."""
    titles = dict.fromkeys([*one, *other])
    return [title for title in titles if title not in one or title not in other or _differ(one[title], other[title])]


def asks_the_same(one: FoundCall, other: FoundCall) -> bool:
    """Tell whether a call has the same queries in two passes, as learned ones have whatever the picture shows."""
    # Both None: the queries of both passes are known to be made from the picture.
    if one.asked is None or other.asked is None or one.asked.shape != other.asked.shape:
        return one.asked is other.asked
    # Loosely: kernels that run in parallel round otherwise, while two pictures differ by far more.
    return torch.allclose(one.asked, other.asked, rtol=1e-3, atol=1e-3)


def in_pieces(found: Mapping[str, FoundCall]) -> set[str]:
    """Find the titles of calls that are pieces of one attention, which is computed some queries, or some keys, at a time.

    They are of one module and have the same keys, and their queries together are the tokens of these keys; or the other way
    round.
    """
    # Only within a module: two layers that pool their keys alike are no pieces of one. Windows are read as windows.
    modules: dict[str, dict[str, FoundCall]] = {}
    for title, one in found.items():
        if one.axes.kind in {"tokens", "scattered"} and not one.axes.windows:
            modules.setdefault(title.partition("#")[0], {})[title] = one
    pieces: set[str] = set()
    for calls in modules.values():
        queries, keys = [_row(one.queries) for one in calls.values()], [_row(one.keys) for one in calls.values()]
        for same, apart in ((keys, queries), (queries, keys)):
            # Two plain calls on the same tokens (two branches of a block) have the same keys, but each has all the queries.
            alike = all(_same(one, same[0]) for one in same)
            if len(calls) > 1 and alike and _same(_sorted(torch.cat(apart)), _sorted(same[0])):
                pieces |= calls.keys()
    return pieces


def _row(places: Tensor | None) -> Tensor:
    """Take the places (token, 2) of a call without windows, where all heads have the same."""
    return torch.zeros(0, 2) if places is None else places.reshape(-1, *places.shape[-2:])[0]


def _sorted(places: Tensor) -> Tensor:
    """Sort places (token, 2) by y and then by x; those that are nowhere come last."""
    # In whole steps: means of coordinates come out a hair apart, and would be sorted by that hair.
    steps = (places / STEP).round().nan_to_num(nan=1e9)
    return places[(steps[:, 0].double() * 1e6 + steps[:, 1]).argsort()]


def _differ(one: FoundCall, other: FoundCall) -> bool:
    if one.axes.kind != other.axes.kind:
        return True
    # Channels have no places. Only how many there are could differ, and nothing of them is shown.
    same = _same(one.queries, other.queries) and _same(one.keys, other.keys) and one.shape == other.shape
    return one.axes.kind not in NO_TOKENS and not (same and torch.equal(one.axes.queries, other.axes.queries))


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.shape != other.shape:
        return False
    # Infinite places, of tokens that were lost, have no difference: they are compared as they are.
    return bool((((one - other).abs() < STEP) | (one == other) | (one.isnan() & other.isnan())).all())
