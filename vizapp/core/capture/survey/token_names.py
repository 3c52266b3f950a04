"""Tell which learned token of a layer is which of the layer before, where some join or leave on the way.

A learned token is known by its name only, and it is named by how many of them there are: alone it is "cls". So a CLS that
registers join later would lose its name. The network itself tells. Between two attentions a transformer works on each token
alone. So if the output of attention is changed for one token, that token is changed in the next layer, and no other is
(`follow_tokens`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

from torch import Tensor

from vizapp.core.attention.trace import UNNAMED
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.survey.carried_tokens import follow_tokens
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text, few


@dataclass(frozen=True)
class LearnedTokens:
    """The way of the learned tokens of a network from layer to layer, as far as it is known.

    named     each has one name in all layers, and no other has it
    no_chain  why they cannot be followed from layer to layer; "" if they can, or if nothing tells that they cannot
    renewed   titles of calls in which new tokens take the place of tokens of the call before
    moved     titles of calls in which tokens stand in another order than in the call before
    """

    named: bool = False
    no_chain: str = ""
    renewed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Make the notes for every map of such a network."""
        notes = []
        if self.renewed:
            notes.append(
                Text(
                    "In {layers} new learned tokens take the place of those of the layer before. Methods that follow the "
                    "layers give them nothing from below: what such a token is given stays with it.",
                    layers=few(self.renewed),
                )
            )
        if self.moved:
            notes.append(
                Text(
                    "In {layers} learned tokens stand in another order than in the layer before. Methods that follow the "
                    "layers follow each of them.",
                    layers=few(self.moved),
                )
            )
        return tuple(notes)


def with_names(
    model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout]
) -> tuple[dict[str, AxisLayout], LearnedTokens]:
    """Give each learned token one name in all layouts of a survey; the layouts stay as they are where nothing tells.

    Some passes of `model` on `pixels` (1, C, h, w), see `follow_tokens`. Names that the model's owner gave come first, then "cls"
    of a token that is alone in a layer; of several such, the last has it, as the classifier reads the last layer.
    """
    calls = [title for title, one in layouts.items() if one.kind in {"tokens", "pool"} and one.key_layout.prefix]
    # In the order in which they ran: a pass that came later in the survey may have added some at the end.
    calls.sort(key=lambda title: layouts[title].number)
    followed = follow_tokens(model, pixels, layouts, calls) if len(calls) > 1 else None
    if followed is None or followed.why:
        return dict(layouts), LearnedTokens(no_chain=followed.why if followed else "")
    numbers = _of_pools(followed.numbers, layouts, calls)
    layers = [title for title in calls if layouts[title].kind == "tokens"]
    pairs = [(title, numbers[above], numbers[title]) for above, title in pairwise(layers)]
    known = LearnedTokens(
        named=True,
        renewed=tuple(title for title, above, own in pairs if set(own) - set(above) and set(above) - set(own)),
        moved=tuple(title for title, above, own in pairs if _in_other_order(above, own)),
    )
    # All layers have the same tokens, as nearly always: the names that they have by their count are right.
    if all(numbers[title] == numbers[calls[0]] for title in calls):
        return dict(layouts), known
    names = _names(model.prefix, [(layouts[title].key_layout.prefix, numbers[title]) for title in calls])
    found_names = {title: tuple(names[number] for number in numbers[title]) for title in calls}
    return {title: _renamed(one, found_names.get(title)) for title, one in layouts.items()}, known


def _of_pools(
    numbers: Mapping[str, list[int]], layouts: Mapping[str, AxisLayout], calls: Sequence[str]
) -> dict[str, list[int]]:
    """Give the tokens that join in one pooling, and stand in the same place of the next, one number."""
    found, last, known = dict[str, list[int]](), list[int](), set[int]()
    for title in calls:
        own = numbers[title]
        if layouts[title].kind == "pool":
            if len(last) == len(own):
                own = [old if new not in known and old not in own else new for new, old in zip(own, last, strict=True)]
            last = own
        known |= set(own)
        found[title] = own
    return found


def _in_other_order(above: Sequence[int], own: Sequence[int]) -> bool:
    return [one for one in above if one in own] != [one for one in own if one in above]


def _names(given: tuple[str, ...], every: list[tuple[tuple[str, ...], list[int]]]) -> dict[int, str]:
    names: dict[int, str] = {}
    # From the last layer backwards, since that is the one whose tokens the classifier reads.
    for prefix, numbers in reversed(every):
        for number, name in zip(numbers, prefix, strict=True) if prefix == given else ():
            if name not in names.values():
                names.setdefault(number, name)
    for prefix, numbers in reversed(every):
        if len(prefix) == 1 and prefix[0] not in names.values():
            names.setdefault(numbers[0], prefix[0])
    others = (name for index in count() if (name := f"{UNNAMED}{index}") not in names.values())
    for _, numbers in every:
        for number in numbers:
            if number not in names:
                names[number] = next(others)
    return names


def _renamed(axes: AxisLayout, names: tuple[str, ...] | None) -> AxisLayout:
    if names is None:
        return axes
    keys = TokenLayout(names, axes.key_layout.grid)
    # Queries may have other learned tokens than the keys, as those of a pooling do. They keep their names.
    same = len(axes.layout.prefix) == len(names)
    return replace(axes, key_layout=keys, layout=TokenLayout(names, axes.layout.grid) if same else axes.layout)
