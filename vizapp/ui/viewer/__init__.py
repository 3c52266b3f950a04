"""The viewer as a Gradio component: a `gr.HTML` whose template never changes, fed by one binary file (see payload.py)."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import gradio as gr
from gradio.data_classes import FileData, GradioModel

from vizapp.pipeline import Analysis
from vizapp.render.colour import COLOUR_MAPS, lut
from vizapp.ui.viewer.payload import pack
from vizapp.ui.words import VIEWER

FOLDER = Path(__file__).parent
MODULES = ("payload.js", "attention.js", "colour.js", "stage.js", "atlas.js", "viewer.js")  # each after what it imports


class ViewerValue(GradioModel):
    """What the component holds: the payload's file and its length, which the browser needs before it has arrived."""

    file: FileData
    bytes: int


def viewer() -> gr.HTML:
    """The component. A factory and not a subclass: Gradio writes a .pyi file beside each subclass that it meets."""
    component = gr.HTML(
        html_template=Template((FOLDER / "viewer.html").read_text("utf-8")).substitute(VIEWER),
        css_template=(FOLDER / "viewer.css").read_text("utf-8"),
        js_on_load=script(),
        elem_id="viewer",
        apply_default_css=False,
    )
    component.data_model = ViewerValue
    return component


def value_of(seen: Analysis) -> dict[str, Any]:
    """The component's value for one analysed picture. The file is Gradio's from here on, which deletes it in time."""
    packed = pack(seen)
    with tempfile.NamedTemporaryFile(prefix="vizapp-", suffix=".bin", delete=False) as file:
        file.write(packed)
    return ViewerValue(file=FileData(path=file.name), bytes=len(packed)).model_dump()


@cache
def script() -> str:
    """The body of `js_on_load`: the modules, joined in order, and the few lines that start them."""
    tables = {name: base64.b64encode(lut(name).tobytes()).decode() for name in COLOUR_MAPS}
    start = f"""
const viewer = new Viewer(element.querySelector(".viz"), {json.dumps(VIEWER)}, {json.dumps(tables)});
element.querySelector(".viz").viewer = viewer;
watch("value", () => viewer.show(props.value));
viewer.show(props.value);
"""
    return joined_modules() + start


def joined_modules() -> str:
    """The ES modules as one script: without the lines that import from each other and the word `export`."""
    text = "\n".join((FOLDER / name).read_text("utf-8") for name in MODULES)
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
