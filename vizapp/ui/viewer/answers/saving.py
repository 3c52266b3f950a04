"""Tells what belongs to a saved view: where its numbers come from, and the code that makes the same map."""

from typing import Any

from vizapp.analysis.record import made_from
from vizapp.errors import VizError
from vizapp.ui.as_code import View, command, python
from vizapp.ui.server import folder
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"about": provenance, "python": lines, "command": line} for the view `what` (see `View`).

    The lines are missing for views that the API cannot express.
    """
    about, request = made_from(run.again()), run.request
    if not request:
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
