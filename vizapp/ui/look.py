"""The model at work for the page: one analysis, on which all tabs look."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import vizapp.pipeline as pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Analysis, Lesson
from vizapp.ui import examples


@dataclass
class Look:
    """Call it with what was chosen. The last analysis is kept, so that another tab does not run the model again.

    offered  names of models that a visitor of a `public` page may use
    cache    Gradio's folder, where the pictures of lessons lie
    """

    offered: list[str]
    cache: str
    device: str | None = None
    public: bool = False
    _last: dict[tuple[str, str, str], Analysis] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, picture: str, name: str, fit: Any) -> Analysis:
        """Raises `VizError` with words for who chose."""
        if self.public and name not in self.offered:
            raise VizError(f"'{name}' is not offered here.", "Choose a model from the list.")
        key = (picture, name, str(fit))
        with self._lock:
            if key not in self._last:
                self._last.clear()  # before the next one takes its room
                _, truth = examples.known_of(picture, self.cache)
                way = None if fit == "as_trained" else fit
                model = pipeline.load(name, self.device)
                self._last[key] = pipeline.analyse(model, picture, fit=way, truth=truth)
            return self._last[key]

    def lesson(self, picture: str) -> Lesson | None:
        """The lesson that the picture belongs to."""
        return examples.known_of(picture, self.cache)[0]
