"""What the viewer is given on any page: its script and CSS, colours, metrics. No Gradio: a notebook has it, too."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import Any

from vizapp.core.metrics import metrics
from vizapp.render.colour import COLOUR_MAPS, lut
from vizapp.ui import textbook
from vizapp.ui.words import Words
from vizapp.wording import Text

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed
FORMATS = {
    "share": "percent",
    "hit": "percent",
    "area": "number",
    "times": "times",
}  # as declared -> as the browser writes it


def style() -> str:
    """The CSS of the viewer, and of the panels that bring some: panels/x.css beside panels/x.js."""
    own = sorted((FOLDER / "panels").glob("*.css"))
    return "\n".join(path.read_text("utf-8") for path in (FOLDER / "viewer.css", *own))


@cache
def colour_tables() -> dict[str, str]:
    """256 RGB triples for each colour map, in base64."""
    return {name: base64.b64encode(lut(name).tobytes()).decode() for name in COLOUR_MAPS}


def metric_list(words: Words) -> list[dict[str, str]]:
    """What the page may measure with; a metric that has no twin in numbers/score.js is not offered there."""
    return [
        {"name": one.name, "title": words.translate(Text(one.choice)), "format": FORMATS[one.format]}
        for one in metrics().values()
    ]


def mounted_with(words: Words) -> dict[str, Any]:
    """What the browser mounts a viewer with, besides a root and a door."""
    return {
        "words": dict(words["viewer"]),
        "colours": colour_tables(),
        "metrics": metric_list(words),
        "chapters": textbook.said(textbook.chapters(), words),
    }
