"""Tell which learned token of a layer is which of the layer before, where some join or leave on the way.

A learned token is known by its name only, and it is named by how many of them there are: alone it is "cls". So a CLS that
registers join later would lose its name. The network itself tells. Between two attentions a transformer works on each token
alone. So if the output of attention is changed for one token, that token is changed in the next layer, and no other is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from vizapp.core.attention.trace import UNNAMED
from vizapp.core.capture.call import Call
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import TokenLayout, VisionModel

MOST = 32  # learned tokens: each of them takes a pass of its own
CHANGED = 1e-6  # of the largest value; a token that is not touched comes out bit by bit as before


def with_names(model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout]) -> dict[str, AxisLayout]:
    """Give each learned token one name in all layouts of a survey; the layouts stay as they are where nothing tells.

    A pass of `model` on `pixels` (1, C, h, w) for each token, and only where a layer has more or fewer of them than the one
    before. Names that the model's owner gave come first, then "cls" of a token that is alone in a layer.
    """
    calls = [title for title, one in layouts.items() if one.kind in {"tokens", "pool"} and one.key_layout.prefix]
    calls.sort(key=lambda title: layouts[title].number)
    counts = [len(layouts[title].key_layout.prefix) for title in calls]
    if len(set(counts)) < 2 or max(counts) > MOST:
        return dict(layouts)
    numbers: dict[str, list[int]] = {}  # of the tokens of each call
    before, n = "", 0
    for title, count in zip(calls, counts, strict=True):
        own: list[int] = []
        if before and len(numbers[before]) == count:
            own = numbers[before]
        elif before:
            found = _same(model, pixels, before, title, layouts)
            if found is None:
                return dict(layouts)
            own = [-1 if slot is None else numbers[before][slot] for slot in found]
        else:
            own = [-1] * count
        numbers[title] = [number if number >= 0 else n + index for index, number in enumerate(own)]
        n = max(n, 1 + max(numbers[title]))
        before = title if layouts[title].kind == "tokens" else before
    names = _names(model.prefix, [(layouts[title].key_layout.prefix, numbers[title]) for title in calls])
    found_names = {title: tuple(names[number] for number in numbers[title]) for title in calls}
    return {title: _renamed(one, found_names.get(title)) for title, one in layouts.items()}


def _names(given: tuple[str, ...], every: list[tuple[tuple[str, ...], list[int]]]) -> dict[int, str]:
    names: dict[int, str] = {}
    for prefix, numbers in every:
        if prefix == given:
            names |= dict(zip(numbers, prefix, strict=True))
    for prefix, numbers in every:
        if len(prefix) == 1 and prefix[0] not in names.values():
            names.setdefault(numbers[0], prefix[0])
    others = (name for index in range(1000) if (name := f"{UNNAMED}{index}") not in names.values())
    for _, numbers in every:
        for number in numbers:
            if number not in names:
                names[number] = next(others)
    return names


def _renamed(axes: AxisLayout, names: tuple[str, ...] | None) -> AxisLayout:
    if names is None:
        return axes
    keys = TokenLayout(names, axes.key_layout.grid)
    same = len(axes.layout.prefix) == len(names)
    return replace(axes, key_layout=keys, layout=TokenLayout(names, axes.layout.grid) if same else axes.layout)


def _same(
    model: VisionModel, pixels: Tensor, one: str, other: str, layouts: Mapping[str, AxisLayout]
) -> list[int | None] | None:
    """Find for each learned token of the call `other` which of the call `one` it is, None for one that is new.

    None as a whole, where nothing tells: `other` is not built on `one`, or a change of one token reaches patches or several
    tokens.
    """
    first, second = layouts[one], layouts[other]
    if (
        second.built_on is None
        or not second.built_on >> first.number & 1
        or first.layout.prefix != first.key_layout.prefix
    ):
        return None
    plain = _values(model, pixels, other, second, "", first, 0)
    found: list[int | None] = [None] * len(second.key_layout.prefix)
    for slot in range(len(first.layout.prefix)):
        values = _values(model, pixels, other, second, one, first, slot)
        if plain is None or values is None or values.shape != plain.shape:
            return None
        changed = ((values - plain).abs().amax(-1) > CHANGED * plain.abs().max()).nonzero()[:, 0].tolist()
        if len(changed) > 1 or any(index >= len(found) for index in changed):
            return None
        for index in changed:
            found[index] = slot
    return found


def _values(
    model: VisionModel, pixels: Tensor, of: str, axes: AxisLayout, at: str, first: AxisLayout, slot: int
) -> Tensor | None:
    """Give the values (token, head x e) of a call, in the order of its layout, where token `slot` of the call `at` is changed."""
    kept: list[Tensor] = []

    def saw(call: Call) -> None:
        if call.title == of:
            values = axes.fold(call.v.expand(*call.output.shape[:-2], *call.v.shape[-2:]))[0]
            kept.append(values[:, axes.keys[0].argsort().to(values.device)].transpose(0, 1).flatten(1).clone())

    def edit(call: Call) -> Tensor | None:
        if call.title != at:
            return None
        output = first.fold(call.output).clone()
        position = int((first.queries[0] == slot).nonzero()[0, 0])
        output[:, :, position] += output.abs().max() * torch.linspace(0.5, 1.5, output.shape[-1]).to(output)
        return first.unfold(output, call.output.shape[:-2])

    with torch.no_grad(), Watch(model.net, saw, edit=edit if at else None):
        model.net(pixels)
    return kept[0] if kept else None
