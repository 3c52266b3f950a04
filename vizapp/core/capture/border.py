"""Do the patches of a network cover its picture, all of it and nothing else? A map is spread over the whole picture."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from vizapp.core.capture.arrange import AxisLayout
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.places import flat
from vizapp.core.memo import Memo
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

OVER = 1 / 8  # of a patch: how far patches may go over the border of the picture, or stay away from it

_margins: Memo[tuple[int, int]] = Memo()


def check_covered(model: VisionModel, found: Sequence[AxisLayout], pixels: Tensor) -> None:
    """Raise `VizError` if the patches of the first layer do not cover `pixels` (B, C, h, w).

    A network may pad pictures to whole patches, cut its border off, or leave out what is less than a patch; a map of these
    patches, spread over the picture alone, would not lie where it should.
    """
    first = next((axes for axes in found if axes.kind == "tokens"), None)
    if first is None:
        return
    grid, size = first.layout.grid, (pixels.shape[-2], pixels.shape[-1])
    covers = first.covers
    if covers is None:
        if model.patch is None:
            return
        covers = grid[0] * model.patch[0], grid[1] * model.patch[1]
    over = [(cover - side) * count / cover for cover, side, count in zip(covers, size, grid, strict=True)]  # in patches
    if max(over) > OVER:
        raise VizError(
            "{name} pads a picture of {size} pixels to about {covers}, so its patches do not lie evenly on the picture.",
            "Say a size that it takes as it is: vizapp.describe(net, preprocess=Preprocess((height, width))).",
            name=model.name,
            size="{}x{}".format(*size),
            covers="{:.0f}x{:.0f}".format(*covers),
        )
    if min(over) >= -OVER:
        return
    # Patches that overlap end early, too, and see all there is.
    unseen = _margins.get(unedited(model).net, pixels.shape[-3:], lambda: _unseen(unedited(model).net, pixels))
    if any(lost > OVER * cover / count for lost, cover, count in zip(unseen, covers, grid, strict=True)):
        raise VizError(
            "{name} never looks at the border of a picture of {size} pixels: its patches cover {seen}, so they do not lie evenly "
            "on the picture.",
            "Say a size of whole patches, vizapp.describe(net, preprocess=Preprocess((height, width))), and cut nothing off "
            "inside of the network.",
            name=model.name,
            size="{}x{}".format(*size),
            seen="{}x{}".format(*(side - lost for side, lost in zip(size, unseen, strict=True))),
        )


def _unseen(net: nn.Module, pixels: Tensor) -> tuple[int, int]:
    """How many rows and columns at the border of a picture the output does not hang on, by its gradient; 0, 0 without one."""
    picture = pixels[:1].detach().clone().requires_grad_(True)
    try:
        with torch.enable_grad():
            made = [part for part in flat(net(picture)) if isinstance(part, Tensor) and part.requires_grad]
            mixed = sum((part * torch.linspace(1, 2, part.shape[-1]).to(part)).sum() for part in made if part.ndim)
            if not isinstance(mixed, Tensor):
                return 0, 0
            (gradient,) = torch.autograd.grad(mixed, picture)
    except RuntimeError:  # its weights are no numbers that can be differentiated
        return 0, 0
    seen = gradient.float().abs().sum((0, 1))
    return _border(seen.sum(1)), _border(seen.sum(0))


def _border(line: Tensor) -> int:
    there = (line > 0).nonzero()[:, 0]
    return len(line) - (int(there[-1]) + 1 - int(there[0])) if len(there) else 0
