"""The data of one analysis: `Request` is the question, `Analysis` the result. `vizapp.pipeline` works with them.

Other files here: storage (archive, saved), provenance, descriptions of its maps (record), and measures (sinks, head_rows).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vizapp.analysis import archive, provenance
from vizapp.analysis.subject import Subject
from vizapp.core.attention.ledger import Ledger
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.proof import known_proof
from vizapp.core.context import ExplainContext
from vizapp.core.display import html_of
from vizapp.core.interventions import Edit
from vizapp.core.network import probabilities
from vizapp.core.target import Named, Target
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.recent import Recent
from vizapp.vocabulary import AS_TRAINED as AS_TRAINED  # the fit of a request that names none
from vizapp.wording import Text, alike

NO_NETWORK = Text("This analysis holds no network: it was opened from a file, or made by vizapp.leave_out.")
CLASSES_KEPT = 2  # whose gradients are held for one picture


@dataclass(frozen=True)
class Request:
    """The picture to analyse, and the way. It is the key of every cache, the subject of every job, and the content of every link.

    source  path or name of the picture; a hash of its content if it has neither
    model   name, as `vizapp.load` takes it
    fit     "crop", "pad", "squash", or AS_TRAINED
    edits   of the forward pass, in the order in which they are applied
    page    of the picture's file, from 1
    """

    source: str
    model: str
    fit: str
    edits: tuple[Edit, ...] = ()
    page: int = 1

    def __str__(self) -> str:
        edited = "".join(f", {edit}" for edit in self.edits)
        page = f"#{self.page}" if self.page > 1 else ""
        return f"{self.source}{page} seen by {self.model} ({self.fit}){edited}"


@dataclass(frozen=True, eq=False)
class Truth:
    """A thing whose place in a picture is known. `mask` (H, W) bool, in pixels of the picture.

    is_object  False for a thing that no map is expected to find, such as a tell-tale mark
    """

    name: str
    mask: NDArray[np.bool_] = field(repr=False)
    is_object: bool = True


@dataclass(frozen=True, repr=False, eq=False)
class Analysis:
    """One picture seen by one model: everything that `explain` and `paint` need.

    Attributes
    ----------
    picture
        (H, W, 3) uint8 RGB, upright
    frame
        where the model looked on it
    trace
        the attention of every layer and head
    model_name
        the name given to `load`; `facts` about the model, `notes` to be shown with every map
    fit
        how the picture was fitted to the model's shape
    truth
        the known objects and their places
    context
        the input of methods that need the network, to which it refers without a copy
    edits
        of the forward pass; () for the network as it is
    activation
        turns outputs into probabilities (see `VisionModel`)
    origin
        for an analysis without its network: which one made it, and when (`vizapp.analysis.provenance`); {} for others
    """

    picture: NDArray[np.uint8] = field(repr=False)
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
    _classes: Recent[tuple[bool, int], ExplainContext] = field(default_factory=lambda: Recent(CLASSES_KEPT), repr=False)

    def __repr__(self) -> str:
        return f"Analysis({self._line})"

    def __str__(self) -> str:
        return "\n".join((self._line, *map(str, self.notes)))

    @property
    def _line(self) -> str:
        trace = self.trace
        heads = "/".join(str(n) for n in dict.fromkeys(layer.n_heads for layer in trace.layers))
        said = "".join(f"{label} {share:.0%}; " for label, share in self.top(1))
        layers = f"{len(trace.layers)} layers of {heads} heads" if heads else "no layers"
        return f"{self.subject.network}: {said}{layers}, {trace.layout}. {self.ledger.line}"

    def _repr_html_(self) -> str | None:
        return html_of(self) if self.trace.layers else None

    @property
    def subject(self) -> Subject:
        """What its maps are of."""
        network = f"{self.model_name}{''.join(f' {edit}' for edit in self.edits)}"
        logits = None if self.trace.logits is None else self.trace.logits.cpu().numpy()
        return Subject(self.picture, self.frame, network, logits)

    @property
    def ledger(self) -> Ledger:
        """The basis of its maps: the trace's ledger, and the findings of the network's self-test, if it has run."""
        tested = known_proof(self.context.model) if self.context else None
        return self.trace.ledger.and_also(tested.ledger.entries) if tested else self.trace.ledger

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the network to a file, for `vizapp.open`: picture, attention, logits, labels, and who made it.

        Any name will do, such as `photo.vizapp`. It is a safetensors file, so opening it runs no code, and all numbers are exact.
        It is about as large as `trace.nbytes` plus the picture as PNG.
        """
        origin = provenance.provenance(self.context.model) if self.context else self.origin
        content = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("context", "_classes")}
        archive.write(Path(path), content | {"edits": tuple(map(str, self.edits)), "origin": origin})

    def with_network(self) -> ExplainContext:
        """The context of methods that need the network. Raises `VizError` for an analysis without it."""
        if self.context is None:
            raise VizError(NO_NETWORK, "Make it with vizapp.analyse.")
        return self.context

    def of_class(self, target: Target | str | None = None) -> ExplainContext:
        """The context for class-specific methods, for a class by index or label, None for the most probable one, or a
        function.

        Contexts of the latest classes are kept, so methods share their gradients.

        Raises
        ------
        VizError
            without a network, and for an unknown class
        """
        context = self.with_network()
        wanted = context.of(self.class_index(target)).explained
        # A kept context holds its function, so no other can get its id.
        key = (True, id(wanted)) if callable(wanted) else (False, wanted)
        return self._classes.made(key, lambda: context.of(wanted))

    def class_index(self, target: Target | str | None) -> Target | None:
        """The index of a class by its label, or by a part that only one label contains. Other targets are returned unchanged."""
        if isinstance(target, Named):  # the target of a map
            return target.target
        if not isinstance(target, str):
            return target
        wanted = target.strip().lower()
        if wanted.isdecimal() and wanted not in map(str.lower, self.labels):
            return int(wanted)
        if not self.labels:
            raise VizError(
                "The outputs of {model} have no labels, so none of them is called '{target}'.",
                "target= takes its index; vizapp.describe(net, labels=...) names them.",
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
        hint = Text("Its classes are such as: {some}.", some=", ".join(self.labels[:5]))
        if close := self._classes_like(wanted):
            hint = Text("Did you mean {names}?", names=" / ".join(close))
        raise VizError("'{target}' is not a class of {model}.", hint, target=target, model=self.model_name)

    def _classes_like(self, typed: str) -> list[str]:
        """Labels similar to what was typed, as a whole or in one of the names that they list ("tabby, tabby cat")."""
        names = {part: label for label in self.labels for part in (label, *label.split(", "))}
        return list(dict.fromkeys(names[one] for one in alike(typed, names)))

    def on_picture(self, grid: tuple[int, int]) -> np.ndarray:
        """(rows, cols) bool: the patches that show some of the picture, and not only padding."""
        height, width = self.frame.picture
        if not 0 < min(grid) <= max(grid) <= max(self.frame.input):
            raise VizError(
                "There is no grid of {rows} x {cols} patches on {height} x {width} pixels.",
                "Use the grid of a layer, such as seen.trace.layout.grid.",
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
        """Return `top` by index, because two classes may share a label."""
        if self.trace.logits is None or self.activation == "none":
            return ()
        best = probabilities(self.trace.logits, self.activation).topk(min(max(k, 0), len(self.labels)))
        return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
