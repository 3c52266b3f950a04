"""Measure whether a map finds the object: metrics, one per file here and by entry points of other packages.

A metric is a function `(scores (maps, rows, cols), mask (h, w) bool) -> (maps,)`; the mask has the model's pixels, so a
patch is h / rows by w / cols of them. `@metric` says everything else about it, and no other table names one: the command
line, the page, cards and docs read the declaration. No number says anything by itself: read it beside the methods that
have seen nothing (`vizapp.core.methods.baselines`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from vizapp.core.measure import Better, Format, Measure
from vizapp.errors import VizError
from vizapp.plugins import choices, with_plugins
from vizapp.registry import made_in, things_in
from vizapp.wording import Text

GROUP = "vizapp.metrics"  # of entry points

MetricFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Metric(Measure):
    """A measure of how well a map finds an object whose place is known."""

    function: MetricFunction

    def __call__(self, scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """(maps,) for scores (maps, rows, cols); a number in an array of its own for one map (rows, cols).

        Raises `VizError` if the mask is empty or everything, or if it does not fit the patches.
        """
        check(scores, mask)
        return self.function(scores.reshape(-1, *scores.shape[-2:]), mask).reshape(scores.shape[:-2])


def metric(
    *,
    title: str,
    sentence: str,
    paper: str,
    uninformed: str,
    short: str = "",
    choice: str = "",
    direction: Better = "higher",
    format: Format = "share",
    order: int = 100,
    main: bool = False,
) -> Callable[[MetricFunction], Metric]:
    """Declare a function to be the metric of its own name; `Measure` says what each word means."""

    def declare(function: MetricFunction) -> Metric:
        return Metric(
            name=function.__name__,
            function=function,
            title=title,
            sentence=sentence,
            short=short or function.__name__,
            choice=choice or title,
            direction=direction,
            format=format,
            paper=paper,
            uninformed=uninformed,
            order=order,
            main=main,
        )

    return declare


@cache
def metrics() -> dict[str, Metric]:
    """Every metric by name, in the order of their columns."""
    found = with_plugins(things_in(__name__, Metric), GROUP, _from_plugin)
    return dict(sorted(found.items(), key=lambda one: (one[1].order, one[0])))


def metric_named(name: str) -> Metric:
    """The metric called `name`. Raises `VizError` with the names there are, and with what is wrong with plug-ins."""
    if name not in metrics():
        raise VizError("There is no metric '{name}'.", choices(name, metrics(), GROUP), name=name)
    return metrics()[name]


def measured(maps: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
    """Metric -> (maps,) for maps (maps, rows, cols) of one grid and the object (h, w) bool in model pixels."""
    heat = maps.clip(min=0)  # relevance below zero speaks against the class: it finds no object
    return {name: one(heat, mask) for name, one in metrics().items()}


def _from_plugin(given: object) -> dict[str, Metric]:
    """The metrics that an entry point names."""
    found = made_in(given, Metric)
    if not found:
        raise VizError("Expected a function with @metric, or a module that has one; got {got}.", got=repr(given))
    return found


def cover(mask: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """(rows, cols) in [0, 1]: how much of each patch is object."""
    rows, cols = grid
    return mask.reshape(rows, mask.shape[0] // rows, cols, mask.shape[1] // cols).mean((1, 3))


def check(scores: np.ndarray, mask: np.ndarray) -> None:
    """Raises `VizError` if these maps cannot be compared with this mask."""
    rows, cols = scores.shape[-2:]
    if mask.dtype != bool or mask.ndim != 2:
        raise VizError(
            "A mask is (h, w) bool, but got {kind} {shape}.", "mask > 0.5 makes one.", kind=mask.dtype, shape=mask.shape
        )
    if mask.shape[0] % rows or mask.shape[1] % cols:
        raise VizError(
            "A mask of {height} x {width} pixels cannot be cut into {rows} x {cols} patches.",
            "It must have the model's pixels: `Frame.mask_of` brings it there.",
            height=mask.shape[0],
            width=mask.shape[1],
            rows=rows,
            cols=cols,
        )
    if mask.all() or not mask.any():
        raise VizError(
            "The object covers {part} of what the model saw: nothing to tell apart.",
            "Mark the object inside the bright part of the picture.",
            part=Text("all") if mask.all() else Text("none"),
        )
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers (NaN or infinity).", "Run the model in float32.")
