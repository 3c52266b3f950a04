"""Axis layouts of each attention call: at once where the model says what its tokens are, else by a second pass."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from vizapp.core.capture.arrange import AxisLayout, arrange, plain
from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.places import TokenCoordinates
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel

LOG = logging.getLogger("vizapp.capture")


class Shape(NamedTuple):
    """Shape of an attention call: `lead` are the axes before the last two."""

    title: str
    lead: torch.Size
    n_queries: int
    n_keys: int

    @classmethod
    def of(cls, call: Call) -> Shape:
        return cls(call.title, call.output.shape[:-2], call.output.shape[-2], call.v.shape[-2])


_probes: Memo[list[tuple[str, AxisLayout]]] = Memo()


def axis_layouts(model: VisionModel, pixels: Tensor, calls: Sequence[Shape]) -> list[AxisLayout]:
    """Layouts that say how the axes of each of `calls` are read, which the network made on `pixels` (B, 3, h, w).

    Raises `VizError` if a second pass does not make the same calls.
    """
    layout = model.layout()
    if layout is not None:
        # A plain ViT: every call is (batch, head, query, key) over all tokens in their order, and no pass is needed.
        at_once = [_plain(one, layout, len(pixels)) for one in calls]
        if all(one is not None for one in at_once):
            return [one for one in at_once if one is not None]
    by_title = dict(probe(model, pixels[:1]))
    if missing := [one.title for one in calls if one.title not in by_title]:
        raise VizError(
            "{model} took another path on a second pass: {name} was not seen.",
            "Report this.",
            model=model.name,
            name=missing[0],
        )
    return [by_title[one.title] for one in calls]


def order_of(model: VisionModel, pixels: Tensor, title: str) -> Tensor | slice:
    """Indices that put the tokens of an attention call, as the network has them, in the order of their layout.

    Raises `VizError` where tokens are handed over window by window.
    """
    if model.layout() is not None:
        return slice(None)
    queries = dict(probe(model, pixels[:1]))[title].queries
    if len(queries) != 1 or bool((queries < 0).any()):
        raise VizError("{name} is given its tokens window by window, in no order of their own.", name=title)
    return queries[0].argsort()


def _plain(call: Shape, layout: TokenLayout, batch: int) -> AxisLayout | None:
    if len(call.lead) != 2 or call.lead[0] != batch:
        return None
    return plain(layout, call.n_queries, call.n_keys)


def probe(model: VisionModel, pixels: Tensor) -> list[tuple[str, AxisLayout]]:
    """Follow coordinates in a second, slower pass (about four times as long); kept per network and input size.

    Where tokens stand depends on the size of the picture, never on what it shows, so one picture tells for all.
    """
    model = unedited(model)  # an edit changes values, and where a token stands does not depend on values
    # The names of prefix tokens are part of the layouts that come out, and a network may be given other names later.
    return _probes.get(model.net, (*pixels.shape[-2:], *model.prefix), lambda: _probed(model, pixels))


def _probed(model: VisionModel, pixels: Tensor) -> list[tuple[str, AxisLayout]]:
    found: list[tuple[str, AxisLayout]] = []

    def saw(call: Call) -> None:
        found.append((call.title, arrange(call, model.prefix)))

    started = time.perf_counter()
    with torch.no_grad(), Watch(model.net, saw, TokenCoordinates(pixels)):
        model.net(pixels)
    LOG.info(
        "followed where tokens stand through %s: %d calls, %.1f s",
        model.name,
        len(found),
        time.perf_counter() - started,
    )
    return found
