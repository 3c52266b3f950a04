"""Which patches swallow attention: found when a visitor asks, by the name of the run that made the maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ReferenceType, ref

from vizapp import pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Analysis
from vizapp.ui.viewer.recent import Recent

Look = Callable[..., Analysis]
_runs: Recent[tuple[ReferenceType[Look], tuple[Any, ...]]] = Recent(1000)


def remember_sinks(run: str, look: Look, choice: tuple[Any, ...]) -> None:
    """`look(*choice)` analyses the picture of a run: at once, if it looked at it last. `look` goes with its page."""
    _runs.keep(run, (ref(look), choice))


def sinks(run: Any) -> dict[str, Any]:
    """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found.

    {} if nobody knows the run any more.
    """
    known = _runs.get(run)
    look = known and known[0]()
    if not known or not look:
        return {}
    try:
        found = pipeline.find_sinks(look(*known[1]))
    except VizError as error:
        return {"why": error.message}
    return {"sinks": [[one.row, one.col, one.share, min(one.layers), max(one.layers)] for one in found]}
