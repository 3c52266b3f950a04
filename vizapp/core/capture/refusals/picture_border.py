"""Refuse a network whose patches do not cover its picture, all of it and nothing else: a map is spread over the whole picture."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from vizapp.core.capture.edited import unedited
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.memo import Memo
from vizapp.core.network import sum_to_differentiate
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

# Of a patch: how far patches may go over the border of the picture, or stay away from it. So no patch is drawn further from its
# place than that: 2 of 16 pixels.
OVER = 1 / 8

_margins: Memo[tuple[tuple[int, int], tuple[int, int]]] = Memo()


def check_covered(model: VisionModel, found: Sequence[AxisLayout], pixels: Tensor) -> None:
    """Raise `VizError` if the patches of the first layer do not cover `pixels` (B, C, h, w).

    A network may pad pictures to whole patches, or cut its border off; a map of these patches, spread over the picture alone,
    would not lie where it should.
    """
    # Of the first layer alone: the last grid of LeViT, 4 x 4 over 7 x 7, covers 256 of 224 pixels, and is right.
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
    # Patches that overlap end early, too, and still see everything. And a strided convolution leaves out, at the end, what does
    # not suffice for another patch: such a map lies on what is seen (see `seen_size`).
    margins = _margins_of(model, pixels)
    cut = [
        max(first, last if last * count >= side else 0)
        for (first, last), side, count in zip(margins, size, grid, strict=True)
    ]
    if any(lost > OVER * cover / count for lost, cover, count in zip(cut, covers, grid, strict=True)):
        raise VizError(
            "{name} never looks at the border of a picture of {size} pixels: its patches cover {seen}, so they do not lie evenly "
            "on the picture.",
            "Say a size of whole patches, vizapp.describe(net, preprocess=Preprocess((height, width))), and cut nothing off "
            "inside of the network.",
            name=model.name,
            size="{}x{}".format(*size),
            seen="{}x{}".format(*(side - lost for side, lost in zip(size, map(sum, margins), strict=True))),
        )


def seen_size(model: VisionModel, grid: tuple[int, int], pixels: Tensor) -> tuple[int, int]:
    """Measure (height, width) of `pixels` (B, C, h, w), from the top left corner, that `grid` (rows, cols) patches lie on.

    All of it, but for what does not suffice for another patch: SigLIP's 27 patches of 14 pixels leave out 6 of 384.
    """
    height, width = pixels.shape[-2:]
    if height % grid[0] == 0 and width % grid[1] == 0:
        return height, width
    (_, bottom), (_, right) = _margins_of(model, pixels)
    return height - bottom, width - right


def _margins_of(model: VisionModel, pixels: Tensor) -> tuple[tuple[int, int], tuple[int, int]]:
    net = unedited(model).net
    return _margins.get(net, pixels.shape[-3:], lambda: _unseen(net, pixels))


def _unseen(net: nn.Module, pixels: Tensor) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count rows at the top and bottom, and columns left and right, that the output does not hang on; 0 without a gradient."""
    picture, everything = pixels[:1].detach().clone().requires_grad_(True), ((0, 0), (0, 0))
    try:
        with torch.enable_grad(), run_plainly():
            made = [part for part in flat(net(picture)) if isinstance(part, Tensor) and part.requires_grad]
            mixed = sum(map(sum_to_differentiate, made))
            if not isinstance(mixed, Tensor):
                return everything
            (gradient,) = torch.autograd.grad(mixed, picture)
    except RuntimeError:  # its weights are no numbers that can be differentiated
        return everything
    # Over all channels: one of them alone may have weights of zero.
    seen = gradient.float().abs().sum((0, 1))
    return _border(seen.sum(1)), _border(seen.sum(0))


def _border(line: Tensor) -> tuple[int, int]:
    there = (line > 0).nonzero()[:, 0]
    return (int(there[0]), len(line) - 1 - int(there[-1])) if len(there) else (0, 0)
