"""Paints the heatmap on the user's picture, exactly where the model looked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.render.colour import DIVERGING, colours, lut, normalise
from vizapp.vocabulary import OPACITY

if TYPE_CHECKING:
    from vizapp.model.frame import Frame

Alpha = Literal["value", "constant"]

UNSEEN = 0.45  # brightness of the part that the model did not see
STRIPES = 32  # along the longest side of a picture: a hatch of lines, since some colour maps have a grey
BAND = 256  # rows painted at a time: a picture of 100 million pixels needs no gigabytes of floats


@dataclass(frozen=True)
class Style:
    """The way in which a map is painted.

    Attributes
    ----------
    colour_map
        one of `COLOUR_MAPS`, or one of `DIVERGING`, whose middle is zero; None: the first of the two that suits what is
        painted (`vizapp.paint` knows whether values can be below zero; `overlay` takes the first)
    opacity
        of the top colour, 0 to 1
    alpha
        "value": opacity times the square root of the score's share of the range, so that low scores show the picture, as on
        the page (with a diverging map: scores near zero); "constant": every patch has `opacity`
    smooth
        False: each patch in one colour, which is all that the model says; True: bilinear between patch centres
    low, high
        the scores of the bottom and the top colour; high=None is the maximum of the map. A diverging map goes from -high to
        high, whatever `low` is; high=None is its largest value on either side of zero
    """

    colour_map: str | None = None
    opacity: float = OPACITY
    alpha: Alpha = "value"
    smooth: bool = False
    low: float = 0.0
    high: float | None = None

    def __post_init__(self) -> None:
        lut(self.colours)
        if not 0 <= self.opacity <= 1:
            raise VizError("Opacity goes from 0 to 1; got {opacity}.", "0.8 is the default.", opacity=self.opacity)
        if self.alpha not in get_args(Alpha):
            raise VizError(
                "'{alpha}' is no way to choose alpha.",
                "Choose one of: {names}.",
                alpha=self.alpha,
                names=", ".join(get_args(Alpha)),
            )
        if not all(math.isfinite(bound) for bound in (self.low, self.high or 0.0)):
            raise VizError(
                "A colour scale needs numbers; got {low} to {high}.",
                "Leave out what is not known.",
                low=self.low,
                high=self.high,
            )

    @property
    def colours(self) -> str:
        """The name of the colour map."""
        return self.colour_map or "viridis"

    @property
    def is_diverging(self) -> bool:
        """Tell whether the middle colour stands for zero."""
        return self.colour_map in DIVERGING

    def range_of(self, scores: np.ndarray) -> tuple[float, float]:
        """The scores of the bottom and the top colour."""
        if self.is_diverging:
            high = float(np.abs(scores).max()) if self.high is None else self.high
            return -high, high
        return self.low, float(scores.max()) if self.high is None else self.high


def overlay(
    picture: np.ndarray,
    frame: Frame,
    scores: np.ndarray,
    style: Style | None = None,
    hidden: np.ndarray | None = None,
) -> np.ndarray:
    """`scores` (rows, cols) painted over `picture`, (H, W, 3) uint8 RGB of the same size.

    hidden  (rows, cols) bool: patches that a mask hides, which are hatched in place of a colour; None for none

    A pixel belongs to the patch that `frame.patch_at` finds at its centre. The part that the model did not see is grey and dim.
    """
    assert picture.shape[:2] == frame.picture, f"the frame is of a picture {frame.picture}, not {picture.shape[:2]}"
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers (NaN or infinity).", "Run the model in float32.")
    style = style or Style()
    low, high = style.range_of(scores)
    unit = normalise(scores, low, high)
    if style.is_diverging and high <= low:
        unit = unit + np.float32(0.5)  # zero everywhere
    seen_rows, rows = _cells(frame.picture[0], frame.scale[0], frame.origin[0], frame.input[0], scores.shape[0])
    seen_cols, cols = _cells(frame.picture[1], frame.scale[1], frame.origin[1], frame.input[1], scores.shape[1])
    painted = _greyed(picture)
    seen, original = painted[seen_rows, seen_cols], picture[seen_rows, seen_cols]  # views
    for top in range(0, len(rows), BAND):
        band = slice(top, top + BAND)
        if style.smooth:
            paint = _paint(_bilinear(unit, rows[band], cols), style)
        else:
            paint = _nearest(_paint(unit, style), rows[band], cols)
        seen[band] = original[band] * paint[..., 3:] + paint[..., :3]
        if hidden is not None:
            shut = _nearest(hidden, rows[band], cols)
            seen[band][shut] = hatched(original[band], top, max(picture.shape[:2]))[shut]
    return painted


def hatched(picture: np.ndarray, top: int = 0, longest: int = 0) -> np.ndarray:
    """The picture under slanted lines, a bright one beside a dark one, which are seen on any picture.

    top      its first row, if it is a part of a picture whose longest side is `longest`
    """
    height, width = picture.shape[:2]
    longest = longest or max(height, width)
    line = max(1, longest // (8 * STRIPES))
    at = (np.arange(top, top + height)[:, None] + np.arange(width)) // line % max(4, longest // STRIPES // line)
    half = picture // 2
    return np.where((at == 0)[..., None], half + 127, np.where((at == 1)[..., None], half, picture))


def _greyed(picture: np.ndarray) -> np.ndarray:
    grey = np.asarray(Image.fromarray(picture).convert("L"))
    return np.repeat((np.arange(256) * UNSEEN).astype(np.uint8)[grey][..., None], 3, axis=2)


def _cells(length: int, scale: float, origin: float, size: int, n_cells: int) -> tuple[slice, np.ndarray]:
    """`Frame.patch_at` for one side: the pixels whose centres the model saw, and their positions in cells."""
    model = (np.arange(length) + 0.5) * scale - origin
    seen = np.flatnonzero((model >= 0) & (model < size))
    window = slice(seen[0], seen[-1] + 1) if len(seen) else slice(0, 0)
    return window, model[window] * n_cells / size


def _paint(unit: np.ndarray, style: Style) -> np.ndarray:
    """(...) in [0, 1] -> (..., 4) float32: the colour times alpha, plus a half for rounding; then 1 - alpha."""
    share = np.abs(2 * unit - 1) if style.is_diverging else unit
    alpha = style.opacity * (np.sqrt(share) if style.alpha == "value" else np.ones_like(share))[..., None]
    return np.concatenate([alpha * colours(unit, style.colours) + 0.5, 1 - alpha], axis=-1, dtype=np.float32)


def _nearest(cells: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return cells.take(cols.astype(np.intp), axis=1).take(rows.astype(np.intp), axis=0)


def _bilinear(unit: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.clip(_weights(rows, unit.shape[0]) @ unit @ _weights(cols, unit.shape[1]).T, 0, 1)


def _weights(position: np.ndarray, n_cells: int) -> np.ndarray:
    """(pixel, cell) float32: how much of each cell a pixel takes. Flat beyond the outermost centres."""
    position = np.clip(position - 0.5, 0, n_cells - 1)  # from edges to centres
    return np.maximum(0, 1 - np.abs(position[:, None] - np.arange(n_cells))).astype(np.float32)
