"""Remembers the maps that were sent to browsers, by the names under which these ask for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import ismethod
from typing import Any
from weakref import ReferenceType, WeakMethod, ref

from vizapp.analysis import Analysis
from vizapp.model.spec import VisionModel
from vizapp.ui.recent import Recent


@dataclass(frozen=True)
class Run:
    """One value of the component.

    name         cannot be guessed, so nobody can ask about another visitor's maps
    seen         the analysis that was sent
    model        the network that made it
    look         `look(*choice)` makes `seen` again; `Looks` keeps it weakly, so that it goes with its page
    is_complete  whether all layers were sent
    """

    name: str
    seen: Analysis
    model: VisionModel
    look: Callable[..., Analysis]
    choice: tuple[Any, ...]
    is_complete: bool


class Looks:
    """The functions that analyse the pictures of recent runs again; fast if the session still has the analysis."""

    def __init__(self) -> None:
        self._runs: Recent[tuple[ReferenceType[Callable[..., Analysis]], tuple[Any, ...]]] = Recent(1000)

    def remember(self, run: Run) -> None:
        look = run.look
        # A weak reference to a bound method would be dead at once: Python makes a new object for each access.
        self._runs.keep(run.name, (WeakMethod(look) if ismethod(look) else ref(look), run.choice))

    def again(self, name: str) -> tuple[Callable[[], Analysis], tuple[Any, ...]] | None:
        """A function that analyses a run's picture again, and the choice that was made; None if the run is no longer known."""
        known = self._runs.get(name)
        look = known and known[0]()
        return (lambda: look(*known[1]), known[1]) if known and look else None

    def way(self, name: str) -> Callable[..., Analysis]:
        """The run's function alone, which can analyse other pictures, too. Raises `LookupError` for an unknown run."""
        known = self._runs.get(name)
        look = known and known[0]()
        if not look:
            raise LookupError(name)
        return look
