"""The heatmap on the user's picture, exactly where the model looked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from vizapp.errors import VizError
from vizapp.render.colour import colours, lut, normalise

if TYPE_CHECKING:
    from model.frame import Frame

Alpha = Literal["value", "constant"]

UNSEEN = 0.45  # how bright stays what the model never saw
LUMA = np.array([0.299, 0.587, 0.114], np.float32)  # Rec. 601
BAND = 256  # rows painted at a time: a picture of 100 million pixels needs no gigabytes of floats


@dataclass(frozen=True)
class Style:
    """How a map is painted.

    colour_map  one of `COLOUR_MAPS`
    opacity     of the top colour, 0 to 1
    alpha       "value": low scores are transparent and show the picture; "constant": every patch has `opacity`
    smooth      False: each patch in one colour, which is all that the model says; True: bilinear between patch centres
    low, high   the scores of the bottom and the top colour; high=None is the maximum of the map
    """

    colour_map: str = "viridis"
    opacity: float = 0.75
    alpha: Alpha = "value"
    smooth: bool = False
    low: float = 0.0
    high: float | None = None

    def __post_init__(self) -> None:
        lut(self.colour_map)
        if not 0 <= self.opacity <= 1:
            raise VizError(f"Opacity goes from 0 to 1; got {self.opacity}.", "0.75 is the default.")
        if self.alpha not in get_args(Alpha):
            raise VizError(
                f"'{self.alpha}' is no way to choose alpha.", f"Choose one of: {', '.join(get_args(Alpha))}."
            )
        if not all(math.isfinite(bound) for bound in (self.low, self.high or 0.0)):
            raise VizError(
                f"A colour scale needs numbers; got {self.low} to {self.high}.", "Leave out what is not known."
            )

    def range_of(self, scores: np.ndarray) -> tuple[float, float]:
        """The scores of the bottom and the top colour."""
        return self.low, float(scores.max()) if self.high is None else self.high


def overlay(picture: np.ndarray, frame: Frame, scores: np.ndarray, style: Style | None = None) -> np.ndarray:
    """`scores` (rows, cols) painted over `picture`, (H, W, 3) uint8 RGB of the same size.

    A pixel takes the patch that `frame.patch_at` finds at its centre. What the model never saw is grey and dimmed.
    """
    assert picture.shape[:2] == frame.picture, f"the frame is of a picture {frame.picture}, not {picture.shape[:2]}"
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers (NaN or infinity).", "Run the model in float32.")
    style = style or Style()
    unit = normalise(scores, *style.range_of(scores))
    rows, in_rows = _cells(frame.picture[0], frame.scale[0], frame.origin[0], frame.input[0], scores.shape[0])
    cols, in_cols = _cells(frame.picture[1], frame.scale[1], frame.origin[1], frame.input[1], scores.shape[1])
    sample = _bilinear if style.smooth else _nearest
    painted = np.empty_like(picture)
    for top in range(0, len(rows), BAND):
        band = slice(top, top + BAND)
        heat = sample(unit, rows[band], cols)  # (h, W) in [0, 1]
        painted[band] = _blend(picture[band], heat, in_rows[band, None] & in_cols, style)
    return painted


def _cells(length: int, scale: float, origin: float, size: int, n_cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the pixel centres of one side fall: (in cells, 0 to n_cells; whether inside). `Frame.patch_at` for all."""
    model = (np.arange(length) + 0.5) * scale - origin
    inside = (model >= 0) & (model < size)
    return np.clip(model * n_cells / size, 0, n_cells), inside


def _nearest(unit: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    row = np.minimum(rows.astype(np.intp), unit.shape[0] - 1)
    col = np.minimum(cols.astype(np.intp), unit.shape[1] - 1)
    return unit[row[:, None], col]


def _bilinear(unit: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return _weights(rows, unit.shape[0]) @ unit @ _weights(cols, unit.shape[1]).T


def _weights(position: np.ndarray, n_cells: int) -> np.ndarray:
    """(pixel, cell) float32: how much of each cell a pixel takes. Flat beyond the outermost centres."""
    position = np.clip(position - 0.5, 0, n_cells - 1)  # from edges to centres
    return np.maximum(0, 1 - np.abs(position[:, None] - np.arange(n_cells))).astype(np.float32)


def _blend(picture: np.ndarray, heat: np.ndarray, seen: np.ndarray, style: Style) -> np.ndarray:
    base = picture.astype(np.float32)
    alpha = (style.opacity * (heat if style.alpha == "value" else np.ones_like(heat)))[..., None]
    heated = base + alpha * (colours(heat, style.colour_map) - base)
    grey = np.broadcast_to((UNSEEN * (base @ LUMA))[..., None], base.shape)
    return np.round(np.where(seen[..., None], heated, grey)).astype(np.uint8)
