"""The viewer as a Gradio component: a `gr.HTML` that its script fills, fed by one binary file (see payload.py)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import gradio as gr
from gradio.data_classes import FileData, GradioModel

from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.ui.lesson_pictures import Asked
from vizapp.ui.server import folder
from vizapp.ui.viewer.ask import door, remember
from vizapp.ui.viewer.payload import Packed, pack
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words


class ViewerValue(GradioModel):
    """The component's value: the payload's file, its length, which the browser needs beforehand, and the bytes of a first map.

    `run` names the maps when the browser asks for more, see ask.py. It also makes the value of the same maps a new one, so that
    a picture which is chosen again after a lost connection is sent again.
    `refused` takes the place of maps that must not be shown: what is wrong with them, and a hint.
    """

    file: FileData | None = None
    bytes: int = 0
    first: int = 0
    run: str = ""
    refused: tuple[str, ...] = ()


def viewer(words: Words) -> gr.HTML:
    """Make the component. It is not a subclass of `gr.HTML`, because Gradio writes a .pyi file beside each subclass."""
    component = gr.HTML(
        html_template='<div class="viz" data-state="empty"></div>',
        js_on_load=TAKE,
        elem_id="viewer",
        apply_default_css=False,
        server_functions=[door(words)],
    )
    component.data_model = ViewerValue
    return component


def value_of(
    seen: Analysis,
    model: VisionModel,
    look: Callable[..., Analysis],
    choice: tuple[Any, ...],
    words: Words,
    *,
    lesson: Asked | None = None,
    caution: str = "",
) -> dict[str, Any]:
    """The component's value for one picture analysed by `model`; `lesson` and `caution` as for `pack`.

    `look(*choice)` makes `seen` again, for later questions of the browser. The file lies in the server's folder, which deletes
    it when it is old.
    """
    packed = pack(seen, lesson, words.translate, caution, turns=True)
    path = folder.current().put("vizapp", packed, ".bin")
    run, told = uuid4().hex, Packed.of(packed)
    remember(Run(run, seen, model, look, choice, told.is_complete))
    return ViewerValue(file=FileData(path=str(path)), bytes=len(packed), first=told.first, run=run).model_dump()


def refused(error: VizError, words: Words) -> dict[str, Any]:
    """The component's value for a network whose maps must not be shown."""
    return ViewerValue(refused=words.parts(error)).model_dump()


# The body of `js_on_load`. The page already contains the bundle and a viewer, which may show its first map by now (ui/early).
#
# `root.viewer` is used by the page (show, choose, settle, wait; state and arrives for links) and by tests (state, payload, view,
# attention, panels).
TAKE = """
const show = window.vizappStage.take(element.querySelector(".viz"), (asked) => server.ask(asked));
watch("value", () => show(props.value));
show(props.value);
"""
