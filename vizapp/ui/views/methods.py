"""The tab "Methods": one picture, many methods as a grid on one scale, their curves, and their scores."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from vizapp.comparison import BASELINES, QUICK, SLOW, compare, sanity
from vizapp.core.methods import Method, methods
from vizapp.errors import VizError
from vizapp.pipeline import Analysis
from vizapp.ui import board
from vizapp.ui.look import Look
from vizapp.ui.settings import settings_of
from vizapp.ui.words import PAGE

LIMIT = 60.0  # seconds of a run on a public page: others wait for the same processor
TOP = 5  # classes that are named first
ENLARGE = """
element.addEventListener("click", (event) => {
  const image = event.target.closest("button")?.querySelector("img");
  if (!image) return;
  const dialog = document.createElement("dialog");
  dialog.className = "methods-large";
  dialog.append(image.cloneNode(), Object.assign(document.createElement("p"), { textContent: image.alt }));
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
});
element.addEventListener("mouseover", (event) => {
  const line = event.target.closest("li[data-line]")?.dataset.line;
  for (const one of element.querySelectorAll('g[id^="line-"]')) one.style.opacity = !line || one.id === `line-${line}` ? 1 : 0.15;
});
"""

TO_RESULTS = "() => document.querySelector('#methods-maps')?.scrollIntoView({ behavior: 'smooth', block: 'start' })"


class Stopped(Exception):
    """The visitor pressed Stop."""


@dataclass
class Runs:
    """Who is running what, so that Stop reaches the thread at work. `limit` in seconds; None: as long as it takes."""

    limit: float | None = None
    _going: dict[str, threading.Event] = field(default_factory=dict)

    @contextmanager
    def going(self, visitor: str, progress: Callable[..., Any]) -> Iterator[Callable[[str, float], None]]:
        """What to hand over as `tell`."""
        stop, started = threading.Event(), time.monotonic()
        self._going[visitor] = stop

        def tell(what: str, share: float) -> None:
            if stop.is_set():
                raise Stopped
            if self.limit and time.monotonic() - started > self.limit:
                raise VizError(PAGE["too_long"].format(seconds=f"{self.limit:.0f}"), PAGE["too_long_hint"])
            progress(share, desc=_said(what))

        try:
            yield tell
        finally:
            self._going.pop(visitor, None)

    def stop(self, visitor: str) -> bool:
        """Whatever the visitor runs ends before its next step. Was there anything?"""
        if going := self._going.get(visitor):
            going.set()
        return going is not None


def _said(what: str) -> str:
    start, _, name = what.rpartition(" ")
    return f"{start} {board.name_of(name)}".strip()


@dataclass(frozen=True)
class Tab:
    """What the page has to know of this tab.

    follow   (picture, model, fit, ran) -> new values of `follows`: what depends on what is on the stage
    inputs   what `follow` takes after picture, model and fit
    """

    follow: Callable[..., tuple[Any, ...]]
    inputs: list[Any]
    follows: list[Any]


def tab(look: Look, chosen: Sequence[Any], shown: Callable[[VizError], gr.Error]) -> Tab:
    """Put the tab into the page that is being built. `chosen` are the inputs for picture, model and fit."""
    runs = Runs(LIMIT if look.public else None)
    with gr.Row(elem_id="methods-choice"):
        target = gr.Dropdown([], label=PAGE["target"], info=PAGE["target_help"], elem_id="methods-target")
        other = gr.Dropdown([], label=PAGE["other"], info=PAGE["other_help"], elem_id="methods-other")
        empty = gr.Radio(
            [(PAGE["empty_mean"], "mean"), (PAGE["empty_blur"], "blur")],
            value="mean",
            label=PAGE["empty"],
            info=PAGE["empty_help"],
        )
    kinds = _kinds(look.public)
    boxes = [_checkboxes(kind, some) for kind, some in kinds.items()]
    with gr.Accordion(PAGE["what"], open=False):
        gr.HTML(board.what([one for some in kinds.values() for one in some]))
    with gr.Accordion(PAGE["settings"], open=False, elem_id="methods-settings"):
        gr.HTML(f"<p>{PAGE['settings_help']}</p>")
        settings = settings_of([one for some in kinds.values() for one in some], QUICK)
    with gr.Row(elem_id="methods-run"):
        go = gr.Button(PAGE["compare"], variant="primary", size="md", elem_id="methods-go")
        stop = gr.Button(PAGE["stop"], size="md", elem_id="methods-stop")
        note = gr.HTML("", elem_id="methods-note", min_height=56)
    hello = PAGE["methods_hello"] + (PAGE["methods_hello_public"] if look.public else "")
    maps = gr.HTML(f"<p>{hello}</p>", elem_id="methods-maps", js_on_load=ENLARGE)
    with gr.Column(visible=False) as results:
        lines = gr.HTML(elem_id="methods-curves", js_on_load=ENLARGE)
        scores = gr.Dataframe(interactive=False, label=PAGE["table"], elem_id="methods-table", wrap=True)
        about = gr.HTML(elem_id="methods-about")
        with gr.Row():
            csv = gr.DownloadButton(PAGE["save_csv"], size="sm", elem_id="methods-csv")
            png = gr.DownloadButton(PAGE["save_png"], size="sm", elem_id="methods-png")
        with gr.Accordion(PAGE["agreement"], open=False):
            gr.HTML(f"<p>{PAGE['agreement_help']}</p>")
            agreement = gr.HTML()
        with gr.Accordion(PAGE["forget"], open=False, elem_id="methods-forget"):
            gr.HTML(f"<p>{PAGE['forget_help']}</p>")
            forget = gr.Button(PAGE["forget_go"], size="sm", elem_id="methods-forget-go")
            forgotten = gr.HTML(elem_id="methods-forgotten", js_on_load=ENLARGE, min_height=60)
    ran = gr.State(None, time_to_live=3600)  # what the results are of: (picture, model, fit)
    asked = gr.State(None, time_to_live=3600)  # and what was asked: (class, methods that gave a map, their settings)

    def run(
        picture: str | None,
        name: str,
        fit: str,
        wanted: int | None,
        against: int | None,
        instead: Any,
        specific: list[str],
        alike: list[str],
        slow: list[str],
        request: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  Gradio finds it by this default
        *values: Any,
    ) -> Any:
        if not picture:
            return gr.skip()
        try:
            with runs.going(str(request.session_hash), progress) as tell:
                seen = look(picture, name, fit)
                names = [*specific, *alike, *slow]
                own = settings.of(values, names)
                result = compare(seen, names, target=_within(wanted, seen), empty=instead, settings=own, tell=tell)
                second = None
                if (against := _within(against, seen)) is not None and against != result.target:
                    know_classes = [one for one in result.maps if methods()[one].class_specific]
                    own = settings.of(values, know_classes)
                    second = compare(seen, know_classes, target=against, steps=0, settings=own, tell=tell)
        except Stopped:
            return gr.skip()
        except VizError as error:
            raise shown(error) from None
        made = board.cards(result, second)
        title = _title(result.target, second.target if second else None, seen)
        numbers, plate = board.files(result, made, title)
        return (
            board.grid(made, title),
            gr.Column(visible=True),
            board.curves(result),
            board.table(result),
            board.explained(result),
            numbers,
            plate,
            board.agreement(result),
            "",
            board.left_out(result),
            (picture, name, fit),
            (
                result.target,
                tuple(one for one in result.maps if one not in BASELINES),
                settings.of(values, list(result.maps)),
            ),
        )

    def run_sanity(
        picture: str | None,
        name: str,
        fit: str,
        of: Any,
        compared: Any,
        request: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> Any:
        if not picture:
            return gr.skip()
        try:
            if compared is None or tuple(of) != (picture, name, fit):
                raise VizError(PAGE["compare_first"])
            with runs.going(str(request.session_hash), progress) as tell:
                target, names, own = compared
                seen = look(picture, name, fit)
                return board.forgetting(sanity(seen, names, target=target, settings=own, tell=tell))
        except Stopped:
            return gr.skip()
        except VizError as error:
            raise shown(error) from None

    def follow(picture: str | None, name: str, fit: str, of: Any) -> tuple[Any, ...]:
        """The classes of what is on the stage, and whether the results are of something else."""
        stale = "" if of is None or tuple(of) == (picture, name, fit) else f"<p>{PAGE['stale']}</p>"
        if not picture:
            return gr.skip(), gr.skip(), stale
        try:
            choices = _classes(look(picture, name, fit))
        except VizError as error:
            raise shown(error) from None
        if not choices:
            none = gr.Dropdown(choices=[], value=None, info=PAGE["no_classes"], interactive=False)
            return none, none, stale
        first = gr.Dropdown(choices=choices, value=choices[0][1], info=PAGE["target_help"], interactive=True)
        nobody = (PAGE["nobody"], NOBODY)
        return (
            first,
            gr.Dropdown(choices=[nobody, *choices], value=NOBODY, info=PAGE["other_help"], interactive=True),
            stale,
        )

    def halt(request: gr.Request) -> str:
        return f"<p>{PAGE['stopped']}</p>" if runs.stop(str(request.session_hash)) else ""

    busy: dict[str, Any] = {"concurrency_limit": 1, "concurrency_id": "model", "api_visibility": "private"}
    found = [maps, results, lines, scores, about, csv, png, agreement, forgotten, note, ran, asked]
    going = [
        go.click(
            run, [*chosen, target, other, empty, *boxes, *settings.controls], found, **busy, show_progress_on=note
        ),
        forget.click(run_sanity, [*chosen, ran, asked], forgotten, **busy),
    ]
    gr.on(
        [box.change for box in boxes],
        lambda *some: settings.shown_for([name for names in some for name in names]),
        boxes,
        list(settings.boxes.values()),
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )
    going[0].success(None, js=TO_RESULTS, show_progress="hidden", api_visibility="private")
    stop.click(halt, None, note, cancels=going, queue=False, api_visibility="private")
    return Tab(follow, [ran], [target, other, note])


NOBODY = -1  # "compare with" nothing


def _within(index: int | None, seen: Analysis) -> int | None:
    """The class, if the model has it: the choice may be of the model before."""
    return index if index is not None and 0 <= index < len(seen.labels) else None


def _title(target: int | None, second: int | None, seen: Analysis) -> str:
    if target is None:
        return PAGE["title_no_class"].format(model=seen.model)
    if second is None:
        return PAGE["title_class"].format(model=seen.model, label=seen.labels[target])
    return PAGE["title_classes"].format(model=seen.model, label=seen.labels[target], other=seen.labels[second])


def _classes(seen: Analysis) -> list[tuple[str, int]]:
    """(what is shown, index) of all classes, the most probable ones first, with their probability."""
    best = dict(seen.best(TOP))
    first = [(f"{seen.labels[index]} \u00b7 {share:.1%}", index) for index, share in best.items()]
    rest = [(label, index) for index, label in enumerate(seen.labels) if index not in best]
    return [*first, *rest] if best else []


def _kinds(public: bool) -> dict[str, list[Method]]:
    """Methods in three groups, without baselines, which always run, and without slow ones where others wait."""
    offered = [one for name, one in methods().items() if name not in BASELINES]
    quick = [one for one in offered if one.name not in SLOW]
    return {
        "class": [one for one in quick if one.class_specific],
        "every": [one for one in quick if not one.class_specific],
        "slow": [] if public else [one for one in offered if one.name in SLOW],
    }


def _checkboxes(kind: str, some: list[Method]) -> gr.CheckboxGroup:
    def words(one: Method) -> str:
        alike = kind == "slow" and not one.class_specific
        return board.name_of(one.name) + (f" ({PAGE['every_class']})" if alike else "")

    return gr.CheckboxGroup(
        [(words(one), one.name) for one in some],
        value=[one.name for one in some if one.name in QUICK],
        label=PAGE[f"kind_{kind}"],
        elem_id=f"methods-{kind}",
        visible=bool(some),
    )
