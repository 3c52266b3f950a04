"""Lay the cells of a network on its picture, also where that has to be measured."""

from torch import Tensor

from vizapp.core.attention.cells import Cells
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.refusals.picture_border import seen_size
from vizapp.model.spec import VisionModel


def cells_of(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> Cells:
    """Lay the patches of `trace` on `pixels` (1, C, h, w): where they look, if that is known, else evenly.

    Patches of PiT overlap, and lie around the middle of the picture; a few pixels at one end may be left out.
    """
    if trace.cells is not None:
        return trace.cells
    grid = trace.layout.grid
    size, part = (pixels.shape[-2], pixels.shape[-1]), seen_size(model, grid, pixels)
    return Cells(grid, (0.0, 0.0), (part[0] / grid[0], part[1] / grid[1]), size)
