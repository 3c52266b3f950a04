"""One look at a picture: `Request` asks for it, `Analysis` is what was found. Data only; what is done with it is in pipeline.

Beside it: the same in a file (archive, saved), who made it (provenance), what goes with a map of it (record), and what can be
read off it (sinks, head_rows).
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.analysis import archive, provenance
from vizapp.arguments import in_words
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.context import ExplainContext
from vizapp.core.display import html_of
from vizapp.core.interventions import Edit
from vizapp.core.network import probabilities
from vizapp.core.target import Named, Target
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.wording import Text

NO_NETWORK = Text("This analysis holds no network: it was opened from a file, or made by vizapp.leave_out.")
AS_TRAINED = "as_trained"  # the fit of a request that names none
CLASSES_KEPT = 2  # whose gradients are held for one picture

_classes_lock = threading.Lock()


@dataclass(frozen=True)
class Request:
    """What is to be looked at, and how: the key of every cache, what a job means, what a link says.

    source  path or name of the picture; a hash of its content where it has neither
    model   name, as `vizapp.load` takes it
    fit     "crop", "pad", "squash", or AS_TRAINED
    edits   of the forward pass, in the order in which they are done
    """

    source: str
    model: str
    fit: str
    edits: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        edited = "".join(f", {edit}" for edit in self.edits)
        return f"{self.source} seen by {self.model} ({self.fit}){edited}"


@dataclass(frozen=True)
class Truth:
    """Something whose place in a picture is known. `mask` (H, W) bool, in pixels of the picture.

    is_object  False for what only explains the picture, such as a tell-tale mark: no map is expected to find it
    """

    name: str
    mask: np.ndarray = field(repr=False)
    is_object: bool = True


@in_words
@dataclass(frozen=True)
class Analysis:
    """One picture seen by one model: everything that `explain` and `paint` need.

    picture  (H, W, 3) uint8 RGB, upright
    frame    where the model looked on it
    trace    the attention of every layer and head
    model_name  what `load` was given; `facts` what is known of it, `notes` what must be said with every map
    fit      how the picture was brought to the model's shape
    truth    what is known to be where
    context  the same for methods that need the network: it is referred to, never copied
    edits    of the forward pass that was looked at; () for the network as it is
    activation  what makes probabilities of the outputs (see `VisionModel`)
    origin   of an analysis that holds no network: which one made it, and when (`vizapp.analysis.provenance`); {} for others
    """

    picture: np.ndarray = field(repr=False)
    frame: Frame
    trace: AttentionTrace = field(repr=False)
    model_name: str
    labels: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    fit: str = "crop"
    truth: tuple[Truth, ...] = ()
    context: ExplainContext | None = field(default=None, repr=False)
    edits: tuple[Edit, ...] = ()
    activation: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _classes: OrderedDict[int, ExplainContext] = field(default_factory=OrderedDict, repr=False, compare=False)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the network to a file, for `vizapp.open`: picture, attention, logits, labels, and who made it.

        The name is free (`photo.vizapp`, say). It is a safetensors file, so nothing in it runs when it is opened, and all
        numbers are the same to the last bit. About as large as `trace.nbytes` and the picture as PNG.
        """
        origin = provenance.provenance(self.context.model) if self.context else self.origin
        content = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("context", "_classes")}
        archive.write(Path(path), content | {"edits": tuple(map(str, self.edits)), "origin": origin})

    def of_class(self, target: Target | str | None = None) -> ExplainContext:
        """What methods look at that explain a class: its index, its label, or None for the most probable one; or a function.

        What was made for the last classes asked for (gradients) is kept, so methods share it. Raises `VizError` without a
        network, and for a class that there is not.
        """
        if self.context is None:
            raise VizError(NO_NETWORK, "Make it with vizapp.analyse.")
        wanted = self.context.of(self.class_index(target)).explained
        index = (
            id(wanted) if callable(wanted) else wanted
        )  # a context that is kept holds its function, so no other has the id
        with _classes_lock:
            found = self._classes.get(index)
            if found is None or found.target is not wanted:
                found = self.context.of(wanted)
            self._classes[index] = found
            self._classes.move_to_end(index)
            while len(self._classes) > CLASSES_KEPT:
                self._classes.popitem(last=False)
        return found

    def class_index(self, target: Target | str | None) -> Target | None:
        """The index of a class by its label, or by a part of it that no other label has; all else as it is."""
        if isinstance(target, Named):  # as a map has it
            return target.target
        if not isinstance(target, str):
            return target
        wanted = target.strip().lower()
        if wanted.isdecimal() and wanted not in map(str.lower, self.labels):
            return int(wanted)
        if not self.labels:
            raise VizError(
                "The outputs of {model} have no labels, so '{target}' is none of them.",
                "Say its index, or name them: vizapp.describe(net, labels=...).",
                target=target,
                model=self.model_name,
            )
        exact = [index for index, label in enumerate(self.labels) if label.lower() == wanted]
        found = exact or [index for index, label in enumerate(self.labels) if wanted and wanted in label.lower()]
        if len(found) == 1:
            return found[0]
        some = ", ".join(f"{index} ({self.labels[index]})" for index in found[:5])
        if found:
            raise VizError(
                "'{target}' is a part of several classes of {model}.",
                "Say which: {some}.",
                target=target,
                model=self.model_name,
                some=some,
            )
        raise VizError(
            "'{target}' is not a class of {model}.",
            "Its classes are such as: {some}.",
            target=target,
            model=self.model_name,
            some=", ".join(self.labels[:5]),
        )

    def on_picture(self, grid: tuple[int, int]) -> np.ndarray:
        """(rows, cols) bool: the patches that show some of the picture, and not only what it was padded with."""
        height, width = self.frame.picture
        if not 0 < min(grid) <= max(grid) <= max(self.frame.input):
            raise VizError(
                "There is no grid of {rows} x {cols} patches on {height} x {width} pixels.",
                "One that a layer has is seen.trace.layout.grid.",
                rows=grid[0],
                cols=grid[1],
                height=self.frame.input[0],
                width=self.frame.input[1],
            )
        left, top, right, bottom = np.moveaxis(
            np.array([[self.frame.box_of(row, col, grid) for col in range(grid[1])] for row in range(grid[0])]), -1, 0
        )
        return (left < width) & (top < height) & (right > 0) & (bottom > 0)

    def top(self, k: int = 5) -> tuple[tuple[str, float], ...]:
        """The k most probable (label, probability in 0..1), best first; () for a model without a classifier, or a regression."""
        return tuple((self.labels[index], probability) for index, probability in self.best(k))

    def best(self, k: int = 5) -> tuple[tuple[int, float], ...]:
        """The same by index, as two classes may have one label."""
        if self.trace.logits is None or self.activation == "none":
            return ()
        best = probabilities(self.trace.logits, self.activation).topk(min(max(k, 0), len(self.labels)))
        return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
