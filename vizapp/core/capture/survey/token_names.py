"""Give each learned token one name in all layers: one that is new in a layer is no token of the layer before.

The network itself tells which is new (`follow_tokens`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count

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
    """

    named: bool = False
    no_chain: str = ""
    renewed: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Make the notes for every map of such a network."""
        if not self.renewed:
            return ()
        return (
            Text(
                "In {layers} new learned tokens take the place of those of the layer before. Methods that follow the "
                "layers give them nothing from below: what such a token is given stays with it.",
                layers=few(self.renewed),
            ),
        )


def with_names(
    model: VisionModel, pixels: Tensor, layouts: Mapping[str, AxisLayout]
) -> tuple[dict[str, AxisLayout], LearnedTokens]:
    """Give each learned token one name in all layouts of a survey; the layouts stay as they are where nothing tells.

    Some passes of `model` on `pixels` (1, C, h, w), see `follow_tokens`. The tokens of the last layer keep the names that they
    have by their count, as the classifier reads that layer.
    """
    calls = [title for title, one in layouts.items() if one.kind in {"tokens", "pool"} and one.key_layout.prefix]
    # In the order in which they ran: a pass that came later in the survey may have added some at the end.
    calls.sort(key=lambda title: layouts[title].number)
    followed = follow_tokens(model, pixels, layouts, calls) if len(calls) > 1 else None
    if followed is None or followed.why:
        return dict(layouts), LearnedTokens(no_chain=followed.why if followed else "")
    names, found = list(layouts[calls[-1]].key_layout.prefix), dict(layouts)
    others = (name for index in count() if (name := f"{UNNAMED}{index}") not in layouts[calls[-1]].key_layout.prefix)
    # From the last layer backwards: below a layer in which a token is new, another token had its place.
    for title in reversed(calls):
        one = layouts[title]
        keys = TokenLayout(tuple(names), one.key_layout.grid)
        # Queries may have other learned tokens than the keys, as those of a pooling do. They keep their names.
        same = len(one.layout.prefix) == len(names)
        queries = TokenLayout(tuple(names), one.layout.grid) if same else one.layout
        found[title] = replace(one, key_layout=keys, layout=queries)
        for slot in followed.new[title]:
            names[slot] = next(others)
    renewed = tuple(title for title in calls if followed.new[title] and layouts[title].kind == "tokens")
    return found, LearnedTokens(named=True, renewed=renewed)
