"""The choices in the tray: a picture of one's own, lessons, photos. Their events are in page_events.py."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.errors import VizError
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui import examples
from vizapp.ui.errors import shown
from vizapp.ui.server import folder
from vizapp.ui.words import Words

# Gradio's buttons for example pictures have no name for a screen reader.
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
    """Make the road of a picture to the server. It hands the file on unopened; `read_picture` checks it.

    Nobody sees it but while a picture is being sent (page.css): the stage shows the picture, buttons beside it choose one.
    """
    component = gr.Image(
        value=first,
        label=words["page"]["picture"],
        sources=["upload"],
        type="filepath",
        buttons=[],
        elem_id="picture",
    )
    # The stage shows this picture already: a first visit need not fetch it twice.
    thumbnail = component.move_resource_to_block_cache(examples.small(first))
    component.value["url"] = component.value["url"].replace(component.value["path"], str(thumbnail))
    files = folder.current()

    def path_of(payload: Any) -> str | None:
        if payload is None or payload.path is None:
            return None
        # Gradio checks this only if the sender marked the path as a file, and hostile input does not. It also accepts a
        # folder as a file.
        path = files.ours(payload.path)
        if path is None:
            raise shown(VizError("This picture is not here, or not any more.", "Upload it again."), words)
        return str(path)

    component.preprocess = path_of
    return component


def lesson_buttons(words: Words) -> dict[str, gr.Button]:
    """Make a button for each lesson set: name -> button."""
    page = words["page"]
    gr.HTML(f'<b title="{escape(page["lessons_help"])}">{page["lessons"]}</b>', elem_id="lessons-title")
    with gr.Row(elem_id="lessons"):
        return {
            name: gr.Button(words.translate(lesson.title), size="sm", min_width=80, elem_id=f"lesson-{name}")
            for name, lesson in LESSONS.items()
        }


def photo_paths(picture: gr.Image) -> dict[str, str]:
    """Find the photos to try: name -> its path on the page, for all visitors."""
    paths = {Path(file).stem: str(picture.move_resource_to_block_cache(file)) for file in examples.photos()}
    picture.keep_in_cache.update(paths.values())
    return paths


def gallery(words: Words, photos: Mapping[str, str], picture: gr.Image) -> Any:
    """Make the shelf of pictures to try, by name.

    `gr.Examples` would replace `picture` by another `gr.Image` for this visitor, without our `preprocess`.
    """
    shelf = gr.Dataset(
        components=[picture],
        samples=[[examples.small(file)] for file in photos.values()],
        label=words["page"]["photos"],
        type="index",
    )

    names = [words.say("page", "photo", name=name) for name in photos]
    gr.HTML(f'<i data-names="{escape(json.dumps(names))}"></i>', elem_id="photo-names", js_on_load=NAMED, min_height=0)
    return shelf
