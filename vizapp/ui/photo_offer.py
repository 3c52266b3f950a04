"""For a photograph with a network that knows no photographs: one line offers a better network, and one press fetches it.

The press fetches the best that can be had (`photo_networks` of vizapp.model.zoo): whether the hub answers is found out then.
A public page fetches nothing: it offers a network only if the owner has fetched it, with `vizapp get photos`.
"""

import threading
from collections.abc import Iterator, Sequence
from html import escape
from itertools import dropwhile
from typing import Any

import gradio as gr

from vizapp import pipeline
from vizapp.analysis import Request
from vizapp.errors import VizError
from vizapp.model.fetch import MB, Fetchable, fetch_first
from vizapp.model.zoo import photo_networks
from vizapp.ui.jobs import Stopped
from vizapp.ui.model_field import choices as model_choices
from vizapp.ui.retry import QUIETLY
from vizapp.ui.session import Session
from vizapp.ui.words import Words

KEEP = 3600  # seconds that a visitor's last refusal is remembered
EVERY = 0.4  # seconds between two updates of a download's progress
# Escape closes the line, unless somebody else has taken the key: an open drawer, a held patch.
ESCAPE = """
document.addEventListener("keydown", (event) => {
  const close = document.querySelector("#offer-close");
  if (event.key !== "Escape" || event.defaultPrevented || !close?.checkVisibility()) return;
  close.click();
  event.preventDefault();
});
"""


class Fetching:
    """A download in a thread of its own, which continues even if nobody watches: of the first of `wanted` that can be had.

    now          what is being fetched
    why_not      why the one before it could not be had, if there was one
    done         bytes so far
    was_stopped  and `failed`: how it ended, if not well
    """

    def __init__(self, wanted: Sequence[Fetchable]) -> None:
        self.now, self.done = wanted[0], 0
        self.why_not: VizError | None = None
        self.failed: VizError | None = None
        self.was_stopped = False
        self._stop, self._wanted = threading.Event(), wanted
        self._thread = threading.Thread(target=self._run, name="fetch a network", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the download; nothing of it is kept."""
        self._stop.set()

    def is_over(self, patience: float) -> bool:
        """Wait at most so many seconds for its end, and return whether it came."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            fetch_first(self._wanted, self._heard, self._turn)
        except Stopped:
            self.was_stopped = True
        except VizError as error:
            self.failed = error

    def _turn(self, one: Fetchable, why_not: VizError | None) -> None:
        self.now, self.why_not = one, why_not
        self._heard(0)

    def _heard(self, done: int) -> None:
        self.done = done
        if self._stop.is_set():
            raise Stopped("stopped")


class Offer:
    """The line with the offer, added to the page."""

    def __init__(self, session: Session, words: Words) -> None:
        self._session, self._words = session, words
        self._running: Fetching | None = None
        with gr.Column(visible=False, elem_id="offer", min_width=0) as self._line:
            self._said = gr.HTML("", elem_id="offer-said", js_on_load=ESCAPE)
            self._get = gr.Button("", size="sm", elem_id="offer-get")
            self._stop = gr.Button(words["page"]["stop"], size="sm", elem_id="offer-stop", visible=False)
            self._close = gr.Button(words["page"]["close"], size="sm", elem_id="offer-close")

    def connect(self, looks: Sequence[Any], name: gr.Dropdown) -> None:
        """Connect the line. looks: events that bring something to the stage; name: the field of models"""
        parts = [self._line, self._said, self._get, self._stop, self._close]
        refused = gr.State(None, time_to_live=KEEP)  # the request on the stage when the model was missing
        wanted = gr.State("", time_to_live=KEEP)  # the missing model, if one was chosen
        closed = gr.State(False, time_to_live=KEEP)  # whether the visitor wants no offer at a photo
        for one in looks:
            one.success(self._after, [refused, closed], [*parts, wanted], **QUIETLY)
            one.failure(self._refused, name, [*parts, wanted, refused], **QUIETLY)
        how: dict[str, Any] = {"concurrency_limit": None, "show_progress": "hidden", "api_visibility": "private"}
        self._get.click(self._press, wanted, [*parts, name], **how)
        self._stop.click(self._halt, None, None, **QUIETLY)
        self._close.click(lambda: (*self._gone(), True), None, [*parts, closed], **QUIETLY)

    def _after(self, refused: Request | None, closed: bool, asked: gr.Request) -> Any:
        """Return the line for the request that has come to the stage.

        A failed choice is taken back, and that analysis succeeds: the line about the failure then stays.
        """
        request = self._session.on_stage(asked.session_hash or "")
        if self._is_busy() or (request is not None and request == refused):
            return *self._nothing(), gr.skip()
        if closed or request is None or self._session.lesson(request) is not None:
            return *self._gone(), ""
        if pipeline.load(request.model, self._session.device).subject != "scenes":
            return *self._gone(), ""
        return *self._offered(), ""

    def _refused(self, chosen: Any, asked: gr.Request) -> Any:
        """Return the line for a model that was chosen before it was fetched, and the request on the stage."""
        missing = self._fetchables(str(chosen)) if chosen else ()
        if not missing or self._is_busy() or self._session.public or missing[0].is_here():
            return *self._nothing(), gr.skip(), gr.skip()
        on_stage = self._session.on_stage(asked.session_hash or "")
        return *self._offered(self._words["page"]["offer_missing"], chosen), chosen, on_stage

    def _press(self, chosen: str) -> Iterator[Any]:
        """Fetch a network if none is here, and report the progress; then choose it."""
        page, here = self._words["page"], self._here(chosen)
        if here is None and self._session.public:
            return
        if here is None:
            if not self._is_busy():
                self._running = Fetching(self._fetchables(chosen))
            running = self._running
            assert running is not None
            while not running.is_over(EVERY):
                yield (*self._shows(self._bar(running), stops=True), gr.skip())
            if running.was_stopped or running.failed is not None:
                said = page["offer_stopped"] if running.failed is None else self._words.explain(running.failed)
                yield (*self._offered(said, chosen), gr.skip())
                return
            here = running.now
        listed = model_choices(self._session, self._words)
        yield (*self._gone(), gr.Dropdown(choices=listed, value=here.model))

    def _is_busy(self) -> bool:
        return self._running is not None and not self._running.is_over(0)

    def _halt(self) -> None:
        if self._running is not None:
            self._running.stop()

    def _fetchables(self, chosen: str) -> tuple[Fetchable, ...]:
        """Return what may be fetched, the best first: all, or if a model was chosen, that one and those after it."""
        return tuple(dropwhile(lambda one: chosen not in ("", one.model), photo_networks()))

    def _here(self, chosen: str) -> Fetchable | None:
        """Return the best of these that can be looked through at once."""
        some = (
            one for one in self._fetchables(chosen) if not self._session.public or one.model in self._session.offered
        )
        return next((one for one in some if one.is_here()), None)

    def _offered(self, why: str = "", chosen: str = "") -> tuple[Any, ...]:
        """Return the line with what can be had. why: what went before it, if that has to be said"""
        here = self._here(chosen)
        if here is not None:
            said = why or self._words.translate(here.about)
            return self._shows(f"<p>{escape(said)}</p>", self._words.say("page", "offer_look", title=here.title))
        if self._session.public:
            return self._gone()
        best, *others = self._fetchables(chosen)
        said = why or self._words.translate(best.about)
        instead = [self._sized("else", one) for one in others]
        return self._shows(f"<p>{escape(said)}</p>{self._made(best, instead)}", self._sized("get", best))

    def _made(self, one: Fetchable, also: Sequence[str] = ()) -> str:
        """Return HTML that says who made it, under which licence, and how far it is known; and what else there is to say."""
        made = self._words.say("page", "offer_made", made=one.made, licence=one.licence)
        doubt = [self._words.translate(one.origin.doubt)] if one.origin.doubt else []
        return f"<small>{escape(self._words.told([made, *doubt, *also]))}</small>"

    def _sized(self, what: str, one: Fetchable) -> str:
        size = f"{one.origin.size / MB:.0f}"
        return self._words.say("page", f"offer_{what}", title=one.title, size=size, way=one.origin.way)

    def _bar(self, running: Fetching) -> str:
        one, done = running.now, running.done
        size, before = one.origin.size, ""
        said = self._words.say(
            "page", "offer_progress", title=one.title, done=f"{done / MB:.0f}", size=f"{size / MB:.0f}"
        )
        said = said if done < size else self._words["page"]["offer_unpacking"]
        if running.why_not is not None:
            why = [self._words.translate(running.why_not.message), self._sized("instead", one)]
            before = f"<p>{escape(self._words.told(why))}</p>{self._made(one)}"
        return (
            f'{before}<p role="status">{said}</p><progress max="{size}" value="{done}" aria-label="{said}"></progress>'
        )

    def _shows(self, said: str, get: str = "", stops: bool = False) -> tuple[Any, ...]:
        """Return new values of the parts of the line. A download is stopped, and not closed: its end has something to say."""
        button = gr.Button(get, visible=True) if get else gr.Button(visible=False)
        return gr.Column(visible=True), said, button, gr.Button(visible=stops), gr.Button(visible=not stops)

    def _gone(self) -> tuple[Any, ...]:
        return gr.Column(visible=False), "", *(gr.Button(visible=False) for _ in range(3))

    def _nothing(self) -> tuple[Any, ...]:
        return tuple(gr.skip() for _ in range(5))
