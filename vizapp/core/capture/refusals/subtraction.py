"""Say of a network that it takes attention from other attention: what one call of a module gives, less what another gives.

Where the difference is made of the maps themselves (differential attention, spelt out), one call shows it. With fused kernels, as
in timm's `DiffAttention`, two calls are seen. Each is shown, and its map alone is not what the network goes on with.

Nothing is read of how that is written. If c is subtracted from a, the slope of any output in c is that in a, value by value,
times something below zero.
"""

from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.nested import flat
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.network import sum_to_differentiate
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, listed

# (what is subtracted, from what): titles of calls.
Pairs = tuple[tuple[str, str], ...]

_known: Memo[Pairs] = Memo()


def said_of_subtracted(model: VisionModel, pixels: Tensor, titles: Sequence[str]) -> Text | None:
    """Say what must be said with every map of a network that subtracts attention; None of one that does not.

    titles  of the calls of a pass on `pixels` (B, C, h, w). One pass with gradients, the first time; none where each module
            attends once
    """
    if not any("#" in one for one in titles):
        return None
    model = unedited(model)
    # Of one picture: how a network writes its sums is the same for all.
    pairs = _known.get(model.net, tuple(pixels.shape[1:]), lambda: _subtracted(model, pixels[:1]))
    if not pairs:
        return None
    return Text(
        "Attention is subtracted: this network subtracts, with a factor or a map of its own, the output of {pairs}. "
        "Each is shown alone, but the network continues with the difference.",
        pairs=listed([Text("{one} from {other}", one=one, other=other) for one, other in pairs[:3]]),
    )


def _subtracted(model: VisionModel, pixels: Tensor) -> Pairs:
    calls: list[Call] = []
    picture = pixels.detach().clone().requires_grad_(True)
    try:
        with torch.enable_grad(), run_plainly(), Watch(model.net, calls.append):
            made = [one for one in flat(model.net(picture)) if isinstance(one, Tensor) and one.requires_grad]
        if not made:
            return ()
        given = torch.stack([sum_to_differentiate(one) for one in made]).sum()
        slopes = torch.autograd.grad(given, [one.result for one in calls], allow_unused=True)
    except RuntimeError:  # it has no gradient, or not enough memory for one
        return ()
    found = []
    for (one, slope), (other, less) in combinations(zip(calls, slopes, strict=True), 2):
        if one.name == other.name and slope is not None and less is not None and slope.shape == less.shape:
            opposed = slope * less
            if bool((opposed <= 0).all()) and bool((opposed < 0).any()):
                found.append((other.title, one.title))
    return tuple(found)
