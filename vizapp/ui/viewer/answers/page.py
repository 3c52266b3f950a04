"""What is shown as a page of its own, which needs no server: a file that the browser saves, made when a visitor asks."""

from __future__ import annotations

import base64
import importlib
import tempfile
from pathlib import Path
from typing import Any

from vizapp.errors import VizError
from vizapp.ui.viewer.run import Looks, Run
from vizapp.ui.words import Words

EXPORT = "vizapp.browser.one_file"  # by its name: that room stands above this one
MOST = 32 * 2**20  # bytes that are sent to a browser as one answer

_looks = Looks()


def remember(run: Run) -> None:
    """Keep how the picture can be analysed again."""
    _looks.remember(run)


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """{"html": base64} of the picture's page (see `vizapp.export`); {"why": words} where it cannot be made; {} if the run is not
    known any more."""
    known = _looks.again(run)
    if not known:
        return {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            importlib.import_module(EXPORT).export(known[0](), path)
            if path.stat().st_size > MOST:
                raise VizError(
                    "This page would be larger than {mb} MB: vizapp.export writes it as a file.", mb=MOST // 2**20
                )
            return {"html": base64.b64encode(path.read_bytes()).decode()}
    except VizError as error:
        return {"why": words.translate(error.message)}
