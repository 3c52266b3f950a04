"""Makes a film through the layers of the current view, which the browser saves as a file."""

import base64
import tempfile
from pathlib import Path
from typing import Any

from vizapp.painting.figures import film
from vizapp.ui.as_code import View
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"gif": base64} for a view (see `View`); {"why": words} if it has no film."""
    view = View.read(what)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.gif"
        film(run.again(), path, method=view.method, query=view.query, **view.settings)
        return {"gif": base64.b64encode(path.read_bytes()).decode()}
