"""The viewer as a Gradio component: a `gr.HTML` that its script fills, fed by one binary file (see payload.py)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import gradio as gr
from gradio.data_classes import FileData, GradioModel

from vizapp.analysis import Analysis
from vizapp.core.metrics import metrics
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.render.colour import COLOUR_MAPS, lut
from vizapp.ui.server import folder
from vizapp.ui.viewer.ask import door, remember
from vizapp.ui.viewer.payload import Packed, pack
from vizapp.ui.viewer.run import Run
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


class ViewerValue(GradioModel):
    """What the component holds: the payload's file, its length, which the browser needs before it has arrived, and how much
    of it makes a first map.

    `run` makes the same maps a new value: a picture that is chosen again after a lost connection comes again. By this name
    the browser asks for more, see ask.py.
    `refused` says, in place of maps, why there are none: what is wrong with them, and a hint.
    """

    file: FileData | None = None
    bytes: int = 0
    first: int = 0
    run: str = ""
    refused: tuple[str, ...] = ()


def viewer(words: Words) -> gr.HTML:
    """The component. A factory and not a subclass: Gradio writes a .pyi file beside each subclass that it meets."""
    component = gr.HTML(
        html_template='<div class="viz" data-state="empty"></div>',
        css_template=style(),
        js_on_load=script(words),
        elem_id="viewer",
        apply_default_css=False,
        server_functions=[door(words)],
    )
    component.data_model = ViewerValue
    return component


def style() -> str:
    """The CSS of the viewer, and of the panels that bring some: panels/x.css beside panels/x.js."""
    own = sorted((FOLDER / "panels").glob("*.css"))
    return "\n".join(path.read_text("utf-8") for path in (FOLDER / "viewer.css", *own))


def value_of(
    seen: Analysis,
    model: VisionModel,
    look: Callable[..., Analysis],
    choice: tuple[Any, ...],
    words: Words,
    *,
    question: str = "",
    caution: str = "",
) -> dict[str, Any]:
    """The component's value for one picture analysed by `model`; `question` and `caution` as for `pack`.

    `look(*choice)` makes `seen` once more, for what the browser asks later. The file lies in the
    server's folder, which deletes it in time.
    """
    packed = pack(seen, question, words.translate, caution)
    path = folder.current().put("vizapp", packed, ".bin")
    run, told = uuid4().hex, Packed.of(packed)
    remember(Run(run, seen, model, look, choice, told.is_complete))
    return ViewerValue(file=FileData(path=str(path)), bytes=len(packed), first=told.first, run=run).model_dump()


def refused(error: VizError, words: Words) -> dict[str, Any]:
    """The component's value for a network whose maps must not be shown."""
    return ViewerValue(refused=(words.translate(error.message), words.translate(error.hint))).model_dump()


def script(words: Words) -> str:
    """The body of `js_on_load`: the bundle, and the few lines that start it.

    `root.viewer` is for the page (show, choose, settle, wait; state and arrives for links) and for tests (state, payload, view,
    attention, panels).
    """
    given = {"words": dict(words["viewer"]), "colours": colour_tables(), "metrics": metric_list(words)}
    start = f"""
const root = element.querySelector(".viz");
root.viewer = vizapp.mount(root, {{ ...{json.dumps(given)}, ask: (asked) => server.ask(asked) }});
watch("value", () => root.viewer.show(props.value));
root.viewer.show(props.value);
document.dispatchEvent(new CustomEvent("vizapp-viewer", {{ detail: root.viewer }}));
"""
    return BUNDLE.read_text("utf-8") + start


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
