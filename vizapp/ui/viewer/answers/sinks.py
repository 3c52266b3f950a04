"""Which patches swallow attention: for maps that came without them, as those of the first picture that a network is shown."""

from __future__ import annotations

from collections.abc import Callable
from inspect import ismethod
from typing import Any
from weakref import ReferenceType, WeakMethod, ref

from vizapp.analysis import Analysis
from vizapp.analysis.sinks import find_sinks
from vizapp.errors import VizError
from vizapp.ui.recent import Recent
from vizapp.ui.viewer.payload import sink_rows
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words

Session = Callable[..., Analysis]
_runs: Recent[tuple[ReferenceType[Session], tuple[Any, ...]]] = Recent(1000)


def remember(run: Run) -> None:
    """Keep how the picture can be analysed again: at once, if the page looked at it last."""
    look = run.look
    # A bound method itself would be gone at once.
    _runs.keep(run.name, (WeakMethod(look) if ismethod(look) else ref(look), run.choice))


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found.

    {} if the run is not known any more.
    """
    known = _runs.get(run)
    look = known and known[0]()
    if not known or not look:
        return {}
    try:
        found = find_sinks(look(*known[1]))
    except VizError as error:
        return {"why": words.translate(error.message)}
    return {"sinks": sink_rows(found)}
