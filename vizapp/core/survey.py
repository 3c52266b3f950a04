"""How to read each attention call of a network: at once where the model says what its tokens are, else by a second pass."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from model.spec import TokenLayout, VisionModel
from vizapp.core.arrange import Arrangement, arrange, plain
from vizapp.core.places import Places
from vizapp.core.watch import Call, Watch
from vizapp.errors import VizError


class Shape(NamedTuple):
    """Of an attention call: `lead` are the axes before the last two."""

    title: str
    lead: torch.Size
    n_queries: int
    n_keys: int

    @classmethod
    def of(cls, call: Call) -> Shape:
        return cls(call.title, call.output.shape[:-2], call.output.shape[-2], call.v.shape[-2])


_surveys: WeakKeyDictionary[nn.Module, dict[tuple[int | str, ...], list[tuple[str, Arrangement]]]] = WeakKeyDictionary()
_lock = threading.Lock()


def arrangements(model: VisionModel, pixels: Tensor, calls: Sequence[Shape]) -> list[Arrangement]:
    """For each of `calls`, which the network made when it saw `pixels` (B, 3, h, w), how its axes are to be read."""
    layout = model.layout()
    if layout is not None:
        at_once = [_plain(one, layout, len(pixels)) for one in calls]
        if all(one is not None for one in at_once):
            return [one for one in at_once if one is not None]
    by_title = dict(survey(model, pixels[:1]))
    if missing := [one.title for one in calls if one.title not in by_title]:
        raise VizError(f"{model.name} took another path on a second pass: {missing[0]} was not seen.", "Report this.")
    return [by_title[one.title] for one in calls]


def order_of(model: VisionModel, pixels: Tensor, title: str) -> Tensor | slice:
    """How to put the tokens that a network hands to an attention call, or takes from it, in the order of their layout."""
    if model.layout() is not None:
        return slice(None)
    queries = dict(survey(model, pixels[:1]))[title].queries
    if len(queries) != 1 or bool((queries < 0).any()):
        raise VizError(f"{title} is given its tokens window by window, in no order of their own.")
    return queries[0].argsort()


def _plain(call: Shape, layout: TokenLayout, batch: int) -> Arrangement | None:
    if len(call.lead) != 2 or call.lead[0] != batch:
        return None
    return plain(layout, call.n_queries, call.n_keys)


def survey(model: VisionModel, pixels: Tensor) -> list[tuple[str, Arrangement]]:
    """A second, slower pass (about four times as long) that follows coordinates; kept per network and input size."""
    with _lock:
        known = _surveys.setdefault(model.net, {})
    size = (*pixels.shape[-2:], *model.prefix)
    if size not in known:
        found: list[tuple[str, Arrangement]] = []

        def saw(call: Call) -> None:
            found.append((call.title, arrange(call, model.prefix)))

        with torch.no_grad(), Watch(model.net, saw, Places(pixels)):
            model.net(pixels)
        known[size] = found
    return known[size]
