"""Find where the cells of each grid of patches lie, from the places of its tokens, and prove it by what a patch sees.

A place is the middle of what a token sees, through every convolution and pooling before it (see `coordinates`): kernels, strides,
paddings and dilations are composed there. A slope back to the pixels tells what one patch sees, and that its middle is there.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from vizapp.core.attention.cells import AWAY, Cells, shared
from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.watch import Watch
from vizapp.core.network import SeenEnough, dtype_of, sum_to_differentiate
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

CLOSE = 1 / 32  # of a pixel: places come out a hair apart


def cuts_plainly(model: VisionModel, pixels: Tensor) -> bool:
    """Tell whether the first convolution of a plain ViT cuts `pixels` into whole patches side by side, without a rest."""
    # In a plain ViT nothing else puts patches elsewhere: blocks leave the order and the places of tokens alone.
    first = next((part for part in unedited(model).net.modules() if isinstance(part, nn.Conv2d)), None)
    if first is None or model.patch is None:
        return True  # a linear layer makes tokens of what was cut out
    return (
        first.kernel_size == first.stride == tuple(model.patch)
        and first.padding in ("valid", 0, (0, 0))
        and not any(side % patch for side, patch in zip(pixels.shape[-2:], model.patch, strict=True))
    )


def places_of(layouts: Mapping[str, AxisLayout], pixels: Tensor, sight: "Sight | None") -> tuple[Cells, ...]:
    """Find the cells of each grid that patches ask from, by the calls in `layouts`, and by what one patch sees.

    () where all are even, and a patch sees no more and no less than its cell.
    """
    found: dict[tuple[int, int], Cells] = {}
    for axes in layouts.values():
        if axes.kind == "tokens" and axes.spots is not None and axes.layout.grid not in found:
            found[axes.layout.grid] = _cells(axes.spots[axes.layout.n_prefix :], axes.layout.grid, pixels)
    for axes in () if found else layouts.values():  # no layer asks from patches, but a class token looks at them
        if axes.kind == "pool" and axes.key_spots is not None and axes.key_layout.grid not in found:
            grid = axes.key_layout.grid
            found[grid] = _cells(axes.key_spots[axes.key_layout.n_prefix :], grid, pixels)
    if not found:
        return ()
    every = tuple(found.values())
    if shared(every, every[0].grid) is not None:
        every = (_proven(every[0], sight), *every[1:])
    are_even = all(one.is_even for one in every) and every[0].sees in (None, every[0].step)
    return () if are_even else every


def _cells(spots: Tensor, grid: tuple[int, int], pixels: Tensor) -> Cells:
    """Lay cells around `spots` (patch, 2), the places of the patches."""
    laid, size = spots.double().unflatten(0, grid), (pixels.shape[-2], pixels.shape[-1])
    lines = [
        _line(along, side) for along, side in zip((laid[:, :, 0].mean(1), laid[:, :, 1].mean(0)), size, strict=True)
    ]
    (y, down, is_even_down), (x, right, is_even_right) = lines
    return Cells(grid, (y, x), (down, right), size, is_exact=is_even_down and is_even_right)


def _line(places: Tensor, side: int) -> tuple[float, float, bool]:
    """Find where cells in a line begin, how far they are apart, and whether exactly so, from the `places` of their middles.

    Where a kernel of even length lies over the border with half of its middle, only the other half has a place: so the first
    and the last may stand half a step from where the others have them.
    """
    count = len(places)
    if count < 2:
        return 0.0, side / count, True
    if not bool(places.isfinite().all()):
        return 0.0, side / count, False
    # Medians, since the first and the last place may be half a step off.
    step = float(places.diff().median())
    middle = float((places - step * torch.arange(count)).median())
    # Strides are whole pixels; the middle of a kernel lies on a pixel or, of one of even length, between two.
    whole, half = round(step), round(2 * middle) / 2
    off = (places - half - whole * torch.arange(count)).abs()
    inner = off[1:-1] if count > 3 else off
    exact = whole > 0 and bool((inner <= CLOSE).all()) and bool((off <= 0.5 * whole).all())
    if exact:
        return half - whole / 2, float(whole), True
    if math.isclose(step * count, side, rel_tol=1e-3) and math.isclose(middle, side / count / 2, rel_tol=0.01):
        return 0.0, side / count, True  # even cells that are no whole pixels, as of a picture that the network resizes
    return middle - step / 2, step, False


def _proven(cells: Cells, sight: "Sight | None") -> Cells:
    """Give `cells` with what a patch of them sees; not exact, if the middle of that lies elsewhere than its cell."""
    if sight is None or sight.grid != cells.grid or sight.box == (0, cells.picture[0], 0, cells.picture[1]):
        return cells  # of all of the picture: something mixed it, so nothing is known of the patch itself
    cells = _of_lone(cells, sight)
    left, top, right, bottom = cells.box(*sight.patch)
    sees = []
    for low, high, begin, end, side in (
        (*sight.box[:2], top, bottom, cells.picture[0]),
        (*sight.box[2:], left, right, cells.picture[1]),
    ):
        middle, reach = (begin + end) / 2, max((begin + end) / 2 - low, high - (begin + end) / 2)
        # Where the border of the picture cuts off what a patch sees, that side does not tell where the middle is.
        ends_inside = [middle - low] * (low > 0) + [high - middle] * (high < side)
        if any(abs(one - reach) > AWAY * (end - begin) for one in ends_inside):
            return replace(cells, is_exact=False)
        sees.append(side if low == 0 and high == side else round(2 * reach))
    return replace(cells, sees=(sees[0], sees[1]))


def _of_lone(cells: Cells, sight: "Sight") -> Cells:
    """Lay the cells of a single row, or column, on what a patch of it sees: there is no neighbour that tells how far cells go."""
    start, step = list(cells.start), list(cells.step)
    for axis, (low, high) in enumerate((sight.box[:2], sight.box[2:])):
        if cells.grid[axis] == 1:
            start[axis], step[axis] = float(low), float(high - low)
    return replace(cells, start=(start[0], start[1]), step=(step[0], step[1]))


@dataclass(frozen=True)
class Sight:
    """The pixels that the query of one patch depends on, in the first layer: of `grid`, in the row and column `patch`.

    box  (top, bottom, left, right)
    """

    grid: tuple[int, int]
    patch: tuple[int, int]
    box: tuple[int, int, int, int]


def sight_of(model: VisionModel, layouts: Mapping[str, AxisLayout], pixels: Tensor) -> Sight | None:
    """See what the patch in the middle sees in the first layer of `layouts`: by a slope, in a pass on `pixels` (1, C, h, w).

    None where that is not known: no numbers that can be differentiated, or no query by itself.
    """
    title = next((title for title, axes in layouts.items() if axes.kind == "tokens"), None)
    if title is None:
        return None
    axes, picture = layouts[title], pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)
    grid = axes.layout.grid
    # In the middle, where the border of the picture cuts off the least of what it sees.
    patch, slopes = (grid[0] // 2, grid[1] // 2), list[Tensor]()

    def saw(call: Call) -> None:
        if call.title != title:
            return
        if call.q is not None and call.q.requires_grad:
            window, slot = (axes.queries == axes.layout.token_of(*patch)).nonzero()[0].tolist()
            query = axes.fold(call.q.expand(*call.output.shape[:-2], *call.q.shape[-2:]))[window, :, slot]
            slopes.extend(torch.autograd.grad(sum_to_differentiate(query), picture))
        raise SeenEnough

    try:
        with torch.random.fork_rng([]), torch.enable_grad(), Watch(model.net, saw):
            model.net(picture.clone())  # a leaf must not be written into
    except SeenEnough:
        pass
    except (RuntimeError, LookupError, TypeError, ValueError, VizError):
        return None
    lines = [slopes[0][0].float().abs().amax((0, axis)).nonzero()[:, 0].tolist() for axis in (2, 1)] if slopes else []
    if not lines or not all(lines):
        return None
    (rows, cols) = lines
    return Sight(grid, patch, (rows[0], rows[-1] + 1, cols[0], cols[-1] + 1))
