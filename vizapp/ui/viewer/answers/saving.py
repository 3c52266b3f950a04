"""Tells what belongs to a saved view: where its numbers come from, and the code that makes the same map."""

from __future__ import annotations

from typing import Any

from vizapp.analysis import Request
from vizapp.analysis.record import made_from
from vizapp.errors import VizError
from vizapp.ui.as_code import View, command, python
from vizapp.ui.server import folder
from vizapp.ui.viewer.run import Looks, Run
from vizapp.ui.words import Words

_looks = Looks()


def remember(run: Run) -> None:
    """Keep how the picture can be analysed again."""
    _looks.remember(run)


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """{"about": provenance, "python": lines, "command": line} for the view `what` (see `View`).

    The lines are missing for views that the API cannot express; {} if the run is no longer known.
    """
    known = _looks.again(run)
    if not known:
        return {}
    look, choice = known
    about = made_from(look())
    request = choice[0] if choice else None
    if not isinstance(request, Request):
        return {"about": about}
    try:
        view = View.read(what)
    except VizError:  # a browser may send anything
        return {"about": about}
    cache = str(folder.current().path)
    return {
        "about": about,
        "python": python(request, view, cache),
        "command": command(request, view, cache),
    }
