"""The messages to a visitor while a job waits and works, in Gradio's progress bar."""

import re
from collections.abc import Callable
from typing import Any

from vizapp.core.pauses import may_pause
from vizapp.ui.comparison_html import name_of
from vizapp.ui.jobs import Place
from vizapp.ui.words import Words
from vizapp.wording import Text

ARROW = " \u2193"  # behind models that have to be downloaded once


class Report:
    """Reports the place of a waiting job, and the progress of a running one. `bar` is a `gr.Progress`, `model` the full name of
    the network that is asked for."""

    def __init__(self, words: Words, bar: Callable[..., Any], model: str) -> None:
        self.words, self._bar, self._model = words, bar, model_in(words, model)
        self._share, self._said = 0.0, ""

    def on_progress(self, what: str, share: float) -> None:
        """Report the next step, and the share that is done: 0 to 1."""
        self._share, self._said = share, said(self.words, what)
        self._bar(share, desc=self._said)

    def on_loading(self) -> None:
        """Report that the network is not in memory yet."""
        self._said = self.words.say("page", "loading", name=self._model)
        self._bar(self._share, desc=self._said)

    def on_download(self, done: int, size: int) -> None:
        """Report how much of a file is there, in bytes. The download ends here if no visitor wants it any more."""
        self._share = done / size
        megabytes = {"done": f"{done / 1e6:.0f}", "size": f"{size / 1e6:.0f}"}
        self._said = self.words.say("page", "download", name=self._model, **megabytes)
        self._bar(self._share, desc=self._said)
        may_pause()

    def on_wait(self, place: Place | None) -> None:
        """Report the place in the queue; after the waiting, show the earlier message again."""
        if place is not None:
            self._bar(self._share, desc=place_in(self.words, place))
        elif self._said:
            self._bar(self._share, desc=self._said)
        else:
            self._bar(None)  # there was no message: no bar


def model_in(words: Words, name: str) -> str:
    """Say a model's full name as the list of models does, without the arrow of a download; a file without its folder."""
    known = words["models"].get(name)
    return known.removesuffix(ARROW) if known else re.sub(r"^timm:|^file:.*[/\\]", "", name)


def place_in(words: Words, place: Place) -> str:
    """Describe a place in the queue in words."""
    if place.maps and place.runs:
        return words.say("page", "wait_both", maps=place.maps, runs=place.runs)
    if place.runs:
        return words.say("page", "wait_runs", runs=place.runs)
    return words.say("page", "wait_maps", maps=place.maps) if place.maps else words["page"]["wait_next"]


def said(words: Words, what: str) -> str:
    """Translate a run's message about its next step, with the page's names of methods."""
    if not isinstance(what, Text):
        return name_of(words, what)
    named = {key: name_of(words, value) if isinstance(value, str) else value for key, value in what.values.items()}
    return words.translate(what.having(**named))
