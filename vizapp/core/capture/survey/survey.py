"""Find where the tokens of each attention call stand, once for a network and a size of picture.

One pass is not enough. Some networks shuffle their tokens (masked autoencoders, also in eval mode), sort them, or drop some by
what they are, and then what one pass tells is wrong for the next. So every survey makes two passes, on two pictures. Where they
differ, nothing is said of the tokens: the call is "moving".
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from vizapp.core.capture.call import Shape
from vizapp.core.capture.patches.axis_layout import NO_TOKENS, AxisLayout
from vizapp.core.capture.patches.cell_places import Sight, sight_of
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.capture.survey.followed_pass import FollowedPass, FoundCall, asks_the_same, follow, in_pieces, moved
from vizapp.core.capture.survey.frames import copied, could_be_copies
from vizapp.core.capture.survey.head_groups import layers_of
from vizapp.core.capture.survey.token_names import LearnedTokens, with_names
from vizapp.core.capture.survey.window_groups import layers_in, windows_in
from vizapp.model.spec import VisionModel

LOG = logging.getLogger("vizapp.capture")


@dataclass(frozen=True, eq=False)
class Survey:
    """All that is known of a network's attention calls for one size of picture, by their titles.

    unexplained  modules that weigh tokens in a way which belongs to none of these calls, each with the function that does
    behind       how many calls had run when the last of these did; infinite where that is not known
    astray       modules that ran in another thread, where nothing is seen
    orders       pictures in a pass, and how it moved their tokens (see `TokenOrder`): where another moves them so, this holds
    learned      how learned tokens go on from layer to layer
    sight        what one patch sees of the picture in the first layer; None: not known
    joined       of calls that are the heads, or the windows, of one layer: their titles in order, by that of the first that ran
    """

    layouts: Mapping[str, AxisLayout]
    shapes: Mapping[str, Shape]
    unexplained: Mapping[str, str] = field(default_factory=dict)
    behind: float = 0
    astray: tuple[str, ...] = ()
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    orders: frozenset[tuple[int, int]] = frozenset()
    learned: LearnedTokens = field(default_factory=LearnedTokens)
    sight: Sight | None = None

    def reads_like(self, other: "Survey") -> bool:
        """Tell whether both say the same of the same calls."""
        return self.layouts.keys() == other.layouts.keys() and all(
            (axes.kind, axes.sides) == (other.layouts[title].kind, other.layouts[title].sides)
            and torch.equal(axes.queries, other.layouts[title].queries)
            and torch.equal(axes.keys, other.layouts[title].keys)
            for title, axes in self.layouts.items()
        )

    def layout(self, call: Shape, pictures: int) -> AxisLayout | None:
        """Read a call of a pass on so many pictures; None if no such call is known."""
        axes, alone = self.layouts.get(call.title), self.shapes.get(call.title)
        if axes is None or alone is None:
            return None
        n = call.lead.numel() // pictures if call.lead else 1
        # Where a threshold drops tokens, their number hangs on the picture: the call has another shape than in the survey.
        same = (n, call.n_queries, call.n_keys) == (
            alone.lead.numel() if alone.lead else 1,
            alone.n_queries,
            alone.n_keys,
        )
        return axes if same or axes.kind in NO_TOKENS else replace(axes, kind="moving")


def noise_like(pixels: Tensor, number: int) -> Tensor:
    """Make noise of the size of `pixels`: the same for the same number, and other noise than the self-test begins with."""
    generator = torch.Generator().manual_seed(1000 + number)
    return torch.randn(pixels.shape, generator=generator).to(pixels)


def _followed(model: VisionModel, pixels: Tensor) -> tuple[list[FollowedPass], Sight | None]:
    """Run the passes of a survey, the last one on `pixels`, and see what a patch sees in the first."""
    passes = [follow(model, noise_like(pixels, 0))]
    if windows := windows_in(passes[0].found, (pixels.shape[-2], pixels.shape[-1])):
        # Once more: a call by itself is read as a small grid, and only now is it known of which larger one it is a part.
        passes = [follow(model, noise_like(pixels, 0), windows)]
    # On the noise of the pass that found these layouts: on another picture tokens may stand elsewhere.
    sight = sight_of(model, {title: one.axes for title, one in passes[0].found.items()}, noise_like(pixels, 0))
    # The picture comes last: what a network, or somebody's hook, remembers of its last pass is then of what was asked for.
    # Listening costs most, so only this pass listens.
    passes.append(follow(model, pixels, windows, listening=True))
    return passes, sight


def _together(passes: Sequence[FollowedPass]) -> tuple[dict[str, FoundCall], dict[str, AxisLayout]]:
    """Put the calls of all passes together. Also give those that differ between passes, as "moving"."""
    found, differ = passes[-1].found, dict[str, AxisLayout]()
    for other in (one.found for one in passes):
        for title, one in found.items():
            # Queries that are made anew in the pass, by NumPy say, stem from nothing that was followed. Two pictures tell them
            # from learned ones: they differ.
            if title in other and not asks_the_same(one, other[title]):
                found[title] = one._replace(axes=replace(one.axes, from_picture=True), asked=None)
        for title in moved(found, other):
            differ[title] = replace((found.get(title) or other[title]).axes, kind="moving")
        found = other | found
    return found, differ


@run_plainly()
def survey(model: VisionModel, pixels: Tensor) -> Survey:
    """Follow places through passes of `model` on noise of the size of `pixels` (1, C, h, w), and last on them. No gradients."""
    started = time.perf_counter()
    passes, sight = _followed(model, pixels)
    found, differ = _together(passes)
    # Heads are joined only where every pass joined them.
    groups = frozenset[tuple[str, ...]].intersection(*(one.groups for one in passes))
    # What was taken for heads may be frames of a video. That takes another pass, and only where the axes leave it open.
    frames = copied(
        model, pixels, {title: one.axes for title, one in found.items() if could_be_copies(one.axes, one.shape.lead)}
    )
    pieces = in_pieces(found)
    # What differed between passes ("moving") goes before all that one pass says of a call.
    layouts = {
        title: replace(one.axes, kind="frames" if title in frames else "disordered")
        if title in (frames | pieces)
        else one.audited()
        for title, one in found.items()
    } | differ
    layouts, learned = with_names(model, pixels, layouts)
    shapes = {title: one.shape for title, one in found.items()}
    layouts, in_calls = layers_in(layouts)
    joined = layers_of(groups, layouts, shapes) | in_calls
    # A layer is shown under the title of its first head. A caution about any head is one about the layer.
    for first, titles in joined.items():
        outputs = [layouts[title].sides.output for title in titles]
        worst = next((one for one in ("lost", "mixed") if one in outputs), None)
        if worst is not None and (worst == "mixed" or first in in_calls):
            layouts[first] = replace(layouts[first], sides=replace(layouts[first].sides, output=worst))
    LOG.info(
        "followed where tokens stand through %s: %d calls, %.1f s",
        model.name,
        len(found),
        time.perf_counter() - started,
    )
    named = {name: function for one in passes for name, function in one.unexplained.items()}
    astray = tuple(dict.fromkeys(name for one in passes for name in one.astray))
    behind = max(one.behind for one in passes)
    orders = frozenset((1, one.order) for one in passes)
    return Survey(
        layouts=layouts,
        shapes=shapes,
        unexplained=named,
        behind=behind,
        astray=astray,
        joined=joined,
        orders=orders,
        learned=learned,
        sight=sight,
    )
