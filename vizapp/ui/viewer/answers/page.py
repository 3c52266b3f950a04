"""Exports the current picture as one HTML file that needs no server, which the browser saves."""

import base64
import importlib
import tempfile
from pathlib import Path
from typing import Any

from vizapp.errors import VizError
from vizapp.ui.examples import lesson_of
from vizapp.ui.server import folder
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words

EXPORT = "vizapp.browser.one_file"  # imported by name: the room vizapp.browser stands above this one
MOST = 32 * 2**20  # bytes that are sent to a browser as one answer


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"html": base64} of the picture's page (see `vizapp.export`); {"why": words} if it cannot be made."""
    request = run.request
    drawn = request is not None and lesson_of(request.source, str(folder.current().path)) is not None
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "page.html"
        importlib.import_module(EXPORT).export(run.again(), path, drawn=drawn)
        if path.stat().st_size > MOST:
            raise VizError(
                "This page would be larger than {mb} MB: vizapp.export writes it as a file.", mb=MOST // 2**20
            )
        return {"html": base64.b64encode(path.read_bytes()).decode()}
