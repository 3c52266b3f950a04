"""The viewer as a Gradio component: a `gr.HTML` whose template never changes, fed by one binary file (see payload.py)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from string import Template
from typing import Any
from uuid import uuid4

import gradio as gr
from gradio.data_classes import FileData, GradioModel
from gradio.utils import get_upload_folder

from vizapp.errors import VizError
from vizapp.pipeline import Analysis, VisionModel
from vizapp.render.colour import COLOUR_MAPS, lut
from vizapp.ui.viewer.asked import maps, remember_maps
from vizapp.ui.viewer.payload import leaves_out_layers, pack
from vizapp.ui.viewer.proof import proof, remember_proof
from vizapp.ui.viewer.sinks import remember_sinks, sinks
from vizapp.ui.words import VIEWER

FOLDER = Path(__file__).parent
ORDER = (  # as they import
    *("payload", "asker", "fuse", "chain", "attention", "colour", "stage", "atlas", "score", "outline", "truth", "pen"),
    *("measure", "captions", "controls", "hand", "proof", "sinks", "viewer"),
)
MODULES = tuple(f"{name}.js" for name in ORDER)


class ViewerValue(GradioModel):
    """What the component holds: the payload's file and its length, which the browser needs before it has arrived.

    `run` makes the same maps a new value: who chooses a picture again after a lost connection gets it again.
    By this name the browser asks for maps of layers that were too large to be sent, for the proof of all maps, and for sinks.
    `refused` says, in place of maps, why there are none: what is wrong with them, and a hint.
    """

    file: FileData | None = None
    bytes: int = 0
    run: str = ""
    refused: tuple[str, ...] = ()


def viewer() -> gr.HTML:
    """The component. A factory and not a subclass: Gradio writes a .pyi file beside each subclass that it meets."""
    component = gr.HTML(
        html_template=Template((FOLDER / "viewer.html").read_text("utf-8")).substitute(VIEWER),
        css_template=(FOLDER / "viewer.css").read_text("utf-8"),
        js_on_load=script(),
        elem_id="viewer",
        apply_default_css=False,
        server_functions=[maps, proof, sinks],
    )
    component.data_model = ViewerValue
    return component


def value_of(
    seen: Analysis, model: VisionModel, question: str, look: Callable[..., Analysis], choice: tuple[Any, ...]
) -> dict[str, Any]:
    """The component's value for one picture analysed by `model`, with what a lesson asks about it ("": nothing).

    `look(*choice)` makes `seen` once more, for what the browser asks later. The file lies in Gradio's cache, which
    deletes it in time.
    """
    packed = pack(seen, question)
    folder = Path(get_upload_folder())
    path = folder / f"vizapp-{hashlib.sha256(packed).hexdigest()}.bin"
    run = uuid4().hex
    remember_proof(run, model)
    remember_sinks(run, look, choice)
    if leaves_out_layers(packed):
        remember_maps(run, seen.trace)
    try:
        os.utime(path)  # the same maps again: their age starts anew
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(packed)
        os.replace(file.name, path)  # there is never half a file under this name
    return ViewerValue(file=FileData(path=str(path)), bytes=len(packed), run=run).model_dump()


def refused(error: VizError) -> dict[str, Any]:
    """The component's value for a network whose maps must not be shown."""
    return ViewerValue(refused=(error.message, error.hint)).model_dump()


@cache
def script() -> str:
    """The body of `js_on_load`: the modules, joined in order, and the few lines that start them."""
    tables = {name: base64.b64encode(lut(name).tobytes()).decode() for name in COLOUR_MAPS}
    start = f"""
const viewer = new Viewer(element.querySelector(".viz"), {json.dumps(VIEWER)}, {json.dumps(tables)}, server);
element.querySelector(".viz").viewer = viewer;
watch("value", () => viewer.show(props.value));
viewer.show(props.value);
"""
    return joined_modules() + start


def joined_modules() -> str:
    """The ES modules as one script: without the lines that import from each other and the word `export`."""
    text = "\n".join((FOLDER / name).read_text("utf-8") for name in MODULES)
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
