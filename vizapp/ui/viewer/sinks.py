"""Which patches swallow attention: found when a visitor asks, by the name of the run that made the maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizapp import pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Analysis
from vizapp.ui.viewer.recent import Recent

_runs: Recent[Callable[[], Analysis]] = Recent(1000)


def remember_sinks(run: str, again: Callable[[], Analysis]) -> None:
    """`again` analyses the picture of a run: quickly, if it is the one that was looked at last."""
    _runs.keep(run, again)


def sinks(run: Any) -> dict[str, Any]:
    """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found.

    {} if nobody knows the run any more.
    """
    again = _runs.get(run)
    if again is None:
        return {}
    try:
        found = pipeline.find_sinks(again())
    except VizError as error:
        return {"why": error.message}
    return {"sinks": [[one.row, one.col, one.share, min(one.layers), max(one.layers)] for one in found]}
