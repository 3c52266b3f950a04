"""Finds the sinks of maps that were sent without them, such as those of the first picture that a network is shown."""

from typing import Any

from vizapp.analysis.sinks import find_sinks
from vizapp.ui.viewer.payload import sink_rows
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found."""
    return {"sinks": sink_rows(find_sinks(run.again()))}
