"""Finds the sinks of maps that were sent without them, such as those of the first picture that a network is shown."""

from __future__ import annotations

from typing import Any

from vizapp.analysis.sinks import find_sinks
from vizapp.errors import VizError
from vizapp.ui.viewer.payload import sink_rows
from vizapp.ui.viewer.run import Looks, Run
from vizapp.ui.words import Words

_looks = Looks()


def remember(run: Run) -> None:
    """Keep how the picture can be analysed again."""
    _looks.remember(run)


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found.

    {} if the run is no longer known.
    """
    known = _looks.again(run)
    if not known:
        return {}
    try:
        found = find_sinks(known[0]())
    except VizError as error:
        return {"why": words.translate(error.message)}
    return {"sinks": sink_rows(found)}
