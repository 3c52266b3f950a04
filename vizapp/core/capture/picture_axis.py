"""Find out whether several pictures of a pass lie one after the other along the first axis of each attention call.

Most networks have (picture, head, ...) or (picture * window, head, ...). Some fold heads before pictures, (head * picture, ...).
Then nothing in the shapes tells a head of one picture from another head of another picture. So it is tried out, once.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.modes import normal_tensors
from vizapp.model.spec import VisionModel

Alone = tuple[Shape, Tensor]

CLOSE = 1e-2  # of the largest value: several pictures at once are computed in another order, another head is far away


def calls_of(model: VisionModel, pixels: Tensor, only: tuple[str, ...]) -> list[Alone]:
    """List each attention call of a pass on `pixels` (B, 3, h, w), and what it gave; `only` as in `Watch`. No gradients."""
    found: list[Alone] = []

    def saw(call: Call) -> None:
        found.append((Shape.of(call), call.output.detach().clone()))

    with torch.no_grad(), Watch(model.net, saw, only=only):
        model.net(pixels)
    return found


def lie_first(model: VisionModel, pixels: Tensor, alone: Sequence[Alone], only: tuple[str, ...]) -> bool:
    """Tell whether two pictures in one pass lie one after the other along the first axis of every call.

    alone  what `calls_of` gives for `pixels` (1, 3, h, w). Where their first axis has the length 1, it holds pictures only
           and there is nothing to find out
    """
    if all(len(shape.lead) > 1 and shape.lead[0] == 1 for shape, _ in alone):
        return True
    # Without such an axis pictures would look at each other (csatv2 has such attention).
    if not all(shape.lead for shape, _ in alone):
        return False
    try:
        # The second one is mirrored: two copies of one picture would give the same heads in any order.
        together = calls_of(model, torch.cat([pixels, pixels.flip(-1)]), only)
    except (RuntimeError, ValueError, TypeError, LookupError, AssertionError):  # some take one picture only
        return False
    return len(together) == len(alone) and all(
        two.shape[:-2] == (2 * shape.lead[0], *shape.lead[1:]) and _close(two[: len(one)], one)
        for (_, two), (shape, one) in zip(together, alone, strict=True)
    )


_first: Memo[bool] = Memo()


def pictures_first(model: VisionModel, pixels: Tensor, leads: Sequence[torch.Size], only: tuple[str, ...]) -> bool:
    """Tell whether a pass on `pixels` (B, 3, h, w) has its pictures one after the other along the first axis of every call.

    leads  the axes before the last two of each call of that pass. Where only the first is long enough to hold the pictures,
           they are there; else the plain network is run on noise, once: alone, then two at a time
    """
    batch = len(pixels)
    if batch == 1 or all(lead and lead[0] == batch and all(n % batch for n in lead[1:]) for lead in leads):
        return True
    model = unedited(model)
    return _first.get(model.net, only, lambda: _found(model, pixels, only))


@normal_tensors()
def _found(model: VisionModel, pixels: Tensor, only: tuple[str, ...]) -> bool:
    # A generator of its own: the random numbers of the program around us stay those that it would get without us.
    noise = torch.randn(pixels[:1].shape, generator=torch.Generator().manual_seed(0)).to(pixels)
    return lie_first(model, noise, calls_of(model, noise, only), only)


def _close(one: Tensor, other: Tensor) -> bool:
    return bool((one - other).abs().max() <= CLOSE * other.abs().max())
