"""The tab "Methods": one picture, many methods as a grid on one scale, their curves, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.analysis import Analysis, Request
from vizapp.captions import Sentence, text
from vizapp.comparison import compare, sanity
from vizapp.core.checkpoint import checkpoint
from vizapp.core.methods import Method, methods
from vizapp.core.trust.faithfulness import FINE
from vizapp.errors import VizError
from vizapp.ui import board, line, zero
from vizapp.ui.again import QUIETLY, Again, turned_away
from vizapp.ui.comparison_files import NARROW, WIDTHS, drawn_again, files
from vizapp.ui.jobs import LIMIT, Stopped, too_long
from vizapp.ui.limits import Full
from vizapp.ui.progress import Report
from vizapp.ui.session import Session
from vizapp.ui.settings import settings_of
from vizapp.ui.shown import shown
from vizapp.ui.views import Tab
from vizapp.ui.words import Words

ORDER = 20
ORDERS = 5  # random ones: how far they lie apart is how far two methods must
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

TO_RESULTS = """
watch("value", () => element.scrollIntoView({ behavior: "smooth", block: "start" }));
"""


def build(session: Session, words: Words) -> Tab:
    """Put the tab into the page that is being built."""
    page = words["page"]
    limit = LIMIT if session.public else None
    with gr.Row(elem_id="methods-choice"):
        target = gr.Dropdown([], label=page["target"], info=page["target_help"], elem_id="methods-target")
        sentence = gr.Textbox(
            label=page["sentence"],
            info=page["sentence_help"],
            max_length=200,
            visible=False,
            elem_id="methods-sentence",
        )
        other = gr.Dropdown([], label=page["other"], info=page["other_help"], elem_id="methods-other")
        empty = gr.Radio(
            [(page["empty_mean"], "mean"), (page["empty_blur"], "blur")],
            value="mean",
            label=page["empty"],
            info=page["empty_help"],
        )
    kinds = _kinds(session.methods)
    boxes = [_checkboxes(words, kind, some) for kind, some in kinds.items()]
    if lacking := _lacking(session.public):
        gr.HTML(f"<p>{page['lacking'].format(**lacking)}</p>", elem_id="methods-lacking")
    with gr.Accordion(page["what"], open=False):
        gr.HTML(board.what(words, [one for some in kinds.values() for one in some]))
    with gr.Accordion(page["settings"], open=False, elem_id="methods-settings"):
        gr.HTML(f"<p>{page['settings_help']}</p>")
        settings = settings_of(words, [one for some in kinds.values() for one in some])
    with gr.Row(elem_id="methods-run"):
        go = gr.Button(page["compare"], variant="primary", size="md", elem_id="methods-go")
        stop = gr.Button(page["stop"], size="md", elem_id="methods-stop")
        note = gr.HTML("", elem_id="methods-note", min_height=56)
    again, again_forget = Again(words, "methods-again"), Again(words, "methods-forget-again")
    hello = f"{page['methods_hello']} {page['methods_hello_public']}" if session.public else page["methods_hello"]
    maps = gr.HTML(f"<p>{hello}</p>", elem_id="methods-maps", js_on_load=ENLARGE + TO_RESULTS)
    with gr.Column(visible=False) as results:
        lines = gr.HTML(elem_id="methods-curves", js_on_load=ENLARGE)
        scores = gr.Dataframe(interactive=False, label=page["table"], elem_id="methods-table", wrap=True)
        about_ = gr.HTML(elem_id="methods-about")
        with gr.Row(elem_id="methods-files"):
            csv = gr.DownloadButton(page["save_csv"], size="sm", elem_id="methods-csv")
            png = gr.DownloadButton(page["save_png"], size="sm", elem_id="methods-png")
            width = gr.Dropdown(
                [(words.say("page", "save_width", width=one), one) for one in WIDTHS],
                value=NARROW,
                label=page["save_width_label"],
                filterable=False,
                container=False,
                elem_id="methods-width",
            )
        with gr.Accordion(page["agreement"], open=False):
            gr.HTML(f"<p>{page['agreement_help']}</p>")
            agreement = gr.HTML()
        with gr.Accordion(page["forget"], open=False, elem_id="methods-forget"):
            gr.HTML(f"<p>{page['forget_help']}</p>")
            forget = gr.Button(page["forget_go"], size="sm", elem_id="methods-forget-go")
            forgotten = gr.HTML(elem_id="methods-forgotten", js_on_load=ENLARGE, min_height=60)
    plate = gr.State(None, time_to_live=3600)  # what the maps' file is drawn from
    ran = gr.State(None, time_to_live=3600)  # the request that the results are of
    set_aside = gr.State([], time_to_live=3600)  # what was ticked, and is not offered for this network
    asked = gr.State(None, time_to_live=3600)  # and what was asked: (class, methods that gave a map, their settings)

    def long(work: Any, about: Request, visitor: str, report: Report) -> Any:
        """The result of a long run; of one that was ended, a word on why."""
        try:
            return session.run(work, visitor, priority="long", about=about, limit=limit, on_wait=report.on_wait)
        except Stopped as end:
            if end.why == "too_long":
                raise shown(too_long(limit), words) from None
            # A visitor who pressed Stop has been told already.
            return {note: gr.skip() if end.why == "stopped" else f"<p>{page[f'ended_{end.why}']}</p>"}
        except Full as error:
            raise turned_away(error, visitor, words) from None
        except VizError as error:
            raise shown(error, words) from None

    def run(
        wanted: int | None,
        against: int | None,
        instead: Any,
        words_of: str | None,
        wide: int,
        specific: list[str],
        alike: list[str],
        slow: list[str],
        request: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  Gradio finds it by this default
        *values: Any,
    ) -> Any:
        visitor, report = str(request.session_hash), Report(words, progress)
        about = session.wanted(visitor)
        if about is None:
            return {note: gr.skip()}

        def on_progress(what: str, share: float) -> None:
            report.on_progress(what, share)
            checkpoint()

        def work() -> dict[Any, Any]:
            seen = session.analysis(about)
            names = [*specific, *alike, *slow]
            own = settings.of(values, names)
            target = _said(words_of, seen) or _within(wanted, seen)
            rest: dict[str, Any] = {"on_progress": on_progress, **zero.computing(about)}
            result = compare(seen, names, target=target, steps=FINE, orders=ORDERS, empty=instead, settings=own, **rest)
            second = None
            if (other := _within(against, seen)) is not None and other != result.target:
                know_classes = [one for one in result.maps if methods()[one].class_specific]
                own = settings.of(values, know_classes)
                second = compare(
                    seen,
                    know_classes,
                    target=other,
                    steps=FINE,
                    orders=ORDERS,
                    empty=instead,
                    settings=own,
                    **rest,
                )
            made = board.cards(result, second)
            title = _title(words, result.target, second.target if second else None, seen)
            parts: dict[Any, Any] = {}
            for part, make in {
                maps: lambda: (
                    f"{board.grid(words, made, title)}<!-- {uuid4().hex} -->"
                ),  # or a second run would not scroll
                lines: lambda: board.curves(words, result, second),
                scores: lambda: board.table(words, result, second),
                about_: lambda: board.explained(words, result),
                agreement: lambda: board.agreement(words, result),
                note: lambda: board.left_out(words, result),
            }.items():
                checkpoint()
                parts[part] = make()
            checkpoint()
            saved = files(words, result, made, title, second, wide)
            parts[csv], parts[png], parts[plate] = saved.table, saved.maps, saved.plate
            kept = tuple(one for one in result.maps if not methods()[one].baseline)
            parts[asked] = (result.target, kept, settings.of(values, list(result.maps)))
            return parts | {results: gr.Column(visible=True), forgotten: "", ran: about}

        return long(work, about, visitor, report)

    def redraw(plate: str | None, wide: int, request: gr.Request) -> Any:
        """The file of the maps in another width; until it is there, there is none to be taken for it."""
        try:
            made = session.run(lambda: drawn_again(plate or "", wide), str(request.session_hash))
            return gr.DownloadButton(value=made, interactive=True)
        except Full as error:
            raise turned_away(error, str(request.session_hash), words) from None
        except VizError as error:
            raise shown(error, words) from None

    def run_sanity(
        of: Request | None,
        compared: Any,
        request: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> Any:
        visitor, report = str(request.session_hash), Report(words, progress)
        about = session.wanted(visitor)
        if about is None:
            return {note: gr.skip()}
        if compared is None or of != about:
            raise shown(VizError("Press Compare first: what is to be forgotten is asked of its maps."), words)

        def on_progress(what: str, share: float) -> None:
            report.on_progress(what, share)
            checkpoint()

        def work() -> dict[Any, Any]:
            target, names, own = compared
            seen = session.analysis(about)
            found = sanity(seen, names, target=target, settings=own, on_progress=on_progress)
            return {forgotten: board.forgetting(words, found)}

        return long(work, about, visitor, report)

    def follow(about: Request, of: Request | None, set_aside: list[str], *ticked: list[str]) -> tuple[Any, ...]:
        """The classes of what is on the stage, the methods for it, and whether the results are of something else."""
        stale = gr.skip() if of is None else "" if of == about else f"<p>{page['stale']}</p>"
        seen = session.analysis(about)
        choices, reads = _classes(seen), gr.Textbox(visible=_reads(seen))
        offered, left = _offered(words, kinds, seen, {*set_aside, *(name for some in ticked for name in some)}, ticked)
        if not choices:
            none = gr.Dropdown(choices=[], value=None, info=page["no_classes"], interactive=False)
            return none, none, stale, reads, left, *offered
        first = gr.Dropdown(choices=choices, value=choices[0][1], info=page["target_help"], interactive=True)
        nobody = (page["nobody"], NOBODY)
        return (
            first,
            gr.Dropdown(choices=[nobody, *choices], value=NOBODY, info=page["other_help"], interactive=True),
            stale,
            reads,
            left,
            *offered,
        )

    def halt(before: Request | None, request: gr.Request) -> Any:
        said = page["stopped_again" if before else "stopped"]
        return (f"<p>{said}</p>" if session.stop(str(request.session_hash)) else gr.skip(), "", "")

    # What waits is in the session's own queue, which knows what is urgent: Gradio is to let everything in.
    busy: dict[str, Any] = {"concurrency_limit": None, "api_visibility": "private", "js": line.BEGIN}
    found = [maps, results, lines, scores, about_, csv, png, plate, agreement, forgotten, note, ran, asked]
    comparing = {
        "inputs": [target, other, empty, sentence, width, *boxes, *settings.controls],
        "outputs": found,
        "show_progress_on": note,
    }
    forgetting = {"inputs": [ran, asked], "outputs": [forgotten, note], "show_progress_on": forgotten}
    going = [
        *again.following([go.click(run, **comparing, **busy)], run, **comparing, **busy),
        *again_forget.following([forget.click(run_sanity, **forgetting, **busy)], run_sanity, **forgetting, **busy),
    ]
    for one in going:
        one.then(None, js=line.END, **QUIETLY)
    gr.on(
        [box.change for box in boxes],
        lambda *some: settings.shown_for([name for names in some for name in names]),
        boxes,
        list(settings.boxes.values()),
        **QUIETLY,
    )
    quick: dict[str, Any] = {"concurrency_limit": None, "api_visibility": "private", "show_progress": "hidden"}
    turned = width.input(lambda: gr.DownloadButton(interactive=False), None, png, **QUIETLY)
    turned.then(redraw, [plate, width], png, **quick).failure(
        lambda: gr.DownloadButton(interactive=True), None, png, **QUIETLY
    )
    stop.click(
        halt,
        ran,
        [note, again.line, again_forget.line],
        cancels=going,
        queue=False,
        js=line.ABANDON,
        api_visibility="private",
    )
    follows = [target, other, note, sentence, set_aside, *boxes]
    return Tab(page["tab_methods"], follow, [ran, set_aside, *boxes], follows)


NOBODY = -1  # "compare with" nothing


def _within(index: int | None, seen: Analysis) -> int | None:
    """The class, if the model has it: the choice may be of the model before."""
    return index if index is not None and 0 <= index < len(seen.labels) else None


def _reads(seen: Analysis) -> bool:
    return seen.context is not None and seen.context.model.texts is not None


def _said(sentence: str | None, seen: Analysis) -> Sentence | None:
    """The sentence that was written, for a model that reads: it may be of the model before."""
    if not sentence or not sentence.strip() or seen.context is None or not _reads(seen):
        return None
    return text(seen.context.model, sentence)


def _title(words: Words, target: int | str | None, second: int | str | None, seen: Analysis) -> str:
    if target is None:
        return words.say("page", "title_no_class", model=seen.model_name)
    if second is None:
        return words.say("page", "title_class", model=seen.model_name, label=board.said_of(seen, target))
    one, two = (board.said_of(seen, target) for target in (target, second))
    return words.say("page", "title_classes", model=seen.model_name, label=one, other=two)


def _classes(seen: Analysis) -> list[tuple[str, int]]:
    """(what is shown, index) of all classes, the most probable ones first, with their probability."""
    best = dict(seen.best(TOP))
    first = [(f"{seen.labels[index]} \u00b7 {share:.1%}", index) for index, share in best.items()]
    rest = [(label, index) for index, label in enumerate(seen.labels) if index not in best]
    return [*first, *rest] if best else []


def _kinds(offered: list[Method]) -> dict[str, list[Method]]:
    """Methods in three groups."""
    quick = [one for one in offered if one.cost == "quick"]
    return {
        "class": [one for one in quick if one.class_specific],
        "every": [one for one in quick if not one.class_specific],
        "slow": [one for one in offered if one.cost == "slow"],
    }


def _lacking(public: bool) -> dict[str, str]:
    """Methods that would be offered if a package were installed, and the packages; {}: none, or nobody here could install it."""
    some = [] if public else [one for one in methods().values() if one.lacks]
    if not some:
        return {}
    packages = dict.fromkeys(one.lacks for one in some)
    return {"methods": escape(", ".join(one.title for one in some)), "packages": escape(" ".join(packages))}


def _labels(words: Words, kind: str, some: list[Method], seen: Analysis | None = None) -> list[tuple[str, str]]:
    """(what is shown, name) of methods; those that mean nothing for the network of `seen` say so."""

    def label(one: Method) -> str:
        alike = kind == "slow" and not one.class_specific
        name = board.name_of(words, one.name)
        name = words.say("page", "name_every_class", method=name) if alike else name
        # A sentence that is yet to be written is a target as good as any.
        here = seen is None or not one.why_not(seen.trace, "a sentence" if _reads(seen) else None)
        return name if here else words.say("page", "name_not_here", method=name)

    return [(label(one), one.name) for one in some]


def _offered(
    words: Words, kinds: dict[str, list[Method]], seen: Analysis, wanted: set[str], ticked: Sequence[list[str]]
) -> tuple[list[gr.CheckboxGroup], list[str]]:
    """The groups of methods for a network, and what of the `wanted` ones it does not have: that is ticked again for the next.

    Without a class to explain, those that explain one are not offered. What else means nothing here says so.
    """
    has_target = bool(_classes(seen)) or _reads(seen)
    groups, left = [], set(wanted)
    for (kind, some), now in zip(kinds.items(), ticked, strict=True):
        here = [one for one in some if has_target or not one.class_specific]
        names = [one.name for one in here if one.name in wanted]
        left -= {one.name for one in here}
        # A value only where it changes: somebody may be ticking just now.
        value = {} if set(names) == set(now) else {"value": names}
        groups.append(gr.CheckboxGroup(choices=_labels(words, kind, here, seen), visible=bool(here), **value))
    return groups, sorted(left)


def _checkboxes(words: Words, kind: str, some: list[Method]) -> gr.CheckboxGroup:
    return gr.CheckboxGroup(
        _labels(words, kind, some),
        value=[one.name for one in some if one.chosen],
        label=words["page"][f"kind_{kind}"],
        elem_id=f"methods-{kind}",
        visible=bool(some),
    )
