"""Frame: the part of the picture that the model looked at. It maps the user's picture to the model's pixels, and back."""

import math
from dataclasses import dataclass, replace

import numpy as np

from vizapp.errors import VizError
from vizapp.wording import Text


@dataclass(frozen=True)
class Frame:
    """The map between a picture (upright, as a person sees it) and the pixels that the model was given.

    model_x = picture_x * scale_x - left        model_y = picture_y * scale_y - top

    picture  (height, width) of the user's picture
    input    (height, width) of the model's pixels that its patches lie on: all, unless they begin or end elsewhere
    scale    (y, x): model pixels per picture pixel
    origin   (top, left) of the model's window in the scaled picture: positive where the picture was cropped,
             negative where it was padded
    Points are (x, y) with pixel edges at whole numbers: the first pixel spans 0 to 1. Cells are (row, col) from 0.
    """

    picture: tuple[int, int]
    input: tuple[int, int]
    scale: tuple[float, float]
    origin: tuple[float, float]

    def around(self, start: tuple[float, float], size: tuple[float, float]) -> "Frame":
        """Give the frame of a part of the model's pixels, which begins at `start` (y, x) and is of `size` (height, width).

        Patches of a network that pads its pictures begin outside of them, so the part may reach beyond.
        """
        origin = self.origin[0] + start[0], self.origin[1] + start[1]
        return replace(self, input=(round(size[0]), round(size[1])), origin=origin)

    def to_model(self, x: float, y: float) -> tuple[float, float]:
        """Map a point of the picture to model pixels."""
        return x * self.scale[1] - self.origin[1], y * self.scale[0] - self.origin[0]

    def to_picture(self, x: float, y: float) -> tuple[float, float]:
        """Map a point in model pixels to the picture."""
        return (x + self.origin[1]) / self.scale[1], (y + self.origin[0]) / self.scale[0]

    def box_of(self, row: int, col: int, grid: tuple[int, int]) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of a patch on the picture. It may reach outside if the input was padded."""
        patch_h, patch_w = self.input[0] / grid[0], self.input[1] / grid[1]
        left, top = self.to_picture(col * patch_w, row * patch_h)
        right, bottom = self.to_picture((col + 1) * patch_w, (row + 1) * patch_h)
        return left, top, right, bottom

    def patch_at(self, x: float, y: float, grid: tuple[int, int]) -> tuple[int, int] | None:
        """(row, col) of the patch that holds a point of the picture; None if the model never saw that point."""
        model_x, model_y = self.to_model(x, y)
        if not (0 <= model_x < self.input[1] and 0 <= model_y < self.input[0]):
            return None
        return math.floor(model_y * grid[0] / self.input[0]), math.floor(model_x * grid[1] / self.input[1])

    def mask_of(self, mask: np.ndarray, grid: tuple[int, int] | None = None) -> np.ndarray:
        """Map a mask (height, width) bool of the picture to the model's pixels; padding is False.

        A model pixel belongs to the object if the point of the picture under its centre does.
        grid  the pixels are made so much finer that each patch of this grid has whole ones; None: they stay as they are
        """
        if grid is not None and any(side % count for side, count in zip(self.input, grid, strict=True)):
            return self._finer(grid).mask_of(mask)
        mask = np.asarray(mask)
        if mask.shape != self.picture:
            shape = " x ".join(map(str, mask.shape)) or Text("no array")
            raise VizError(
                "The mask is {shape}, the picture {height} x {width} pixels.",
                "Draw the mask on the picture itself, upright.",
                shape=shape,
                height=self.picture[0],
                width=self.picture[1],
            )
        row, col = (
            np.floor((np.arange(size) + 0.5 + origin) / scale).astype(int)
            for size, origin, scale in zip(self.input, self.origin, self.scale, strict=True)
        )
        inside = ((row >= 0) & (row < mask.shape[0]))[:, None] & ((col >= 0) & (col < mask.shape[1]))
        clipped = np.clip(row, 0, mask.shape[0] - 1)[:, None], np.clip(col, 0, mask.shape[1] - 1)
        return mask[clipped].astype(bool) & inside

    def _finer(self, grid: tuple[int, int]) -> "Frame":
        """Give the frame of the same part in the fewest pixels, no larger than now, of which each patch has whole ones."""
        rows, cols = (-(-side // count) * count for side, count in zip(self.input, grid, strict=True))
        down, right = rows / self.input[0], cols / self.input[1]
        scale, origin = (self.scale[0] * down, self.scale[1] * right), (self.origin[0] * down, self.origin[1] * right)
        return replace(self, input=(rows, cols), scale=scale, origin=origin)

    @property
    def window(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of the model's whole input on the picture; padding lies outside the picture."""
        return (*self.to_picture(0, 0), *self.to_picture(self.input[1], self.input[0]))

    @property
    def window_shares(self) -> tuple[float, float, float, float]:
        """`window` in shares of the picture's width and height, which hold at any size; padding is below 0 and above 1."""
        (left, top, right, bottom), (height, width) = self.window, self.picture
        return left / width, top / height, right / width, bottom / height

    @property
    def seen(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of the part of the picture that reached the model."""
        left, top, right, bottom = self.window
        return max(left, 0.0), max(top, 0.0), min(right, float(self.picture[1])), min(bottom, float(self.picture[0]))
