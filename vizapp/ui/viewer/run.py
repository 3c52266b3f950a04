"""Remembers the maps that were sent to browsers, by the names under which these ask for more."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import ismethod
from typing import Any
from weakref import ReferenceType, WeakMethod, ref

from vizapp.analysis import Analysis, Request
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.recent import Recent
from vizapp.ui.words import Words

Answer = Callable[[str, Any, Words], dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """One value of the component.

    name         cannot be guessed, so nobody can ask about another visitor's maps
    seen         the analysis that was sent
    model        the network that made it
    look         `look(*choice)` makes `seen` again; it is kept weakly, so that it goes with its page
    is_complete  whether all layers were sent
    """

    name: str
    seen: Analysis
    model: VisionModel
    look: Callable[..., Analysis]
    choice: tuple[Any, ...]
    is_complete: bool


@dataclass(frozen=True)
class KnownRun:
    """A run that is asked about, and whose page is still there."""

    look: Callable[..., Analysis]
    choice: tuple[Any, ...]

    def again(self) -> Analysis:
        """Analyse its picture again; fast if the session still has the analysis."""
        return self.look(*self.choice)

    @property
    def request(self) -> Request | None:
        """What was asked for; None where the choice was something else."""
        return next((one for one in self.choice[:1] if isinstance(one, Request)), None)


_runs: Recent[str, tuple[ReferenceType[Callable[..., Analysis]], tuple[Any, ...]]] = Recent(1000)


def keep(run: Run) -> None:
    """Keep how the picture of a run can be analysed again."""
    look = run.look
    # A weak reference to a bound method would be dead at once: Python makes a new object for each access.
    _runs.keep(run.name, (WeakMethod(look) if ismethod(look) else ref(look), run.choice))


def known_run(name: str) -> KnownRun | None:
    """Find a run by its name; None where it is forgotten, or its page is gone."""
    known = _runs.get(name)
    look = known and known[0]()
    return KnownRun(look, known[1]) if known and look else None


def about_known_run(answer: Callable[[KnownRun, Any, Words], dict[str, Any]]) -> Answer:
    """Call `answer` for runs that are still known, and answer with message and hint where it raises a `VizError`."""

    @wraps(answer)
    def answered(run: str, what: Any, words: Words) -> dict[str, Any]:
        known = known_run(run)
        if known is None:
            return {}
        try:
            return answer(known, what, words)
        except VizError as error:
            return {"why": words.explain(error)}

    return answered
