"""What a visitor can choose on the left: a picture of their own, lessons, photos. The events of that are in app.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.errors import VizError
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui import examples
from vizapp.ui.again import QUIETLY
from vizapp.ui.server import folder
from vizapp.ui.server.stray import refusal
from vizapp.ui.shown import shown
from vizapp.ui.words import Words

# Gradio's pictures to try are buttons without a name, for those who do not see them.
NAMED = """
const names = JSON.parse(element.firstElementChild.dataset.names);
const choose = document.querySelector("#choose");
const name = () => choose.querySelectorAll(".gallery-item").forEach((one, i) => {
  if (names[i] && one.ariaLabel !== names[i]) one.ariaLabel = one.title = names[i];
});
new MutationObserver(name).observe(choose, { childList: true, subtree: true });
name();
"""


def picture_input(first: str, words: Words) -> gr.Image:
    """Upload, webcam, clipboard. The file is handed on unopened: what it is, is for `read_picture` to find out."""
    component = gr.Image(
        value=first,
        label=words["page"]["picture"],
        sources=["upload", "webcam", "clipboard"],
        type="filepath",
        height=204,
        buttons=[],
        elem_id="picture",
    )
    files = folder.current()

    def path_of(payload: Any) -> str | None:
        if payload is None or payload.path is None:
            return None
        # Gradio checks this only where the sender marked the path as a file, which hostile input leaves out; it also takes
        # a folder for one.
        path = files.ours(payload.path)
        if path is None:
            raise shown(VizError("This picture is not here, or not any more.", "Upload it again."), words)
        return str(path)

    component.preprocess = path_of
    return component


def lesson_buttons(words: Words) -> dict[str, gr.Button]:
    """Lesson sets, each one click away: name -> button."""
    gr.HTML(f"<span>{words['page']['lessons']}</span>", elem_id="lessons-title")
    with gr.Row(elem_id="lessons"):
        return {
            name: gr.Button(words.translate(lesson.title), size="sm", min_width=80, elem_id=f"lesson-{name}")
            for name, lesson in LESSONS.items()
        }


def photo_paths(picture: gr.Image) -> dict[str, str]:
    """Photos to try: name -> where the page has it, for all visitors."""
    paths = {Path(file).stem: str(picture.move_resource_to_block_cache(file)) for file in examples.photos()}
    picture.keep_in_cache.update(paths.values())
    return paths


def gallery(words: Words, photos: Mapping[str, str], picture: gr.Image) -> Any:
    """Pictures to try, each one click, by name; the event of that click.

    Not `gr.Examples`: it would put another `gr.Image` in the place of `picture` for this visitor, without our `preprocess`.
    """
    cached = list(photos.values())
    shelf = gr.Dataset(
        components=[picture],
        samples=[[examples.small(file)] for file in cached],
        label=words["page"]["photos"],
        type="index",
    )

    names = [words.say("page", "photo", name=name) for name in photos]
    gr.HTML(f'<i data-names="{escape(json.dumps(names))}"></i>', elem_id="photo-names", js_on_load=NAMED, min_height=0)

    def chosen(index: Any) -> str:
        if not isinstance(index, int) or not 0 <= index < len(cached):
            raise refusal(words)  # `gr.skip()` would put another `gr.Image` there, too
        return cached[index]

    return shelf.click(chosen, shelf, picture, **QUIETLY)
