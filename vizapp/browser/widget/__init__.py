"""The live viewer as a notebook widget: Python can read and set what is chosen in it.

    w = vizapp.widget(seen)         # pip install "vizapp[notebook]"
    w                               # show it
    w.layer = 3                     # it moves
    w.query                         # (4, 9): the patch that was clicked
    w.observe(print, "head")        # hear of every change

Unlike the frame that an analysis shows by itself, it needs a running kernel. So it offers everything: every head of every query,
how a number is made, sinks, the comparison with a second computation.
"""

from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.ui.viewer import ask, resources
from vizapp.ui.viewer.payload import pack
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import DEFAULT, words_for

try:
    import anywidget
    import traitlets
except ImportError:
    raise VizError(
        "Widgets need the package anywidget, which is not installed.", 'Run: pip install "vizapp[notebook]"'
    ) from None

FOLDER = Path(__file__).parent
CHOICES = ("layer", "head", "query", "mask")


class Widget(anywidget.AnyWidget):
    """A viewer of one analysis; `vizapp.widget` makes it. Layers, heads, rows and columns are counted from 0.

    layer  on the stage
    head   on the stage; None: the mean of all
    query  whose attention is shown: (row, column) of a patch, a token's name such as "cls", or "" for the classifier's query
    mask   (rows, columns) bool, the patches that are marked as the object (at least half of each); None if nothing is drawn
    """

    _esm = resources.BUNDLE.read_text("utf-8") + (FOLDER / "start.js").read_text("utf-8")
    _css = f".vizapp-widget {{\n{resources.style()}\n}}\n" + (FOLDER / "widget.css").read_text("utf-8")

    payload = traitlets.Bytes().tag(sync=True)
    said = traitlets.Dict().tag(sync=True)
    run = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.List().tag(sync=True)  # the names of traits that Python has set
    layer = traitlets.Int(None, allow_none=True).tag(sync=True)
    head = traitlets.Int(None, allow_none=True).tag(sync=True)
    query = traitlets.Any("").tag(
        sync=True,
        to_json=lambda one, _: one if isinstance(one, str) else list(one),
        from_json=lambda one, _: one if isinstance(one, str) else tuple(one),
    )
    mask = traitlets.Any(None, allow_none=True).tag(
        sync=True,
        to_json=lambda one, _: None if one is None else one.tolist(),
        from_json=lambda one, _: None if one is None else np.array(one, dtype=bool),
    )

    def __init__(self, seen: Analysis, language: str = DEFAULT) -> None:
        self._seen, self._words = seen, words_for(language)
        run = uuid4().hex
        super().__init__(
            payload=pack(seen, say=self._words.translate),
            said=resources.mounted_with(self._words) | {"chapters": []},
            run=run,
        )
        if seen.context is not None:
            ask.remember(Run(run, seen, seen.context.model, self._look, (), True))
        self._door = ask.door(self._words)
        self.on_msg(self._answer)
        self.observe(self._note, CHOICES)

    def _look(self) -> Analysis:
        """Return the analysis. A method, since a run keeps it weakly: a lambda would be gone before the first question."""
        return self._seen

    def _note(self, change: Any) -> None:
        if change["name"] not in self.chosen:
            self.chosen = [*self.chosen, change["name"]]

    def _answer(self, _: Any, asked: Any, __: Any) -> None:
        """Answer the viewer's questions, as a page's server does."""
        self.send({"number": asked["number"], "answer": self._door(asked["asked"])})

    @traitlets.validate("layer")
    def _is_layer(self, proposal: Any) -> int | None:
        layer, trace = proposal["value"], self._seen.trace
        if layer is None:
            return None
        trace.layer(layer)  # raises `VizError` for an unknown one
        return int(layer) % len(trace.layers)

    @traitlets.validate("head")
    def _is_head(self, proposal: Any) -> int | None:
        head = proposal["value"]
        return None if head is None else self._seen.trace.layer(-1 if self.layer is None else self.layer).head(head)

    @traitlets.validate("query")
    def _is_query(self, proposal: Any) -> str | tuple[int, int]:
        query = proposal["value"]
        if query != "":
            self._seen.trace.query(query, -1 if self.layer is None else self.layer)  # the same
        return query if isinstance(query, str) else (int(query[0]), int(query[1]))

    @traitlets.validate("mask")
    def _is_mask(self, proposal: Any) -> np.ndarray | None:
        mask, grid = proposal["value"], tuple(self._seen.trace.layout.grid)
        if mask is None:
            return None
        mask = np.asarray(mask, dtype=bool)
        if mask.shape != grid:
            raise VizError(
                "The mask has the shape {found}.",
                "Give one of {grid}: a value for each patch.",
                found=mask.shape,
                grid=grid,
            )
        return mask


def widget(seen: Analysis, language: str = DEFAULT) -> Widget:
    """Make the live viewer of an analysis a widget, for a notebook with a running kernel.

    Python can read, set and observe its `layer`, `head`, `query` and `mask`: see `vizapp.browser.widget.Widget`.

    Parameters
    ----------
    language
        of its words, "en", "zh" ...

    Raises
    ------
    VizError
        if the package anywidget is missing
    """
    return Widget(seen, language)
