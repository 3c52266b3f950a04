"""For a photograph with a network that knows no photographs: one line offers a better network, and one press fetches it."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import gradio as gr

from vizapp import pipeline
from vizapp.analysis import Request
from vizapp.ui.model_field import choices as model_choices
from vizapp.ui.photo_fetching import Fetching, Photos
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


class Offer:
    """The line with the offer, added to the page."""

    def __init__(self, session: Session, words: Words) -> None:
        self._session, self._words, self._photos = session, words, Photos(session, words)
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
        if self._is_busy() or not self._photos.is_missing(str(chosen or "")):
            return *self._nothing(), gr.skip(), gr.skip()
        on_stage = self._session.on_stage(asked.session_hash or "")
        return *self._offered(self._words["page"]["offer_missing"], chosen), chosen, on_stage

    def _press(self, chosen: str) -> Iterator[Any]:
        """Fetch a network if none is here, and report the progress; then choose it."""
        page, here = self._words["page"], self._photos.here(chosen)
        if here is None and self._session.public:
            return
        if here is None:
            if not self._is_busy():
                self._running = Fetching(self._photos.fetchables(chosen))
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

    def _offered(self, why: str = "", chosen: str = "") -> tuple[Any, ...]:
        """Return the line with what can be had. why: what went before it, if that has to be said"""
        offered = self._photos.offered(why, chosen)
        if offered is None:
            return self._gone()
        made = f"<small>{escape(offered.made)}</small>" if offered.made else ""
        return self._shows(f"<p>{escape(offered.said)}</p>{made}", offered.get)

    def _bar(self, running: Fetching) -> str:
        said, before = self._photos.progress(running)
        size, done = running.now.origin.size, running.done
        bar = f'<p role="status">{said}</p><progress max="{size}" value="{done}" aria-label="{said}"></progress>'
        return f"<p>{escape(before)}</p>{bar}" if before else bar

    def _shows(self, said: str, get: str = "", stops: bool = False) -> tuple[Any, ...]:
        """Return new values of the parts of the line. A download is stopped, and not closed: its end has something to say."""
        button = gr.Button(get, visible=True) if get else gr.Button(visible=False)
        return gr.Column(visible=True), said, button, gr.Button(visible=stops), gr.Button(visible=not stops)

    def _gone(self) -> tuple[Any, ...]:
        return gr.Column(visible=False), "", *(gr.Button(visible=False) for _ in range(3))

    def _nothing(self) -> tuple[Any, ...]:
        return tuple(gr.skip() for _ in range(5))
