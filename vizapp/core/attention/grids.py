"""Spread shares of coarse tokens on the finer ones under them, between layers with different grids."""

import torch

from vizapp.model.spec import TokenLayout


def refines(fine: TokenLayout, coarse: TokenLayout) -> bool:
    """Tell whether each patch of `coarse` is a whole block of patches of `fine`."""
    return all(a and b and a % b == 0 for a, b in zip(fine.grid, coarse.grid, strict=True))


def spread(shares: torch.Tensor, source: TokenLayout, target: TokenLayout) -> torch.Tensor:
    """Spread (..., token of source) -> (..., token of target): a patch's share evenly on the patches it was made of.

    `target` must have all prefix tokens of `source`, and a grid that `refines` it. Sums are kept.
    """
    if source == target:
        return shares
    # (..., row, col) of the coarse grid -> each value scale[0] x scale[1] times, divided by so many
    scale = [fine // coarse for fine, coarse in zip(target.grid, source.grid, strict=True)]
    patches = shares[..., source.n_prefix :].unflatten(-1, source.grid) / (scale[0] * scale[1])
    patches = patches.repeat_interleave(scale[0], -2).repeat_interleave(scale[1], -1).flatten(-2)
    result = shares.new_zeros(*shares.shape[:-1], target.n_tokens)
    result[..., target.n_prefix :] = patches
    # By name: prefix tokens that only `target` has get nothing.
    result[..., [target.prefix.index(name) for name in source.prefix]] = shares[..., : source.n_prefix]
    return result


def by_area(shares: torch.Tensor, source: tuple[int, int], target: tuple[int, int]) -> torch.Tensor:
    """Hand (..., patch of source) shares to the patches of `target` by how much of each lies on which; sums are kept.

    Both grids, (rows, cols), cover the same picture. Whole blocks are summed, or spread evenly, as `spread` does.
    """
    if source == target:
        return shares
    rows, cols = (_overlap(*sides).to(shares) for sides in zip(source, target, strict=True))
    return (rows @ shares.unflatten(-1, source) @ cols.T).flatten(-2)


def _overlap(source: int, target: int) -> torch.Tensor:
    """(target, source): the part of each of `source` equal stretches of a line that lies in each of `target` ones."""
    whole = source * target  # in such units the ends of all stretches are whole numbers
    starts, others = torch.arange(source) * target, torch.arange(target)[:, None] * source
    ends = torch.minimum(starts + target, others + whole // target)
    return (ends - torch.maximum(starts, others)).clamp_min(0).double() / target


def joined(grid: TokenLayout, *others: TokenLayout) -> TokenLayout:
    """The layout with the grid of `grid` and the prefix tokens of all."""
    names = dict.fromkeys(name for layout in (grid, *others) for name in layout.prefix)
    return TokenLayout(tuple(names), grid.grid)


def indices(part: TokenLayout, whole: TokenLayout) -> list[int]:
    """Indices of the tokens of `part` in `whole`, which has the same grid and at least its prefix tokens."""
    patches = range(whole.n_prefix, whole.n_tokens)
    return [*(whole.prefix.index(name) for name in part.prefix), *patches]
