"""The grid of patches that the tokens of a call stand on, and which token stands at which place of it."""

import torch
from torch import Tensor

from vizapp.core.attention.trace import UNNAMED
from vizapp.core.capture.patches.planes import NEAR, STEP
from vizapp.model.spec import TokenLayout

NO_GRID = TokenLayout((), (0, 0))
SAME = 1e-4  # of the largest value: apart from rounding, padding is the same everywhere
Pair = tuple[float, float] | None


def grid_of(
    places: Tensor, prefix: tuple[str, ...], extent: tuple[int, int] | None, values: Tensor
) -> tuple[TokenLayout, Tensor]:
    """Find the layout of tokens at `places` (window, token, 2), and the index of each in it; `NO_GRID` where they form no grid.

    values  (window, token, feature): of tokens without a place that stand among the others, they tell whether it is padding
    """
    there = places.isfinite().all(-1)
    if not bool(there.any()):
        return NO_GRID, torch.full(there.shape, -1)
    # In whole steps: means of coordinates come out a hair apart, and each would make a column of its own.
    steps = (places[there] / STEP).round().long()
    (rows, row), (cols, col) = (_ranks(steps[:, axis]) for axis in range(2))
    if extent is not None and not all(_covers(steps[:, axis] * STEP, extent[axis]) for axis in range(2)):
        return NO_GRID, torch.full(there.shape, -1)
    # In a sequence that has each patch once, tokens without a place are learned ones. In windows they are padding.
    n_learned = int((~there).sum()) if there.shape[0] == 1 and int(there.sum()) == rows * cols else 0
    if n_learned and not _side_by_side(there[0]) and not hold_more(values, ~there):
        n_learned = 0
    # A grid with holes is none: where patches were dropped, a map of it would say nothing of them.
    if len(torch.unique(row * cols + col)) != rows * cols:
        return NO_GRID, torch.full(there.shape, -1)
    named = prefix if len(prefix) == n_learned else _names(n_learned)
    tokens = torch.full(there.shape, -1)
    tokens[there.cpu()] = (n_learned + row * cols + col).cpu()
    if n_learned:
        # By their order in the sequence: nothing but that, and their number, tells learned tokens apart.
        tokens[0, ~there[0].cpu()] = torch.arange(n_learned)
    return TokenLayout(named, (rows, cols)), tokens


def covered(places: Tensor, layout: TokenLayout) -> tuple[Pair, Pair]:
    """Measure (height, width) of all patches and (y, x) of the first, from places (window, token, 2) of their middles."""
    if min(layout.grid) < 2:
        return None, None
    there = places[places.isfinite().all(-1)]
    apart = (there.amax(0) - there.amin(0)) / (torch.tensor(layout.grid, device=there.device) - 1)
    rows, cols = (apart.cpu() * torch.tensor(layout.grid)).tolist()
    y, x = there.amin(0).tolist()
    return (rows, cols), (y, x)


def has_twice(tokens: Tensor) -> bool:
    """Tell whether a window holds a token more than once."""
    ordered = tokens.sort(-1).values
    return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())


def _ranks(steps: Tensor) -> tuple[int, Tensor]:
    """Count the different values, and rank each; neighbours that are no more than two steps apart are one."""
    values = steps.unique()
    starts = torch.cat([torch.ones(1, dtype=torch.bool, device=values.device), values.diff() > 2])
    rank = starts.cumsum(0) - 1
    return int(starts.sum()), rank[torch.searchsorted(values, steps.contiguous())]


def _covers(places: Tensor, extent: int) -> bool:
    """Tell whether rows (or columns) of patches stand evenly all over the picture. Where some were dropped, a map is stretched.

    Patches that overlap end one step before the border, and a picture that is no multiple of a patch loses less than one.
    """
    values = places.unique()
    values = values[torch.cat([values[:1] > -torch.inf, values.diff() > 2 * STEP])]  # as `_ranks` tells them apart
    if len(values) < 2:
        return True
    gaps = values.diff()
    step = float(gaps.max())
    # Kernels of even length leave the first patch, or the last, half a step from the next. Within, a dropped row makes one gap
    # of two steps, beside which all others are half: any bound between that half and 1 finds it.
    even = bool((gaps > 0.4 * step).all()) and bool((gaps[1:-1] > 0.75 * step).all())
    # Half a step to the border is usual. Patches that overlap (PiT) leave a whole one at each side, and a rest that fills no
    # further patch up to one more at the end. Where a row was dropped, a step and a half is left.
    inside = float(values[0]) < 1.3 * step and extent - float(values[-1]) < 1.49 * step
    # Several lines with less than a patch of padding: whether a map of them would lie right is asked later (`picture_border`). Of
    # two that lie far apart nothing tells whether others were dropped between them.
    most = step if len(values) > 2 else 0.6 * step
    return even and inside and len(values) * step - extent < most


def _side_by_side(there: Tensor) -> bool:
    """Tell whether all tokens without a place stand before or behind those that have one."""
    placed = there.nonzero()[:, 0]
    return int(placed[-1]) - int(placed[0]) + 1 == len(placed)


def _names(count: int) -> tuple[str, ...]:
    return ("cls",) if count == 1 else tuple(f"{UNNAMED}{i}" for i in range(count))


def hold_more(values: Tensor, nowhere: Tensor) -> bool:
    """Tell whether tokens that stand nowhere are more than padding, which is zero, or what a layer makes of zero.

    values   (window, token, feature) of all tokens
    nowhere  (window, token), whether one stands nowhere
    """
    if not bool(nowhere.any()):
        return False
    least = SAME * float(values.abs().max())
    first = values[torch.arange(len(values), device=values.device), nowhere.int().argmax(1)]  # one of each window
    other = (values - first[:, None]).abs().amax(-1) > least
    if bool((other & nowhere).any()):
        return True
    # Padding lies at the border of the picture only, and in several slots. One token in the same slot of each window is learned.
    alone = bool((nowhere.sum(1) == 1).all()) and bool((nowhere == nowhere[0]).all())
    return alone and bool((first.abs().amax(-1) > least).any())


def spots_of(places: Tensor, tokens: Tensor, layout: TokenLayout) -> Tensor:
    """Put `places` (window, token, 2) in the order of `layout`: (token, 2), by the index of each token in it."""
    spots = torch.full((layout.n_tokens, 2), torch.nan)
    there = places.isfinite().all(-1).cpu()
    spots[tokens[there]] = places.cpu().float()[there]
    return spots


def spaces(spots: Tensor, layout: TokenLayout) -> Tensor:
    """Measure how far rows and columns of patches lie apart, (2,) in pixels; infinite where there is one only."""
    patches = spots[layout.n_prefix :]
    gaps = torch.tensor([float(side - 1) for side in layout.grid])
    return torch.where(gaps > 0, (patches.amax(0) - patches.amin(0)) / gaps, torch.inf)


def tokens_at(places: Tensor, spots: Tensor, layout: TokenLayout) -> Tensor:
    """Find the index of the token that stands at each of `places` (n, 2); -1 where none does."""
    patches = spots[layout.n_prefix :].unflatten(0, layout.grid)
    step, found = spaces(spots, layout), []
    for axis, lines in enumerate((patches[:, 0, 0], patches[0, :, 1])):
        middles = (lines[1:] + lines[:-1]) / 2
        at = torch.bucketize(places[:, axis].nan_to_num(nan=-torch.inf).contiguous(), middles)
        near = (places[:, axis] - lines[at]).abs() <= NEAR * step[axis]
        found.append(torch.where(near, at, -1))
    row, column = found
    return torch.where((row >= 0) & (column >= 0), layout.n_prefix + row * layout.grid[1] + column, -1)
