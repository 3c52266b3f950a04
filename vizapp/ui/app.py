"""The page: a picture and a model on the left, tabs on the right: the viewer, whose one event runs the model once, and others."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

import vizapp.pipeline as pipeline
from vizapp.errors import VizError
from vizapp.ui import examples, views
from vizapp.ui.look import Look
from vizapp.ui.theme import CSS, theme
from vizapp.ui.viewer import refused, value_of, viewer
from vizapp.ui.words import MODELS, PAGE

KEEP_FILES = (600, 3600)  # every ten minutes, delete the files of pictures that are older than an hour
TYPE_OVER = """
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("input[role=listbox], input[role=combobox]")) setTimeout(() => target.select());
});
"""  # a list with a search field: what is typed takes the place of what was chosen
TELL = """(...chosen) => {{
  document.querySelector('.viz')?.viewer?.{}(chosen.length && JSON.stringify(chosen.slice(0, 3)));
  return chosen;
}}"""
WAITING = 32  # visitors who may stand in the queue before the next one is told to come back


def build(model: str, *, device: str | None = None, public: bool = False) -> gr.Blocks:
    """The page with `model` chosen. A `public` one offers the listed models only, and reads no path of the machine."""
    listed = pipeline.model_names()
    offered = list(listed) if model in listed else [model, *listed]
    cache = str(Path(get_upload_folder()).resolve())
    look_at = Look(offered, cache, device, public)
    first = examples.first(pipeline.load(model, device).subject, cache)

    def analyse(picture: str | None, name: str, fit: Any) -> Any:
        if not picture:
            return gr.skip()
        try:
            lesson, seen = look_at.lesson(picture), look_at(picture, name, fit)
            assert seen.specimen is not None
            model = seen.specimen.model
            if (found := pipeline.known_proof(model)) and (refusal := found.refusal(name)):
                return refused(refusal)
            return value_of(seen, model, lesson.question if lesson else "", look_at, (picture, name, fit))
        except VizError as error:
            raise shown(error) from None

    def open_lesson(lesson: str, name: str, fit: Any, opened: dict[str, int]) -> tuple[Any, ...]:
        """The next picture of a lesson, with the model that it is for; the stage is told already."""
        number = opened.get(lesson, 0) + 1
        path = examples.lesson(lesson, number % examples.PER_LESSON, cache)
        shown_by = examples.model_for(lesson, name, offered)
        return path, shown_by, opened | {lesson: number}, (path, shown_by, fit)

    def analyse_if_changed(picture: str | None, name: str, fit: Any, on_stage: tuple[str | None, str, Any]) -> Any:
        return gr.skip() if (picture, name, fit) == tuple(on_stage) else analyse(picture, name, fit)

    with gr.Blocks(title=PAGE["title"], delete_cache=KEEP_FILES, analytics_enabled=False, fill_width=True) as page:
        gr.HTML(heading(), elem_id="heading", js_on_load=TYPE_OVER)
        with gr.Row(elem_id="columns"):
            with gr.Column(scale=0, elem_id="choose"):
                picture = picture_input(first)
                picture.keep_in_cache.add(first)
                lessons = lesson_buttons()
                tried = [gallery(PAGE["photos"], examples.photos(), picture)] if examples.photos() else []
                name = gr.Dropdown(
                    [(MODELS.get(one, one), one) for one in offered],
                    value=model,
                    label=PAGE["model"],
                    info=PAGE["model_help"] + ("" if public else PAGE["model_help_open"]),
                    allow_custom_value=not public,
                )
                fit = gr.Dropdown(
                    [(PAGE[f"fit_{way}"], way) for way in ("as_trained", *pipeline.FITS)],
                    value="as_trained",
                    label=PAGE["fit"],
                )
            with gr.Column(scale=1, elem_id="look"), gr.Tabs(elem_id="tabs"):
                with gr.Tab(PAGE["tab_attention"]) as attention_tab:
                    look = viewer()
                with gr.Tab(PAGE["tab_methods"]) as methods_tab:
                    methods = views.methods.tab(look_at, [picture, name, fit], shown)
        chosen = [picture, name, fit]
        shown_first = (picture.move_resource_to_block_cache(first), model, "as_trained")
        on_stage = gr.State(shown_first, time_to_live=KEEP_FILES[1])  # what was chosen when the stage was last filled
        opened = gr.State({}, time_to_live=KEEP_FILES[1])  # how far in each lesson
        run: dict[str, Any] = {
            "outputs": look,
            "show_progress": "minimal",
            "show_progress_on": picture,
            "concurrency_limit": 1,
            "concurrency_id": "model",
            "js": TELL.format("choose"),
        }
        loaded = page.load(analyse, chosen, **run, api_name="analyse")
        # `picture.change` would run the model twice when a picture replaces another (gradio issue 4589), and so would
        # `input` of a dropdown. Its `change` also follows when a failed choice is taken back: then nothing has changed.
        runs = [picture.input(analyse, chosen, **run, api_visibility="private")]
        tried += [
            button.click(
                partial(open_lesson, lesson),
                [name, fit, opened],
                [picture, name, opened, on_stage],
                queue=False,
                show_progress="hidden",
                api_visibility="private",
            )
            for lesson, button in lessons.items()
        ]
        runs += [click.then(analyse, chosen, **run, api_visibility="private") for click in tried]
        changes = [name.change, fit.change]
        runs += [gr.on(changes, analyse_if_changed, [*chosen, on_stage], **run, api_visibility="private")]
        # What another tab says of the picture is asked for only while that tab is open.
        is_open = gr.State(False, time_to_live=KEEP_FILES[1])
        attention_tab.select(
            lambda: False, None, is_open, queue=False, show_progress="hidden", api_visibility="private"
        )
        opening = {**run, "js": None, "outputs": [is_open, *methods.follows], "show_progress": "hidden"}
        methods_tab.select(
            lambda *now: (True, *methods.follow(*now)), [*chosen, *methods.inputs], **opening, api_visibility="private"
        )

        def staged(picture: str | None, name: str, fit: Any, is_open: bool, *now: Any) -> tuple[Any, ...]:
            follows = methods.follow(picture, name, fit, *now) if is_open else (gr.skip() for _ in methods.follows)
            return (picture, name, fit), *follows

        quietly: dict[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
        # What is on the stage is of the choice before, until the new one has come; that is seen after half a second.
        loaded.success(None, chosen, js=TELL.format("settle"), **quietly)
        for one in runs:
            one.success(None, chosen, js=TELL.format("settle"), **quietly)
            one.failure(None, js=TELL.format("wait"), **quietly)
            one.success(staged, [*chosen, is_open, *methods.inputs], [on_stage, *methods.follows], **quietly)
            # What failed is said in a toast; the choices go back to what is on the stage, so that the next try can work.
            one.failure(lambda last: last, on_stage, chosen, **quietly)
    page.queue(max_size=WAITING)
    return page


def launch(page: gr.Blocks, *, host: str, port: int, public: bool = False, **options: Any) -> str:
    """Start the server in a thread; the page's address, the shared one if `share=True` asks for it."""
    _, url, shared = page.launch(
        server_name=host,
        server_port=port,
        theme=theme(),
        css=CSS,
        quiet=True,
        prevent_thread_lock=True,
        footer_links=[],
        max_file_size="20mb" if public else "100mb",
        show_error=True,
        **options,
    )
    return shared or url


def heading() -> str:
    """Title, one sentence, and the words of the page explained, one click away."""
    words = ("patch", "attention", "cls", "layer", "window", "rollout", "score", "careful")
    explained = "".join("<p>" + PAGE[f"help_{word}"] + "</p>" for word in words)
    help_box = f"<details><summary>{PAGE['help']}</summary><div>{explained}</div></details>"
    below = (
        f'<a id="to-choose" href="#choose">{PAGE["choose"]}</a>'  # on a phone, where the choice stands below the maps
    )
    return f"<h1>{PAGE['title']}</h1><p>{PAGE['tagline']}</p>{help_box}{below}"


def picture_input(first: str) -> gr.Image:
    """Upload, webcam, clipboard. The file is handed on unopened: what it is, is for `read_picture` to find out."""
    component = gr.Image(
        value=first,
        label=PAGE["picture"],
        sources=["upload", "webcam", "clipboard"],
        type="filepath",
        height=190,
        buttons=[],
        elem_id="picture",
    )
    uploads = Path(component.GRADIO_CACHE).resolve()

    def path_of(payload: Any) -> str | None:
        if payload is None or payload.path is None:
            return None
        # Gradio checks this only where the sender marked the path as a file, which a liar leaves out.
        if not Path(payload.path).resolve().is_relative_to(uploads):
            raise shown(VizError("This picture was not uploaded.", "Upload it first."))
        return str(payload.path)

    component.preprocess = path_of
    return component


def lesson_buttons() -> dict[str, gr.Button]:
    """Lesson sets, each one click away: name -> button."""
    gr.HTML(f"<span>{PAGE['lessons']}</span>", elem_id="lessons-title")
    with gr.Row(elem_id="lessons"):
        return {
            name: gr.Button(lesson.title, size="sm", min_width=80, elem_id=f"lesson-{name}")
            for name, lesson in pipeline.LESSONS.items()
        }


def gallery(label: str, files: list[str], picture: gr.Image) -> Any:
    """Pictures to try, each one click; the event of that click.

    Not `gr.Examples`: it would put another `gr.Image` in the place of `picture` for this visitor, without our `preprocess`.
    """
    cached = [picture.move_resource_to_block_cache(file) for file in files]
    picture.keep_in_cache.update(cached)
    shelf = gr.Dataset(components=[picture], samples=[[file] for file in cached], label=label, type="index")
    return shelf.click(
        lambda index: cached[index], shelf, picture, queue=False, show_progress="hidden", api_visibility="private"
    )


def shown(error: VizError) -> gr.Error:
    """The same error for the page, and one line in the terminal. What is on the page stays there."""
    print(f"vizapp: {error}", file=sys.stderr)
    return gr.Error(str(error), title="", duration=12, print_exception=False)
