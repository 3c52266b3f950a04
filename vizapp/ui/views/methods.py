"""The tab "Methods": one picture, many methods as a grid on one scale, their curves, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.analysis import Analysis, Request
from vizapp.comparison import Comparison, compare, sanity
from vizapp.core.checkpoint import checkpoint
from vizapp.core.methods import Method, methods
from vizapp.core.trust.faithfulness import FINE
from vizapp.errors import VizError
from vizapp.ui import board, line
from vizapp.ui.again import QUIETLY, Again, turned_away
from vizapp.ui.aims import NOBODY, Aim, Aims, Choice, choices_of, number_of, reads, title
from vizapp.ui.comparison_files import NARROW, WIDTHS, drawn_again, files
from vizapp.ui.jobs import LIMIT, Stopped, too_long
from vizapp.ui.limits import Full
from vizapp.ui.progress import Report
from vizapp.ui.session import Session
from vizapp.ui.settings import settings_of
from vizapp.ui.shown import shown
from vizapp.ui.things import Handed, Things, things_of
from vizapp.ui.views import Tab
from vizapp.ui.words import Words

ORDER = 20
ORDERS = 5  # random ones: how far they lie apart is how far two methods must
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
    handed = Handed("methods-things")
    kinds = _kinds(session.methods)
    boxes = [_checkboxes(words, kind, some) for kind, some in kinds.items()]
    if lacking := _lacking(words, session.public):
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
    asked = gr.State(
        None, time_to_live=3600
    )  # and what was asked: (choice, sentence, things, methods with maps, settings)
    taught = gr.State(None, time_to_live=3600)  # things that the visitor taught

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
        wanted: Choice,
        against: Choice,
        instead: Any,
        words_of: str | None,
        things: Things | None,
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
        assert about is not None, "a page begins with something"

        def on_progress(what: str, share: float) -> None:
            report.on_progress(what, share)
            checkpoint()

        def work() -> dict[Any, Any]:
            names = [*specific, *alike, *slow]
            aims = Aims(session, about, things, words)
            how: dict[str, Any] = {"steps": FINE, "orders": ORDERS, "empty": instead, "on_progress": on_progress}

            def compared(aim: Aim, some: list[str]) -> Comparison:
                own = settings.of(values, some)
                return compare(aim.seen, some, target=aim.target, settings=own, **how, **aim.computing)

            result = compared(aims.of(wanted, words_of), names)
            second, aim = None, aims.of(against)
            if aim.target is not None and (aim.seen is not result.seen or aim.target != result.target):
                second = compared(aim, [one for one in result.maps if methods()[one].class_specific])
                result = replace(result, skipped={**second.skipped, **result.skipped})
            made = board.cards(result, second)
            titled = partial(title, result, second)
            parts: dict[Any, Any] = {}
            for part, make in {
                maps: lambda: (
                    f"{board.grid(words, made, titled(words))}<!-- {uuid4().hex} -->"
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
            saved = files(words, result, made, titled, second, wide)
            parts[csv], parts[plate] = saved.table, saved.plate
            parts[png] = gr.DownloadButton(saved.button, value=saved.maps)
            kept = tuple(one for one in result.maps if not methods()[one].baseline)
            parts[asked] = (wanted, words_of, things, kept, settings.of(values, list(result.maps)))
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
        assert about is not None, "a page begins with something"
        if compared is None or of != about:
            raise shown(VizError("Press Compare first: what is to be forgotten is asked of its maps."), words)

        def on_progress(what: str, share: float) -> None:
            report.on_progress(what, share)
            checkpoint()

        def work() -> dict[Any, Any]:
            wanted, words_of, things, names, own = compared
            aim = Aims(session, about, things, words).of(wanted, words_of)
            found = sanity(aim.seen, names, target=aim.target, settings=own, on_progress=on_progress)
            return {forgotten: board.forgetting(words, found)}

        return long(work, about, visitor, report)

    def follow(
        about: Request, of: Request | None, asked: Any, things: Things | None, set_aside: list[str], *ticked: list[str]
    ) -> tuple[Any, ...]:
        """What can be explained on the stage, the methods for it, and whether the results are of something else."""
        stale = gr.skip() if of is None else "" if of == about else f"<p>{page['stale']}</p>"
        seen = session.analysis(about)
        return handed.value(seen, things), stale, *offer(seen, asked, things, set_aside, ticked)

    def offer(seen: Analysis, asked: Any, things: Things | None, aside: list[str], ticked: Any) -> tuple[Any, ...]:
        """New values of `offers`."""
        here = things and things.of(seen)
        choices, is_read = choices_of(words, seen, here), gr.Textbox(visible=reads(seen))
        offered, left = _offered(
            words, kinds, seen, {*aside, *(name for some in ticked for name in some)}, ticked, here
        )
        if not choices:
            none = gr.Dropdown(choices=[], value=None, info=page["no_classes"], interactive=False)
            return none, none, is_read, left, *offered
        first = next((value for _, value in choices if number_of(value) is None), choices[0][1])
        if asked and number_of(asked[0]) is not None and asked[0] in [value for _, value in choices]:
            first = asked[0]  # a thing stays, in the next picture too
        helped = page["taught_help" if here else "target_help"]
        nobody = (page["nobody"], NOBODY)
        return (
            gr.Dropdown(choices=choices, value=first, info=helped, interactive=True),
            gr.Dropdown(choices=[nobody, *choices], value=NOBODY, info=page["other_help"], interactive=True),
            is_read,
            left,
            *offered,
        )

    def take(
        asked: Any, aside: list[str], request: gr.Request, event: gr.EventData, *ticked: list[str]
    ) -> tuple[Any, ...]:
        """The things that a visitor taught, and what is offered with them."""
        about = session.on_stage(str(request.session_hash))
        assert about is not None, "a page begins with something"
        try:
            seen, things = session.analysis(about), things_of(event._data)
            here = things and things.of(seen)
            return here, *offer(seen, asked, here, aside, ticked)
        except VizError as error:
            raise shown(error, words) from None

    def halt(before: Request | None, request: gr.Request) -> Any:
        said = page["stopped_again" if before else "stopped"]
        return (f"<p>{said}</p>" if session.stop(str(request.session_hash)) else gr.skip(), "", "")

    # What waits is in the session's own queue, which knows what is urgent: Gradio is to let everything in.
    busy: dict[str, Any] = {"concurrency_limit": None, "api_visibility": "private", "js": line.BEGIN}
    found = [maps, results, lines, scores, about_, csv, png, plate, agreement, forgotten, note, ran, asked]
    comparing = {
        "inputs": [target, other, empty, sentence, taught, width, *boxes, *settings.controls],
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
    offers = [target, other, sentence, set_aside, *boxes]
    handed.event(take, [asked, set_aside, *boxes], [taught, *offers], **quick)
    return Tab(page["tab_methods"], follow, [ran, asked, taught, set_aside, *boxes], [handed.part, note, *offers])


def _kinds(offered: list[Method]) -> dict[str, list[Method]]:
    """Methods in three groups."""
    quick = [one for one in offered if one.cost == "quick"]
    return {
        "class": [one for one in quick if one.class_specific],
        "every": [one for one in quick if not one.class_specific],
        "slow": [one for one in offered if one.cost == "slow"],
    }


def _lacking(words: Words, public: bool) -> dict[str, str]:
    """Methods that would be offered if a package were installed, and the packages; {}: none, or nobody here could install it."""
    some = [] if public else [one for one in methods().values() if one.lacks]
    if not some:
        return {}
    packages = " ".join(dict.fromkeys(one.lacks for one in some))
    names = words.listed(board.name_of(words, one.name) for one in some)
    return {"methods": escape(names), "packages": escape(packages)}


def _labels(
    words: Words, kind: str, some: list[Method], seen: Analysis | None = None, target: object = None
) -> list[tuple[str, str]]:
    """(what is shown, name) of methods; those that mean nothing for the network of `seen` say so."""

    def label(one: Method) -> str:
        alike = kind == "slow" and not one.class_specific
        name = board.name_of(words, one.name)
        name = words.say("page", "name_every_class", method=name) if alike else name
        here = seen is None or not one.why_not(seen.trace, target)
        return name if here else words.say("page", "name_not_here", method=name)

    return [(label(one), one.name) for one in some]


def _offered(
    words: Words,
    kinds: dict[str, list[Method]],
    seen: Analysis,
    wanted: set[str],
    ticked: Sequence[list[str]],
    things: Things | None,
) -> tuple[list[gr.CheckboxGroup], list[str]]:
    """The groups of methods for a network, and what of the `wanted` ones it does not have: that is ticked again for the next.

    Without a class to explain, those that explain one are not offered. What else means nothing here says so.
    """
    # A sentence that is yet to be written is a target as good as any.
    other = "a sentence, or a thing" if things or reads(seen) else None
    has_target = bool(seen.best(1) or other)
    groups, left = [], set(wanted)
    for (kind, some), now in zip(kinds.items(), ticked, strict=True):
        here = [one for one in some if has_target or not one.class_specific]
        names = [one.name for one in here if one.name in wanted]
        left -= {one.name for one in here}
        # A value only where it changes: somebody may be ticking just now.
        value = {} if set(names) == set(now) else {"value": names}
        groups.append(gr.CheckboxGroup(choices=_labels(words, kind, here, seen, other), visible=bool(here), **value))
    return groups, sorted(left)


def _checkboxes(words: Words, kind: str, some: list[Method]) -> gr.CheckboxGroup:
    return gr.CheckboxGroup(
        _labels(words, kind, some),
        value=[one.name for one in some if one.chosen],
        label=words["page"][f"kind_{kind}"],
        elem_id=f"methods-{kind}",
        visible=bool(some),
    )
