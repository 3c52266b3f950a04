"""Maps numbers to colours, by perceptually uniform maps only, so that equal steps of attention look equal."""

from functools import cache

import matplotlib
import numpy as np

from vizapp.errors import VizError
from vizapp.vocabulary import COLOUR_MAPS
from vizapp.wording import Text

DIVERGING: tuple[str, ...] = ("coolwarm",)  # for values on both sides of zero: blue below, red above, equally strong


@cache
def lut(name: str) -> np.ndarray:
    """The 256 colours of a map, low to high, (256, 3) uint8 RGB, read-only."""
    if name not in COLOUR_MAPS + DIVERGING:
        hint = Text("Choose one of: {names}.", names=", ".join(COLOUR_MAPS + DIVERGING))
        if name == "jet":
            raise VizError("jet is not offered: its uneven brightness draws edges where the numbers have none.", hint)
        raise VizError("There is no colour map '{name}'.", hint, name=name)
    colours = matplotlib.colormaps[name](np.arange(256), bytes=True)[:, :3].copy()
    colours.setflags(write=False)
    return colours


def normalise(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """`values` (...) from [low, high] to [0, 1], (...) float32, clipped. An empty range gives zeros."""
    if high <= low:
        return np.zeros(np.shape(values), np.float32)
    return np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1).astype(np.float32)


def colours(unit: np.ndarray, name: str) -> np.ndarray:
    """(...) in [0, 1] -> (..., 3) uint8 RGB, by the same steps as a matplotlib colour bar."""
    return lut(name)[np.minimum((unit * 256).astype(np.intp), 255)]
