"""Sum pixels patch by patch: find the part of a picture that a network cuts into patches, and sum over each of them."""

from __future__ import annotations

from torch import Tensor

from vizapp.core.attention.grids import in_patches
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.reading import surveyed
from vizapp.model.spec import TokenLayout, VisionModel

Part = tuple[slice, slice]


def summed(values: Tensor, part: Part, trace: AttentionTrace) -> tuple[Tensor, TokenLayout]:
    """(patch,) sums of values (h, w) of pixels, and the layout of patches; `part` as `part_in_patches` gives it."""
    layout = TokenLayout((), trace.layout.grid)
    return in_patches(values[part], layout), layout


def part_in_patches(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> Part:
    """Rows and columns of `pixels` (1, C, h, w) that patches lie on: all, or fewer if the picture is no multiple of them.

    Patches of PiT overlap, and lie around the middle of the picture; a few pixels at one end may be left out.
    """
    size, grid = pixels.shape[-2:], trace.layout.grid
    everything = slice(0, size[0]), slice(0, size[1])
    if not any(side % count for side, count in zip(size, grid, strict=True)):
        return everything
    # Only layers with the grid of the trace: those of a pyramid stand on coarser ones.
    names = [layer.name for index, layer in enumerate(trace.layers) if trace.layouts(index)[0].grid == grid]
    layouts = surveyed(model, pixels).layouts
    axes = next((layouts[title] for name in names for title in trace.calls_of(name) if title in layouts), None)
    # Nothing tells: then the whole picture is shared out, as evenly as it goes.
    if axes is None or axes.covers is None or axes.begins is None:
        return everything
    rows, cols = (
        slice(0, side) if cover >= side else slice(start := round(middle - cover / count / 2), start + round(cover))
        for side, count, cover, middle in zip(size, grid, axes.covers, axes.begins, strict=True)
    )
    return rows, cols
