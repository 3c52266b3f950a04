"""Cells: where the patches of a grid look, in pixels of the picture that the network saw.

Whoever paints, scores, sums or hides patches asks a `Cells`. Painting and scores ask through the frame of an analysis, which lies
around all cells.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from vizapp.model.spec import TokenLayout
from vizapp.wording import Text, listed

Pair = tuple[float, float]
AWAY = 1 / 8  # of a cell: how far patches may look beside evenly laid cells before it is said
HAIR = 1 / 32  # of a pixel: cells that are no whole pixels end a hair beside the picture


@dataclass(frozen=True)
class Cells:
    """The cell of each patch of a grid: as large as patches are apart, around the middle of what the patch sees.

    grid      (rows, cols)
    start     (y, x) of the top left corner of the first cell: below zero where the network pads the picture
    step      (y, x) from a cell to the next
    picture   (height, width) of the picture that the network saw
    sees      (height, width) of what one patch sees before the first attention; None: not measured, or all of the picture
    is_exact  False where the places of patches fit no even lattice of whole pixels: `start` and `step` are the nearest one
    """

    grid: tuple[int, int]
    start: Pair
    step: Pair
    picture: tuple[int, int]
    sees: tuple[int, int] | None = None
    is_exact: bool = True

    @classmethod
    def even(cls, grid: tuple[int, int], size: tuple[int, int]) -> "Cells":
        """Lay the cells evenly over all of a picture of `size` (height, width)."""
        return cls(grid, (0.0, 0.0), (size[0] / grid[0], size[1] / grid[1]), size)

    @property
    def covers(self) -> Pair:
        """(height, width) of all cells."""
        return self.grid[0] * self.step[0], self.grid[1] * self.step[1]

    @property
    def window(self) -> tuple[Pair, Pair]:
        """The place where all cells begin, and the size that they cover."""
        return self.start, self.covers

    @property
    def is_even(self) -> bool:
        """Tell whether the cells cover the picture, and nothing else."""
        ends = zip(self.start, self.covers, self.picture, strict=True)
        return all(abs(start) < HAIR and abs(cover - side) < HAIR for start, cover, side in ends)

    def in_json(self) -> dict[str, Any]:
        """Return the form for files, in pixels of the picture that the network saw, y before x."""
        return {
            "grid": list(self.grid),
            "start": list(self.start),
            "step": list(self.step),
            "picture": list(self.picture),
            "sees": None if self.sees is None else list(self.sees),
        }

    def box(self, row: int, col: int) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of a cell. The outermost may reach beyond the picture."""
        top, left = self.start[0] + row * self.step[0], self.start[1] + col * self.step[1]
        return left, top, left + self.step[1], top + self.step[0]

    def at(self, y: float, x: float) -> tuple[int, int] | None:
        """(row, col) of the cell at a point of the picture; None where there is none."""
        row, col = (int((at - start) // step) for at, start, step in zip((y, x), self.start, self.step, strict=True))
        return (row, col) if 0 <= row < self.grid[0] and 0 <= col < self.grid[1] else None

    def of(self, grid: tuple[int, int]) -> "Cells":
        """Lay another grid over the same part of the picture."""
        step = self.covers[0] / grid[0], self.covers[1] / grid[1]
        return self if grid == self.grid else replace(self, grid=grid, step=step, sees=None)

    def summed(self, values: Tensor) -> tuple[Tensor, TokenLayout]:
        """(patch,) sums of values (height, width) of pixels, and their layout; of a pixel on a border, each gets its part."""
        layout = TokenLayout((), self.grid)
        if self.is_even:
            # Means times the mean size: if the picture is no multiple of the grid, pixels on a border count for both patches.
            means = torch.nn.functional.adaptive_avg_pool2d(values[None, None], self.grid)
            return means.flatten() * (values.numel() / layout.n_patches), layout
        rows, cols = (one.to(values) for one in self._parts())
        return (rows @ values @ cols.T).flatten(), layout

    def mean(self, values: Tensor) -> Tensor:
        """(..., rows, cols) means of values (..., height, width) over the part of each cell that lies on the picture."""
        if self.is_even:
            return torch.nn.functional.adaptive_avg_pool2d(values, self.grid)
        rows, cols = (one / one.sum(1, keepdim=True).clamp_min(1e-9) for one in self._parts())
        return rows.to(values) @ values @ cols.to(values).T

    def owners(self, beyond: int | None = None) -> Tensor:
        """(height, width) number of the patch, row by row, in whose cell the middle of each pixel lies.

        beyond  the number of pixels that lie in no cell; None: that of the nearest patch, so that hiding all hides all pixels
        """
        row, col = (
            ((torch.arange(size) + 0.5 - start) / step).floor().long()
            for size, start, step in zip(self.picture, self.start, self.step, strict=True)
        )
        rows, cols = self.grid
        found = row.clamp(0, rows - 1)[:, None] * cols + col.clamp(0, cols - 1)
        if beyond is None:
            return found
        inside = ((row >= 0) & (row < rows))[:, None] & (col >= 0) & (col < cols)
        return found.where(inside, beyond)

    def _parts(self) -> tuple[Tensor, Tensor]:
        """(rows, height) and (cols, width): how much of each line of pixels lies in each line of cells."""
        found = []
        for count, size, start, step in zip(self.grid, self.picture, self.start, self.step, strict=True):
            first, pixel = start + step * torch.arange(count, dtype=torch.float64)[:, None], torch.arange(size)
            found.append((torch.minimum(first + step, pixel + 1) - torch.maximum(first, pixel)).clamp_min(0))
        return found[0], found[1]

    def off_even(self) -> Pair:
        """(down, right) in pixels: how far the middle of a patch is at most from that of an evenly laid cell."""
        down, right = (
            max(abs(start + step * (at + 0.5) - side / count * (at + 0.5)) for at in (0, count - 1))
            for start, step, side, count in zip(self.start, self.step, self.picture, self.grid, strict=True)
        )
        return down, right

    def notes(self) -> list[Text]:
        """Say how much a patch sees, if that is another part than its cell, and what no cell lies on."""
        said, step = list[Text](), self.step
        if self.sees is not None and self.sees != step:
            part = "Each patch sees only {sees} pixels, in the middle of its cell of {cell} pixels."
            if any(seen > apart for seen, apart in zip(self.sees, step, strict=True)):
                part = "Patches overlap: each sees an area of {sees} pixels, and its cell is the {cell} pixels in the middle."
            said.append(Text(part, sees=_by(self.sees), cell=_by(step)))
        bare, unseen = self._rim(step), self._rim(self.sees or step)
        if any(side > HAIR for side in bare):
            top, left, bottom, right = (f"{side:g}" for side in bare)
            sides = (
                Text("top {n}", n=top),
                Text("left {n}", n=left),
                Text("bottom {n}", n=bottom),
                Text("right {n}", n=right),
            )
            rim = listed([one for one, side in zip(sides, bare, strict=True) if side > HAIR])
            what = "The rim of what the network takes of the picture lies in no cell: nothing is painted there. Pixels: {rim}."
            if self.sees and all(less >= side for less, side in zip(unseen, bare, strict=True) if side > HAIR):
                what = "No patch sees the rim of what the network takes of the picture: nothing is painted there. Pixels: {rim}."
            said.append(Text(what, rim=rim))
        return said

    def _rim(self, part: Pair) -> tuple[float, float, float, float]:
        """(top, left, bottom, right): pixels that patches as large as `part` leave out; below zero beyond the picture."""
        first = [start + (step - one) / 2 for start, step, one in zip(self.start, self.step, part, strict=True)]
        last = [
            at + step * (count - 1) + one
            for at, step, count, one in zip(first, self.step, self.grid, part, strict=True)
        ]
        return first[0], first[1], self.picture[0] - last[0], self.picture[1] - last[1]


def shared(places: Iterable[Cells], grid: tuple[int, int]) -> Cells | None:
    """Give the cells of `grid` if the grids of `places` all lie on one part of the picture, exactly; None if not."""
    every = list(places)
    if not every or not all(one.is_exact for one in every) or len({one.window for one in every}) > 1:
        return None
    first = next((one for one in every if one.sees), every[0])
    return first.of(grid)


def notes_of(places: Iterable[Cells], grid: tuple[int, int]) -> tuple[Text, ...]:
    """Say with each map what its cells leave out, or that they are assumed. One note, () where there is nothing to say."""
    every = list(places)
    cells = shared(every, grid)
    if cells is not None:
        first = next((one for one in every if one.sees), cells)
        said = first.notes()
        return (said[0] if len(said) == 1 else listed(said, " "),) if said else ()
    away = [
        max(one.off_even())
        for one in every
        if any(off > AWAY * step for off, step in zip(one.off_even(), one.step, strict=True))
    ]
    if not away:
        return ()
    words = (
        "Cells are assumed: they are laid evenly over the picture, but patches of some layers overlap, and look at places up to "
        "{far} pixels away from the middle of their cells."
    )
    return (Text(words, far=f"{max(away):.1f}"),)


def _by(size: Pair) -> str:
    return f"{size[0]:g}x{size[1]:g}"
