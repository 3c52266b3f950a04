"""Where the tokens of each attention call stand: followed on more than one picture, since an order may hang on what it shows.

Some networks shuffle their tokens (masked autoencoders, also in eval mode), sort them, or drop some by what they are. Then what
one pass tells is wrong for the next. So every survey makes two passes, on two pictures, and where they differ nothing is said of
the tokens: the call is "moving". A pass that draws random numbers is made more often, for two tosses may fall alike.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from vizapp.core.capture.apart import STEP
from vizapp.core.capture.arrange import AxisLayout, arrange
from vizapp.core.capture.call import Call
from vizapp.core.capture.counted import Softmaxes, scripted
from vizapp.core.capture.features import copied, could_be_copies
from vizapp.core.capture.joined import Groups, Joins, layers_of
from vizapp.core.capture.mixing import Mixing
from vizapp.core.capture.order import Order
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import VisionModel

LOG = logging.getLogger("vizapp.capture")
TOSSES = 6  # more passes, where random numbers were drawn: a coin that is tossed once a pass falls alike in 1 of 128


class Shape(NamedTuple):
    """Shape of an attention call: `lead` are the axes before the last two."""

    title: str
    lead: torch.Size
    n_queries: int
    n_keys: int

    @classmethod
    def of(cls, call: Call) -> Shape:
        return cls(call.title, call.output.shape[:-2], call.output.shape[-2], call.v.shape[-2])


class Found(NamedTuple):
    """An attention call of a surveyed pass: how it is read, and where its tokens stand, as they were followed.

    asked  its queries, or its map, where nothing tells that they were made from the picture
    """

    shape: Shape
    axes: AxisLayout
    queries: Tensor | None
    keys: Tensor | None
    asked: Tensor | None = None


class Pass(NamedTuple):
    """Every attention call of a pass by title, the modules that weigh tokens otherwise, and calls that are heads of one layer.

    astray, behind  see `Survey`
    """

    found: dict[str, Found]
    unexplained: tuple[str, ...]
    groups: Groups
    astray: tuple[str, ...] = ()
    behind: float = 0
    order: int = 0


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of a network's attention calls for one size of picture, by their titles.

    unexplained  modules that weigh tokens in a way which belongs to none of these calls (see `Mixing`)
    behind       how many calls had run when the last of these did; infinite where that is not known
    astray       modules that ran in another thread, where nothing is seen
    orders       pictures in a pass, and how it moved their tokens (see `Order`): where another moves them so, this holds
    joined       of calls that are the heads of one layer: their titles in the order of heads, by that of the first that ran
    """

    layouts: Mapping[str, AxisLayout]
    shapes: Mapping[str, Shape]
    unexplained: tuple[str, ...] = ()
    behind: float = 0
    astray: tuple[str, ...] = ()
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    orders: frozenset[tuple[int, int]] = frozenset()

    def reads_like(self, other: Survey) -> bool:
        """Do both say the same of the same calls?"""
        return self.layouts.keys() == other.layouts.keys() and all(
            axes.kind == other.layouts[title].kind
            and torch.equal(axes.queries, other.layouts[title].queries)
            and torch.equal(axes.keys, other.layouts[title].keys)
            for title, axes in self.layouts.items()
        )

    def layout(self, call: Shape, pictures: int) -> AxisLayout | None:
        """How a call of a pass on so many pictures is to be read; None if no such call is known."""
        axes, alone = self.layouts.get(call.title), self.shapes.get(call.title)
        if axes is None or alone is None:
            return None
        n = call.lead.numel() // pictures if call.lead else 1
        # Tokens that are dropped by a threshold: as many as the picture wants.
        same = (n, call.n_queries, call.n_keys) == (
            alone.lead.numel() if alone.lead else 1,
            alone.n_queries,
            alone.n_keys,
        )
        return axes if same or axes.kind == "channels" else replace(axes, kind="moving")


def survey(model: VisionModel, pixels: Tensor) -> Survey:
    """Follow places through passes of `model` on noise of the size of `pixels` (1, C, h, w), and last on them. No gradients."""
    before, started = torch.get_rng_state(), time.perf_counter()
    passes = [followed(model, noise_like(pixels, 0))]
    tossed = not torch.equal(before, torch.get_rng_state())
    passes += [followed(model, noise_like(pixels, number)) for number in range(1, 1 + TOSSES * tossed)]
    # The picture last: what a network or somebody's hook remembers of its last pass is then of what was asked for.
    passes.append(followed(model, pixels))
    found, layouts = passes[-1].found, dict[str, AxisLayout]()
    groups = frozenset[tuple[str, ...]].intersection(*(one.groups for one in passes))
    for other in (one.found for one in passes):
        for title, one in found.items():
            # What is made anew in the pass, by NumPy say, stems from nothing that was followed: another picture tells.
            if title in other and not _asks_the_same(one, other[title]):
                found[title] = one._replace(axes=replace(one.axes, from_picture=True), asked=None)
        for title in moved(found, other):
            layouts[title] = replace((found.get(title) or other[title]).axes, kind="moving")
        found = other | found
    frames = copied(
        model, pixels, {title: one.axes for title, one in found.items() if could_be_copies(one.axes, one.shape.lead)}
    )
    pieces = in_pieces(found)
    layouts = {
        title: replace(one.axes, kind="frames" if title in frames else "pieces")
        if title in (frames | pieces)
        else one.axes
        for title, one in found.items()
    } | layouts
    shapes = {title: one.shape for title, one in found.items()}
    LOG.info(
        "followed where tokens stand through %s: %d calls, %.1f s",
        model.name,
        len(found),
        time.perf_counter() - started,
    )
    names = tuple(dict.fromkeys(name for one in passes for name in one.unexplained))
    astray = tuple(dict.fromkeys(name for one in passes for name in one.astray))
    behind = max(one.behind for one in passes)
    orders = frozenset((1, one.order) for one in passes)
    return Survey(layouts, shapes, names, behind, astray, layers_of(groups, layouts, shapes), orders)


def noise_like(pixels: Tensor, number: int) -> Tensor:
    """Another picture of the same size; the same for the same number, and none that the self-test looks at first."""
    generator = torch.Generator().manual_seed(1000 + number)
    return torch.randn(pixels.shape, generator=generator).to(pixels)


def gathering(model: VisionModel, pixels: Tensor) -> tuple[str, ...]:
    """The modules that sum over tokens before any token asks (linear attention), in a pass on `pixels` (1, C, h, w)."""
    mixing = Mixing(pixels, lambda: watch.running)
    watch = Watch(model.net, lambda call: None, mixing)
    with torch.no_grad(), watch:
        model.net(pixels)
    return mixing.gathered


def followed(model: VisionModel, pixels: Tensor, *, counting: bool = True) -> Pass:
    """What a pass on `pixels` (1, C, h, w) tells of its attention.

    Places are followed, which takes about four times as long. `counting`: softmaxes that no Python function tells of, too.
    """
    found: dict[str, Found] = {}

    def saw(call: Call) -> None:
        # Copies: what is given are views of tensors that are hundreds of times as large.
        axes = arrange(call, model.prefix)
        asked = None if axes.from_picture else call.matrix if call.q is None else call.q
        queries, keys = (None if part is None else part.clone() for part in (call.query_places, call.key_places))
        found[call.title] = Found(Shape.of(call), axes, queries, keys, None if asked is None else asked.clone())
        joins.saw(call, axes)
        order.attended()

    joins, order = Joins(pixels, lambda: watch.running), Order()
    watch = Watch(model.net, saw, joins, order=order)
    counted = Softmaxes(lambda: watch.running)
    try:
        with torch.no_grad(), watch, counted if counting else nullcontext():
            model.net(pixels)
    except RuntimeError:
        if not counting or not scripted(model.net):
            raise
        seen = followed(model, pixels, counting=False)
        return seen._replace(unexplained=(*seen.unexplained, *scripted(model.net)), behind=float("inf"))
    hidden = counted.hidden(watch)
    behind = float("inf") if hidden else joins.behind
    return Pass(found, (*joins.unexplained, *hidden), joins.groups, watch.astray, behind, order.digest)


def moved(one: Mapping[str, Found], other: Mapping[str, Found]) -> list[str]:
    """Titles of the calls whose tokens stand elsewhere in another pass, or that are in one of the two only."""
    titles = dict.fromkeys([*one, *other])
    return [title for title in titles if title not in one or title not in other or _differ(one[title], other[title])]


def _asks_the_same(one: Found, other: Found) -> bool:
    if one.asked is None or other.asked is None or one.asked.shape != other.asked.shape:
        return one.asked is other.asked
    return torch.allclose(one.asked, other.asked, rtol=1e-3, atol=1e-3)


def in_pieces(found: Mapping[str, Found]) -> set[str]:
    """Titles of calls that are parts of one attention: of one module, with the same keys, and queries that are these together.

    Or the other way round.
    """
    modules: dict[str, dict[str, Found]] = {}
    for title, one in found.items():
        if one.axes.kind in {"tokens", "scattered"} and not one.axes.windows:
            modules.setdefault(title.partition("#")[0], {})[title] = one
    pieces: set[str] = set()
    for calls in modules.values():
        queries, keys = [_row(one.queries) for one in calls.values()], [_row(one.keys) for one in calls.values()]
        for same, apart in ((keys, queries), (queries, keys)):
            alike = all(_same(one, same[0]) for one in same)
            if len(calls) > 1 and alike and _same(_sorted(torch.cat(apart)), _sorted(same[0])):
                pieces |= calls.keys()
    return pieces


def _row(places: Tensor | None) -> Tensor:
    """(token, 2) of the places of a call without windows."""
    return torch.zeros(0, 2) if places is None else places.reshape(-1, *places.shape[-2:])[0]


def _sorted(places: Tensor) -> Tensor:
    """(token, 2) in one order, by y and then by x; what stands nowhere last."""
    steps = (places / STEP).round().nan_to_num(nan=1e9)
    return places[(steps[:, 0].double() * 1e6 + steps[:, 1]).argsort()]


def _differ(one: Found, other: Found) -> bool:
    if one.axes.kind != other.axes.kind:
        return True
    # Of channels only how many there are could differ, and nothing of them is shown.
    return one.axes.kind != "channels" and not (
        _same(one.queries, other.queries) and _same(one.keys, other.keys) and one.shape == other.shape
    )


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.shape != other.shape:
        return False
    return bool((((one - other).abs() < STEP) | (one == other) | (one.isnan() & other.isnan())).all())
