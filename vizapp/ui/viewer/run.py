"""What is known of maps that are on their way to a browser, by the name under which it will ask for more."""

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

    name         cannot be guessed
    seen         the analysis that was sent
    model        what made it
    look         `look(*choice)` makes `seen` once more; it goes with its page
    is_complete  whether all layers were sent
    """

    name: str
    seen: Analysis
    model: VisionModel
    look: Callable[..., Analysis]
    choice: tuple[Any, ...]
    is_complete: bool


class Looks:
    """How the pictures of the last runs can be analysed again: at once, where the session still has them."""

    def __init__(self) -> None:
        self._runs: Recent[tuple[ReferenceType[Callable[..., Analysis]], tuple[Any, ...]]] = Recent(1000)

    def remember(self, run: Run) -> None:
        look = run.look
        # A bound method itself would be gone at once.
        self._runs.keep(run.name, (WeakMethod(look) if ismethod(look) else ref(look), run.choice))

    def again(self, name: str) -> tuple[Callable[[], Analysis], tuple[Any, ...]] | None:
        """What analyses the picture of a run again, and what was chosen; None if the run is not known any more."""
        known = self._runs.get(name)
        look = known and known[0]()
        return (lambda: look(*known[1]), known[1]) if known and look else None

    def way(self, name: str) -> Callable[..., Analysis]:
        """The function alone, by which other pictures can be analysed, too. Raises `LookupError` for a run that is not known."""
        known = self._runs.get(name)
        look = known and known[0]()
        if not look:
            raise LookupError(name)
        return look
