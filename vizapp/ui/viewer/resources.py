"""The viewer's resources on any page: script, CSS, colours, metrics. Gradio is not needed, since a notebook uses them, too."""

import base64
from functools import cache
from pathlib import Path
from typing import Any

from vizapp.core.metrics import metrics
from vizapp.render.colour import lut
from vizapp.ui import textbook
from vizapp.ui.words import Words
from vizapp.vocabulary import COLOUR_MAPS
from vizapp.wording import Text

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed


def style() -> str:
    """The CSS of the viewer and of its panels: panels/x.css beside panels/x.js."""
    own = sorted((FOLDER / "panels").glob("*.css"))
    return "\n".join(path.read_text("utf-8") for path in (FOLDER / "viewer.css", *own))


@cache
def colour_tables() -> dict[str, str]:
    """256 RGB triples for each colour map, in base64."""
    return {name: base64.b64encode(lut(name).tobytes()).decode() for name in COLOUR_MAPS}


def metric_list(words: Words) -> list[dict[str, str]]:
    """The metrics that the page offers: those that numbers/score.js computes, too."""
    return [
        {"name": one.name, "title": words.translate(Text(one.choice)), "format": one.format}
        for one in metrics().values()
    ]


def mounted_with(words: Words) -> dict[str, Any]:
    """The arguments of `mount` in JavaScript, besides the root element and `ask`."""
    return {
        "words": dict(words["viewer"]),
        "colours": colour_tables(),
        "metrics": metric_list(words),
        "chapters": textbook.said(textbook.chapters(), words),
    }
