"""vizapp, an attention microscope for Vision Transformers.

import vizapp
model = vizapp.load()                               # the bundled model; or "timm:deit_small_patch16_224", ...
seen = vizapp.analyse(model, "photo.jpg")           # one forward pass, all layers and heads
relevance = vizapp.explain(seen, "rollout")         # one number per patch
picture = vizapp.paint(seen, relevance)             # (H, W, 3) uint8
vizapp.save(seen, relevance, "figure.pdf")

A network of your own: vizapp.analyse(net, "photo.jpg"), or first model = vizapp.describe(net, ...) to say what it is.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vizapp.arguments import in_words
from vizapp.doors import elsewhere
from vizapp.errors import VizError

if TYPE_CHECKING:
    from vizapp.analysis import Analysis
    from vizapp.analysis.head_rows import head_statistics
    from vizapp.analysis.notebook import show
    from vizapp.analysis.saved import open
    from vizapp.analysis.sinks import find_sinks, leave_out
    from vizapp.browser.one_file import export
    from vizapp.browser.quantised import quantised
    from vizapp.browser.widget import widget
    from vizapp.core.capture.check import Check
    from vizapp.core.trust.sinks import Sink
    from vizapp.data.heads import measure
    from vizapp.model.own_network import describe
    from vizapp.model.preprocess import Preprocess
    from vizapp.model.spec import TokenLayout
    from vizapp.painting import paint, plot, save
    from vizapp.painting.figures import film, grid, heads
    from vizapp.painting.video import video
    from vizapp.pipeline import analyse, analyse_many, check, explain, load
    from vizapp.pipeline.batches import explain_many
    from vizapp.pipeline.captions import text, zero_shot
    from vizapp.pipeline.comparison import Comparison, compare
    from vizapp.pipeline.sanity import Sanity, sanity
    from vizapp.pipeline.step_by_step import embedding, steps
    from vizapp.pipeline.teaching import teach
    from vizapp.render.overlay import Style

__all__ = [
    "Analysis",
    "Check",
    "Comparison",
    "Preprocess",
    "Sanity",
    "Sink",
    "Style",
    "TokenLayout",
    "VizError",
    "analyse",
    "analyse_many",
    "check",
    "compare",
    "describe",
    "embedding",
    "explain",
    "explain_many",
    "export",
    "film",
    "find_sinks",
    "grid",
    "head_statistics",
    "heads",
    "leave_out",
    "load",
    "measure",
    "open",
    "paint",
    "plot",
    "quantised",
    "sanity",
    "save",
    "show",
    "steps",
    "teach",
    "text",
    "video",
    "widget",
    "zero_shot",
]
__version__ = "0.1.0"  # the only place: pyproject.toml reads it, a test compares CITATION.cff

_HOMES = {
    **dict.fromkeys(("Comparison", "compare"), "vizapp.pipeline.comparison"),
    **dict.fromkeys(("Sanity", "sanity"), "vizapp.pipeline.sanity"),
    **dict.fromkeys(("paint", "plot", "save"), "vizapp.painting"),
    "Analysis": "vizapp.analysis",
    "show": "vizapp.analysis.notebook",
    **dict.fromkeys(("embedding", "steps"), "vizapp.pipeline.step_by_step"),
    "teach": "vizapp.pipeline.teaching",
    "Check": "vizapp.core.capture.check",
    "Preprocess": "vizapp.model.preprocess",
    "Sink": "vizapp.core.trust.sinks",
    "Style": "vizapp.render.overlay",
    "TokenLayout": "vizapp.model.spec",
    "describe": "vizapp.model.own_network",
    "explain_many": "vizapp.pipeline.batches",
    "export": "vizapp.browser.one_file",
    "quantised": "vizapp.browser.quantised",
    "widget": "vizapp.browser.widget",
    "film": "vizapp.painting.figures",
    "find_sinks": "vizapp.analysis.sinks",
    "grid": "vizapp.painting.figures",
    "heads": "vizapp.painting.figures",
    "head_statistics": "vizapp.analysis.head_rows",
    "leave_out": "vizapp.analysis.sinks",
    "text": "vizapp.pipeline.captions",
    "video": "vizapp.painting.video",
    "zero_shot": "vizapp.pipeline.captions",
    "measure": "vizapp.data.heads",
    "open": "vizapp.analysis.saved",
}  # all other public names: vizapp.pipeline

# `vizapp.model` and `vizapp.assets` lie at the top of the repository, where links in this folder point to them. Where git
# or an upload wrote no links (Windows, some Spaces), they are found beside this folder: docs/decisions/0011.
if not all((Path(__file__).parent / name).is_dir() for name in ("model", "assets")):
    __path__.append(str(Path(__file__).parents[1]))


if not TYPE_CHECKING:  # to a type checker, a module with `__getattr__` has every name, and no slip would be found

    def __getattr__(name: str) -> Any:
        """Load a public name on first use (PEP 562), so that `vizapp --help` waits for no torch."""
        if name not in __all__:
            raise AttributeError(f"module 'vizapp' has no attribute '{name}'")
        found = getattr(importlib.import_module(_HOMES.get(name, "vizapp.pipeline")), name)
        return found if isinstance(found, type) else _public(found)

    @cache
    def _public(function: Any) -> Any:
        """The same function, whose wrong arguments are said in words. It calls itself by its public name: to pickle, say."""
        told = in_words(function, elsewhere)
        told.__module__ = __name__
        return told


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
