"""A photograph before a network that knows none: one line that offers a network that does, and fetches it on a press.

Nothing is fetched on a public page: there it is offered only if whoever runs it has fetched it, with `vizapp get photos`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import gradio as gr

from vizapp import pipeline
from vizapp.analysis import Request
from vizapp.errors import VizError
from vizapp.model.fetch import MB, Fetchable
from vizapp.model.zoo import fetchables
from vizapp.ui.again import QUIETLY
from vizapp.ui.jobs import Stopped
from vizapp.ui.model_field import choices as model_choices
from vizapp.ui.session import Session
from vizapp.ui.words import Words

KEEP = 3600  # seconds that a visitor's last refusal is remembered
EVERY = 0.4  # seconds between two words on how far a download is
NAME = "photos"


class Fetching:
    """A download that goes on in a thread of its own, whoever looks at it.

    done         bytes that are there
    was_stopped  and `failed`: how it ended, if not well
    """

    def __init__(self, what: Fetchable) -> None:
        self.done = 0
        self.failed: VizError | None = None
        self.was_stopped = False
        self._stop, self._what = threading.Event(), what
        self._thread = threading.Thread(target=self._run, name=f"fetch {what.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; nothing of it is kept."""
        self._stop.set()

    def is_over(self, patience: float) -> bool:
        """Wait so many seconds for its end."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._what.fetch(self._heard)
        except Stopped:
            self.was_stopped = True
        except VizError as error:
            self.failed = error

    def _heard(self, done: int) -> None:
        self.done = done
        if self._stop.is_set():
            raise Stopped("stopped")


class Offer:
    """The line, in the page that is being built."""

    def __init__(self, session: Session, words: Words) -> None:
        self._session, self._words = session, words
        self._running: Fetching | None = None
        with gr.Column(visible=False, elem_id="offer", min_width=0) as self._line:
            self._said = gr.HTML("", elem_id="offer-said")
            self._get = gr.Button("", size="sm", elem_id="offer-get")
            self._stop = gr.Button(words["page"]["stop"], size="sm", elem_id="offer-stop", visible=False)

    def connect(self, looks: Sequence[Any], name: gr.Dropdown) -> None:
        """looks: events that bring something to the stage. name: where a model is chosen"""
        parts = [self._line, self._said, self._get, self._stop]
        refused = gr.State(None, time_to_live=KEEP)  # what was on the stage when the model was not here
        for one in looks:
            one.success(self._after, refused, parts, **QUIETLY)
            one.failure(self._refused, name, [*parts, refused], **QUIETLY)
        how: dict[str, Any] = {"concurrency_limit": None, "show_progress": "hidden", "api_visibility": "private"}
        self._get.click(self._press, None, [*parts, name], **how)
        self._stop.click(self._halt, None, None, **QUIETLY)

    def _after(self, refused: Request | None, asked: gr.Request) -> Any:
        """What the line says of what has come to the stage.

        A choice that failed is taken back, which succeeds, too: what the line says of the failure stays.
        """
        request = self._session.on_stage(asked.session_hash or "")
        if self._is_busy() or (request is not None and request == refused):
            return self._nothing()
        if request is None or self._session.lesson(request) is not None:
            return self._gone()
        if pipeline.load(request.model, self._session.device).subject != "scenes":
            return self._gone()
        return self._offered(self._words["page"]["offer_photo"])

    def _refused(self, chosen: Any, asked: gr.Request) -> Any:
        """The same of a model that was chosen before it was fetched; and what is on the stage."""
        if chosen != NAME or self._is_busy() or self._session.public or _photos().is_here():
            return *self._nothing(), gr.skip()
        on_stage = self._session.on_stage(asked.session_hash or "")
        return *self._offered(self._words["page"]["offer_missing"]), on_stage

    def _press(self) -> Iterator[Any]:
        """Fetch it if it is not here, telling how far that is; then choose it."""
        page, what = self._words["page"], _photos()
        if self._session.public and NAME not in self._session.offered:
            return
        if not what.is_here() and not self._session.public:
            if not self._is_busy():
                self._running = Fetching(what)
            running = self._running
            assert running is not None
            while not running.is_over(EVERY):
                yield (*self._shows(self._bar(running.done, what.wheel.size), stops=True), gr.skip())
            if running.was_stopped or running.failed is not None:
                said = page["offer_stopped"] if running.failed is None else self._words.explain(running.failed)
                yield (*self._offered(said), gr.skip())
                return
        listed = model_choices(self._session, self._words)
        yield (*self._gone(), gr.Dropdown(choices=listed, value=NAME))

    def _is_busy(self) -> bool:
        return self._running is not None and not self._running.is_over(0)

    def _halt(self) -> None:
        if self._running is not None:
            self._running.stop()

    def _offered(self, why: str) -> tuple[Any, ...]:
        what = _photos()
        if self._session.public and NAME not in self._session.offered:
            return self._shows(f"<p>{escape(why)}</p>")
        if what.is_here():
            return self._shows(f"<p>{escape(why)}</p>", self._words["page"]["offer_look"])
        size = f"{what.wheel.size / MB:.0f}"
        about = self._words.say("page", "offer_about", wheel=what.wheel.requirement, licence=what.licence)
        return self._shows(
            f"<p>{escape(why)}</p><small>{escape(about)}</small>", self._words.say("page", "offer_get", size=size)
        )

    def _bar(self, done: int, size: int) -> str:
        said = self._words.say("page", "offer_progress", done=f"{done / MB:.0f}", size=f"{size / MB:.0f}")
        said = said if done < size else self._words["page"]["offer_unpacking"]
        return f'<p role="status">{said}</p><progress max="{size}" value="{done}" aria-label="{said}"></progress>'

    def _shows(self, said: str, get: str = "", stops: bool = False) -> tuple[Any, ...]:
        """New values of the parts."""
        button = gr.Button(get, visible=True) if get else gr.Button(visible=False)
        return gr.Column(visible=True), said, button, gr.Button(visible=stops)

    def _gone(self) -> tuple[Any, ...]:
        return gr.Column(visible=False), "", gr.Button(visible=False), gr.Button(visible=False)

    def _nothing(self) -> tuple[Any, ...]:
        return tuple(gr.skip() for _ in range(4))


def _photos() -> Fetchable:
    return fetchables()[NAME]
