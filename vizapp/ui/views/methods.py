"""The tab "Methods": one picture, its map by many methods with one cursor, and how each did when its patches went."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.analysis import Request
from vizapp.core.methods import methods
from vizapp.core.pauses import may_pause
from vizapp.core.trust.faithfulness import FINE
from vizapp.errors import VizError
from vizapp.pipeline.comparison import Comparison, compare
from vizapp.pipeline.sanity import sanity
from vizapp.ui import comparison_html, comparison_maps, heartbeat
from vizapp.ui.comparison_files import NARROW, WIDTHS, drawn_again, files
from vizapp.ui.errors import shown
from vizapp.ui.jobs import LIMIT, Stopped, too_long
from vizapp.ui.limits import Full
from vizapp.ui.method_choice import MethodChoice
from vizapp.ui.progress import Report
from vizapp.ui.retry import QUIETLY, Again, turned_away
from vizapp.ui.session import Session
from vizapp.ui.targets import Aim, Aims, Choice, title
from vizapp.ui.taught_classes import Things, things_of
from vizapp.ui.views import Tab
from vizapp.ui.words import Words
from vizapp.vocabulary import ORDERS, Empty

ORDER = 20
SCRIPT = (Path(__file__).parent / "methods.js").read_text("utf-8").replace("\nexport ", "\n")
# The lines of a chart by the entries of its legend.
FADE = """
element.addEventListener("mouseover", (event) => {
  const line = event.target.closest("li[data-line]")?.dataset.line;
  for (const one of element.querySelectorAll('g[id^="line-"]')) one.style.opacity = !line || one.id === `line-${line}` ? 1 : 0.15;
});
"""


# Jobs wait in the session's own queue, which knows their priority: Gradio should let everything in.
BUSY: dict[str, Any] = {"concurrency_limit": None, "api_visibility": "private", "js": heartbeat.BEGIN}
QUICK: dict[str, Any] = {"concurrency_limit": None, "api_visibility": "private", "show_progress": "hidden"}


def build(session: Session, words: Words) -> Tab:
    """Add the tab to the page."""
    return MethodsTab(session, words).connected()


class MethodsTab:
    """The parts of the tab, which are added to the page, and their events."""

    def __init__(self, session: Session, words: Words) -> None:
        self._session, self._words = session, words
        self._limit = LIMIT if session.public else None
        self._choice = MethodChoice(session, words)
        self._place_controls()
        self._place_results()
        self._keep_states()

    def _place_controls(self) -> None:
        page = self._words["page"]
        takes = f"{page['methods_takes']} {page['methods_public']}" if self._session.public else page["methods_takes"]
        hello = f"<h2>{page['methods_hello']}</h2><div><p>{takes}</p></div>"
        self._heading = gr.HTML(hello, elem_id="methods-heading")
        with gr.Row(elem_id="methods-run"):
            self._choice.place_target()
            self._go = gr.Button(page["compare"], variant="primary", size="md", elem_id="methods-go")
            self._stop = gr.Button(page["stop"], size="md", elem_id="methods-stop")
            self._note = gr.HTML("", elem_id="methods-note", min_height=0)
            opens = 'id="methods-more" data-drawer="methods-numbers" aria-expanded="false"'
            self._more = gr.HTML(
                f'<button type="button" {opens}>{page["numbers"]}</button>', visible=False, elem_id="methods-more-box"
            )
        self._choice.place_drawer()
        self._again = Again(self._words, "methods-again")
        self._again_forget = Again(self._words, "methods-forget-again")

    def _place_results(self) -> None:
        page = self._words["page"]
        self._maps = gr.HTML(comparison_maps.REST, elem_id="methods-maps", js_on_load=f"{SCRIPT}\nfollow(element);\n")
        with gr.Column(elem_id="methods-numbers", elem_classes="drawer"):
            self._place_files()
            self._scores = gr.HTML(elem_id="methods-scores", js_on_load=f"{SCRIPT}\nsortable(element);\n")
            with gr.Accordion(page["agreement"], open=False):
                gr.HTML(f"<p>{page['agreement_help']}</p>")
                self._agreement = gr.HTML()
            with gr.Accordion(page["forget"], open=False, elem_id="methods-forget"):
                gr.HTML(f"<p>{page['forget_help']}</p>")
                self._forget = gr.Button(page["forget_go"], size="sm", elem_id="methods-forget-go")
                self._forgotten = gr.HTML(elem_id="methods-forgotten", js_on_load=FADE, min_height=60)

    def _place_files(self) -> None:
        page = self._words["page"]
        with gr.Row(elem_id="methods-files"):
            self._csv = gr.DownloadButton(page["save_csv"], size="sm", elem_id="methods-csv")
            self._png = gr.DownloadButton(page["save_png"], size="sm", elem_id="methods-png")
            gr.Button(self._words["viewer"]["copy_link"], size="sm", elem_classes="copy-link")
            self._width = gr.Dropdown(
                [(self._words.say("page", "save_width", width=one), one) for one in WIDTHS],
                value=NARROW,
                label=page["save_width_label"],
                filterable=False,
                container=False,
                elem_id="methods-width",
            )

    def _keep_states(self) -> None:
        """Make the states that remember a visitor's run."""
        self._plate = gr.State(None, time_to_live=3600)  # the file of the maps is drawn from it
        self._ran = gr.State(None, time_to_live=3600)  # the request that the results are of
        self._set_aside = gr.State(
            [], time_to_live=3600
        )  # methods that were ticked, and are not offered for this network
        # The last comparison: (choice, sentence, things, methods with maps, settings).
        self._asked = gr.State(None, time_to_live=3600)
        self._taught = gr.State(None, time_to_live=3600)  # things that the visitor taught

    def connected(self) -> Tab:
        """Connect the events, and return the tab."""
        choice = self._choice
        going = self._connect_runs()
        choice.follow_ticks()
        turned = self._width.input(lambda: gr.DownloadButton(interactive=False), None, self._png, **QUIETLY)
        turned.then(self.redraw, [self._plate, self._width], self._png, **QUICK).failure(
            lambda: gr.DownloadButton(interactive=True), None, self._png, **QUIETLY
        )
        self._stop.click(
            self.halt,
            self._ran,
            [self._note, self._again.line, self._again_forget.line],
            cancels=going,
            queue=False,
            js=heartbeat.ABANDON,
            api_visibility="private",
        )
        offers = [choice.target, choice.other, choice.sentence, self._set_aside, *choice.boxes]
        asking = [self._asked, self._set_aside, *choice.boxes]
        choice.handed.event(self.take, asking, [self._taught, *offers], **QUICK)
        inputs = [self._ran, self._asked, self._taught, self._set_aside, *choice.boxes]
        return Tab(self._words["page"]["tab_methods"], self.follow, inputs, [choice.handed.part, self._note, *offers])

    def _connect_runs(self) -> list[Any]:
        """Make the events of the two long runs."""
        choice = self._choice
        chosen = [choice.target, choice.other, choice.empty, choice.sentence, self._taught, self._width]
        results = [self._heading, self._maps, self._scores, self._more, self._csv, self._png, self._plate]
        comparing = {
            "inputs": [*chosen, *choice.boxes, *choice.settings.controls],
            "outputs": [*results, self._agreement, self._forgotten, self._note, self._ran, self._asked],
            "show_progress_on": self._note,
        }
        forgetting = {
            "inputs": [self._ran, self._asked],
            "outputs": [self._forgotten, self._note],
            "show_progress_on": self._forgotten,
        }
        compared = self._go.click(self.run, **comparing, **BUSY)
        forgot = self._forget.click(self.run_sanity, **forgetting, **BUSY)
        going = [
            *self._again.following([compared], self.run, **comparing, **BUSY),
            *self._again_forget.following([forgot], self.run_sanity, **forgetting, **BUSY),
        ]
        for one in going:
            one.then(None, js=heartbeat.END, **QUIETLY)
        return going

    def run(
        self,
        wanted: Choice,
        against: Choice,
        instead: Empty,
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
        """Compare the ticked methods, and return new values of all results."""
        visitor = str(request.session_hash)
        about, settings = self._wanted(visitor), self._choice.settings
        report = Report(self._words, progress, about.model)

        def work() -> dict[Any, Any]:
            aims = Aims(self._session, about, things, self._words)
            how: dict[str, Any] = {
                "steps": FINE,
                "orders": ORDERS,
                "empty": instead,
                "on_progress": _said_by(report),
            }

            def compared(aim: Aim, some: list[str]) -> Comparison:
                own = settings.of(values, some)
                return compare(aim.seen, some, target=aim.target, settings=own, **how, **aim.computing)

            result = compared(aims.of(wanted, words_of), [*specific, *alike, *slow])
            second, aim = None, aims.of(against)
            if aim.target is not None and (aim.seen is not result.seen or aim.target != result.target):
                second = compared(aim, [one for one in result.maps if methods()[one].class_specific])
                result = replace(result, skipped={**second.skipped, **result.skipped})
            parts = self._drawn(result, second, wide)
            kept = tuple(one for one in result.maps if not methods()[one].baseline)
            parts[self._asked] = (wanted, words_of, things, kept, settings.of(values, list(result.maps)))
            return parts | {self._ran: about}

        return self._long(work, about, visitor, report)

    def _drawn(self, result: Comparison, second: Comparison | None, wide: int) -> dict[Any, Any]:
        """Draw the results, by the component that shows them; a run can be ended between two of them."""
        words = self._words
        made = comparison_html.cards(words, result, second)
        titled = partial(title, result, second)
        parts: dict[Any, Any] = {}
        for part, make in {
            self._heading: lambda: comparison_html.heading(words, result, titled(words)),
            self._maps: lambda: comparison_maps.screen(words, result, second, made),
            self._scores: lambda: comparison_html.numbers(words, result, second),
            self._agreement: lambda: comparison_html.agreement(words, result),
        }.items():
            may_pause()
            parts[part] = make()
        may_pause()
        saved = files(words, result, made, titled, second, wide)
        parts[self._csv], parts[self._plate] = saved.table, saved.plate
        parts[self._png] = gr.DownloadButton(saved.button, value=saved.maps)
        return parts | {self._more: gr.HTML(visible=True), self._note: "", self._forgotten: ""}

    def run_sanity(
        self,
        of: Request | None,
        compared: Any,
        request: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> Any:
        """Let the network forget, layer by layer, under the methods that were compared."""
        visitor = str(request.session_hash)
        about = self._wanted(visitor)
        report = Report(self._words, progress, about.model)
        if compared is None or of != about:
            raise shown(VizError("Press Compare first: this test needs its maps."), self._words)

        def work() -> dict[Any, Any]:
            wanted, words_of, things, names, own = compared
            aim = Aims(self._session, about, things, self._words).of(wanted, words_of)
            found = sanity(aim.seen, names, target=aim.target, settings=own, on_progress=_said_by(report))
            return {self._forgotten: comparison_html.forgetting(self._words, found)}

        return self._long(work, about, visitor, report)

    def _long(self, work: Any, about: Request, visitor: str, report: Report) -> Any:
        """Return the result of a long run, or, if it was ended, a message that says why."""
        how: dict[str, Any] = {"priority": "long", "about": about, "limit": self._limit, "on_wait": report.on_wait}
        page = self._words["page"]
        try:
            return self._session.run(work, visitor, **how)
        except Stopped as end:
            if end.why == "too_long":
                raise shown(too_long(self._limit), self._words) from None
            # A visitor who pressed Stop has been told already.
            return {self._note: gr.skip() if end.why == "stopped" else f"<p>{page[f'ended_{end.why}']}</p>"}
        except Full as error:
            raise turned_away(error, visitor, self._words) from None
        except VizError as error:
            raise shown(error, self._words) from None

    def _wanted(self, visitor: str) -> Request:
        about = self._session.wanted(visitor)
        assert about is not None, "a page begins with something"
        return about

    def redraw(self, plate: str | None, wide: int, request: gr.Request) -> Any:
        """Draw the file of the maps in another width. Meanwhile the old file is not offered: it could pass for the new one."""
        try:
            made = self._session.run(lambda: drawn_again(plate or "", wide), str(request.session_hash))
            return gr.DownloadButton(value=made, interactive=True)
        except Full as error:
            raise turned_away(error, str(request.session_hash), self._words) from None
        except VizError as error:
            raise shown(error, self._words) from None

    def follow(
        self,
        about: Request,
        of: Request | None,
        asked: Any,
        things: Things | None,
        aside: list[str],
        *ticked: list[str],
    ) -> tuple[Any, ...]:
        """Return the targets on the stage, the methods for them, and whether the results belong to another request."""
        page = self._words["page"]
        stale = gr.skip() if of is None else "" if of == about else f"<p>{page['stale']}</p>"
        seen = self._session.analysis(about)
        handed = self._choice.handed.value(seen, things)
        return handed, stale, *self._choice.offer(seen, asked, things, aside, ticked)

    def take(
        self, asked: Any, aside: list[str], request: gr.Request, event: gr.EventData, *ticked: list[str]
    ) -> tuple[Any, ...]:
        """Return the visitor's taught things, and the choices with them."""
        about = self._session.on_stage(str(request.session_hash))
        assert about is not None, "a page begins with something"
        try:
            seen, things = self._session.analysis(about), things_of(event._data)
            here = things and things.of(seen)
            return here, *self._choice.offer(seen, asked, here, aside, ticked)
        except VizError as error:
            raise shown(error, self._words) from None

    def halt(self, before: Request | None, request: gr.Request) -> Any:
        """Stop the run, and say so; a run that waits because of a full queue is not tried again."""
        page = self._words["page"]
        said = page["stopped_again" if before else "stopped"]
        return (f"<p>{said}</p>" if self._session.stop(str(request.session_hash)) else gr.skip(), "", "")


def _said_by(report: Report) -> Callable[[str, float], None]:
    """Report the progress of a run to a visitor; the run can be ended at each report."""

    def on_progress(what: str, share: float) -> None:
        report.on_progress(what, share)
        may_pause()

    return on_progress
