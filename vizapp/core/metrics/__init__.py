"""Does a map find the object? Metrics, one per file of this folder, found by itself: maps, mask -> a number per map.

A metric is a function `(scores (maps, rows, cols), mask (h, w) bool) -> (maps,)`; the mask has the model's pixels, so a
patch is h / rows by w / cols of them. 1 is best for all but `lift`, where more is better. No number says anything by
itself: read it beside `baselines`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from vizapp.errors import VizError


@dataclass(frozen=True)
class Metric:
    """A metric and what it says about itself. `uninformed`: what a uniform map gets, in words."""

    name: str
    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    paper: str
    uninformed: str

    def __call__(self, scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """(maps,) for scores (maps, rows, cols); a number in an array of its own for one map (rows, cols).

        Raises `VizError` if the mask is empty or everything, or if it does not fit the patches.
        """
        check(scores, mask)
        return self.function(scores.reshape(-1, *scores.shape[-2:]), mask).reshape(scores.shape[:-2])


def metric(*, paper: str, uninformed: str) -> Callable[[Callable[[np.ndarray, np.ndarray], np.ndarray]], Metric]:
    """Declare a function to be the metric of its own name."""

    def declare(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Metric:
        return Metric(function.__name__, function, paper, uninformed)

    return declare


@cache
def metrics() -> dict[str, Metric]:
    """Every metric in this folder, by name."""
    found: dict[str, Metric] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Metric):
                found[value.name] = value
    return found


def metric_named(name: str) -> Metric:
    if name not in metrics():
        raise VizError(f"There is no metric '{name}'.", f"Choose one of: {', '.join(metrics())}.")
    return metrics()[name]


def cover(mask: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """(rows, cols) in [0, 1]: how much of each patch is object."""
    rows, cols = grid
    return mask.reshape(rows, mask.shape[0] // rows, cols, mask.shape[1] // cols).mean((1, 3))


def check(scores: np.ndarray, mask: np.ndarray) -> None:
    """Can these maps be compared with this mask?"""
    rows, cols = scores.shape[-2:]
    if mask.dtype != bool or mask.ndim != 2:
        raise VizError(f"A mask is (h, w) bool, but {mask.dtype} {mask.shape} came.", "mask > 0.5 makes one.")
    if mask.shape[0] % rows or mask.shape[1] % cols:
        raise VizError(
            f"A mask of {mask.shape[0]} x {mask.shape[1]} pixels cannot be cut into {rows} x {cols} patches.",
            "It must have the model's pixels: `Frame.mask_of` brings it there.",
        )
    if mask.all() or not mask.any():
        raise VizError(
            f"The object covers {'all' if mask.all() else 'none'} of what the model saw: nothing to tell apart.",
            "Mark the object inside the bright part of the picture.",
        )
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers (NaN or infinity).", "Run the model in float32.")
