"""Keeps the maps of a film in a file beside it while it is made, so that a stopped run can continue.

Each frame is analysed once, however often the run is stopped, and the largest value of all frames is known before the first is
painted.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.analysis.unfinished import Unfinished


class KeptMaps:
    """The maps (rows, cols) of all frames, in OUT.part. `asked` identifies all that they depend on; of others it starts over."""

    def __init__(self, output: Path, asked: Mapping[str, Any]) -> None:
        self.asked = asked
        self._run = hashlib.sha256(json.dumps(asked, default=_named).encode()).hexdigest()
        self._unfinished = Unfinished(output, is_needed=True)
        self._unfinished.of(self._run, self._begin)

    def _begin(self, kept: Iterable[dict[str, Any]]) -> None:
        self.about: dict[str, Any] = {}  # kept with the first map
        self.count, self.low, self.high = 0, 0.0, 0.0
        for one in kept:
            self._heard(_scores(one), one["about"])

    def _heard(self, scores: np.ndarray, about: Mapping[str, Any]) -> None:
        self.about |= about
        self.count += 1
        self.low, self.high = min(self.low, float(scores.min())), max(self.high, float(scores.max()))

    def add(self, scores: np.ndarray, about: Mapping[str, Any]) -> None:
        """Keep the map of one more frame; `about` (as JSON takes it) is what holds for all."""
        data = np.ascontiguousarray(scores, np.float32)
        about = json.loads(json.dumps(about, default=str))
        text = base64.b64encode(data.tobytes()).decode()
        self._unfinished.keep(self._run, {"shape": data.shape, "scores": text, "about": about})
        self._heard(data, about)

    def __iter__(self) -> Iterator[np.ndarray]:
        """All maps (rows, cols), in the order of the frames, one in memory at a time."""
        return map(_scores, self._unfinished.answers(self._run))

    def done(self) -> None:
        """Remove the file."""
        self._unfinished.done()


def _scores(kept: Mapping[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(kept["scores"]), np.float32).reshape(kept["shape"])


def _named(value: Any) -> str:
    """A text for a key of something that JSON cannot hold. For an array it covers all values, which `str` abbreviates."""
    if hasattr(value, "detach"):  # a tensor, in any precision, on any device
        value = value.detach().cpu().double().numpy()
    if not isinstance(value, np.ndarray):
        return str(value)
    return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
