"""Which patches swallow attention: found when a visitor asks, by the name of the run that made the maps."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from vizapp import pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Analysis

KEPT = 1000  # runs that can be asked for; those that came last


class SinkFinder:
    """Of each run it keeps how to look again, which is quick for the picture that was looked at last."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, Callable[[], Analysis]] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, run: str, again: Callable[[], Analysis]) -> None:
        """`again` analyses the picture of a run."""
        with self._lock:
            self._runs[run] = again
            while len(self._runs) > KEPT:
                self._runs.popitem(last=False)

    def sinks(self, run: Any) -> dict[str, Any]:
        """{"sinks": [[row, col, share, first layer, last layer], ...]}, from 0; {"why": words} if none can be found.

        {} if nobody knows the run any more.
        """
        with self._lock:
            again = self._runs.get(str(run))
        if again is None:
            return {}
        try:
            found = pipeline.find_sinks(again())
        except VizError as error:
            return {"why": error.message}
        return {"sinks": [[one.row, one.col, one.share, min(one.layers), max(one.layers)] for one in found]}
