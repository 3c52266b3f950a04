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
    """An attention call of a surveyed pass: how it is read, and where its tokens stand, as they were followed."""

    shape: Shape
    axes: AxisLayout
    queries: Tensor | None
    keys: Tensor | None


class Pass(NamedTuple):
    """Every attention call of a pass by title, the modules that weigh tokens otherwise, and calls that are heads of one layer."""

    found: dict[str, Found]
    unexplained: tuple[str, ...]
    groups: Groups
    order: int = 0


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of a network's attention calls for one size of picture, by their titles.

    unexplained  modules that weigh tokens in a way which belongs to none of these calls (see `Mixing`)
    orders       pictures in a pass, and how it moved their tokens (see `Order`): where another moves them so, this holds
    joined       of calls that are the heads of one layer: their titles in the order of heads, by that of the first that ran
    """

    layouts: Mapping[str, AxisLayout]
    shapes: Mapping[str, Shape]
    unexplained: tuple[str, ...] = ()
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
    for other, *_ in passes:
        for title in moved(found, other):
            layouts[title] = replace((found.get(title) or other[title]).axes, kind="moving")
        found = other | found
    frames = copied(
        model, pixels, {title: one.axes for title, one in found.items() if could_be_copies(one.axes, one.shape.lead)}
    )
    layouts = {
        title: replace(one.axes, kind="frames") if title in frames else one.axes for title, one in found.items()
    } | layouts
    shapes = {title: one.shape for title, one in found.items()}
    LOG.info(
        "followed where tokens stand through %s: %d calls, %.1f s",
        model.name,
        len(found),
        time.perf_counter() - started,
    )
    names = tuple(dict.fromkeys(name for one in passes for name in one.unexplained))
    orders = frozenset((1, one.order) for one in passes)
    return Survey(layouts, shapes, names, layers_of(groups, layouts, shapes), orders)


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
        places = [None if part is None else part.clone() for part in (call.query_places, call.key_places)]
        axes = arrange(call, model.prefix)
        found[call.title] = Found(Shape.of(call), axes, *places)
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
        return seen._replace(unexplained=(*seen.unexplained, *scripted(model.net)))
    return Pass(found, (*joins.unexplained, *counted.hidden(watch)), joins.groups, order.digest)


def moved(one: Mapping[str, Found], other: Mapping[str, Found]) -> list[str]:
    """Titles of the calls whose tokens stand elsewhere in another pass, or that are in one of the two only."""
    titles = dict.fromkeys([*one, *other])
    return [title for title in titles if title not in one or title not in other or _differ(one[title], other[title])]


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
