"""Makes a film through the layers of the current view, which the browser saves as a file."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any

from vizapp.errors import VizError
from vizapp.painting.figures import film
from vizapp.ui.as_code import View
from vizapp.ui.viewer.run import Looks, Run
from vizapp.ui.words import Words

_looks = Looks()


def remember(run: Run) -> None:
    """Keep how the picture can be analysed again."""
    _looks.remember(run)


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """{"gif": base64} for a view (see `View`); {"why": words} if it has no film; {} if the run is no longer known."""
    known = _looks.again(run)
    if not known:
        return {}
    try:
        view = View.read(what)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "film.gif"
            film(known[0](), path, method=view.method, query=view.query, **view.settings)
            return {"gif": base64.b64encode(path.read_bytes()).decode()}
    except VizError as error:
        return {"why": words.translate(error.message)}
