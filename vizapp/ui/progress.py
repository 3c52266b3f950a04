"""What a visitor reads while a job waits and works, through Gradio's progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizapp.core.checkpoint import checkpoint
from vizapp.ui.board import name_of
from vizapp.ui.jobs import Place
from vizapp.ui.words import Words
from vizapp.wording import Text


class Report:
    """Says the place of a waiting job, and how far a working one is. `bar` is a `gr.Progress`."""

    def __init__(self, words: Words, bar: Callable[..., Any]) -> None:
        self._words, self._bar = words, bar
        self._share, self._said = 0.0, ""

    def on_progress(self, what: str, share: float) -> None:
        """What comes next, and how much is done: 0 to 1."""
        self._share, self._said = share, said(self._words, what)
        self._bar(share, desc=self._said)

    def on_download(self, done: int, size: int) -> None:
        """How much of a file is there, in bytes. The download ends here if nobody wants it any more."""
        self._share = done / size
        self._said = self._words.say("page", "download", done=f"{done / 1e6:.0f}", size=f"{size / 1e6:.0f}")
        self._bar(self._share, desc=self._said)
        checkpoint()

    def on_wait(self, place: Place | None) -> None:
        """What comes first; when it is over, what was said before stands there again."""
        if place is not None:
            self._bar(self._share, desc=place_in(self._words, place))
        elif self._said:
            self._bar(self._share, desc=self._said)
        else:
            self._bar(None)  # nothing was said: no bar


def place_in(words: Words, place: Place) -> str:
    """A place in the queue, in words."""
    if place.maps and place.runs:
        return words.say("page", "wait_both", maps=place.maps, runs=place.runs)
    if place.runs:
        return words.say("page", "wait_runs", runs=place.runs)
    return words.say("page", "wait_maps", maps=place.maps) if place.maps else words["page"]["wait_next"]


def said(words: Words, what: str) -> str:
    """What a run tells of its next step, with methods by the names that the page gives them."""
    if not isinstance(what, Text):
        return name_of(words, what)
    named = {key: name_of(words, value) if isinstance(value, str) else value for key, value in what.values.items()}
    return words.translate(what.having(**named))
