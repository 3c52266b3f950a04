"""vizapp, an attention microscope for Vision Transformers.

A network of your own: `vizapp.analyse(net, "photo.jpg")`, or first `model = vizapp.describe(net, ...)` to say what it is.

Examples
--------
>>> import vizapp
>>> model = vizapp.load()  # the bundled model; or "timm:deit_small_patch16_224", ...
>>> seen = vizapp.analyse(model, "photo.jpg")  # one forward pass, all layers and heads
>>> relevance = vizapp.explain(seen, "rollout")  # one number per patch
>>> picture = vizapp.paint(seen, relevance)  # (H, W, 3) uint8
>>> vizapp.save(seen, relevance, "figure.pdf")
"""

import importlib
import sys
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from vizapp.arguments import hinted
from vizapp.wording import alike

if TYPE_CHECKING:  # "as": a type checker then takes the name for a public one
    # isort: off
    from vizapp.analysis import Analysis as Analysis, Truth as Truth
    from vizapp.analysis.head_rows import head_statistics as head_statistics
    from vizapp.analysis.notebook import show as show
    from vizapp.analysis.saved import open as open
    from vizapp.analysis.sinks import find_sinks as find_sinks, leave_out as leave_out
    from vizapp.browser.one_file import export as export
    from vizapp.browser.quantised import quantised as quantised
    from vizapp.browser.widget import widget as widget
    from vizapp.core.attention.relevance import Relevance as Relevance
    from vizapp.core.capture.check import Check as Check
    from vizapp.core.interventions import Edit as Edit
    from vizapp.core.trust.sinks import Sink as Sink
    from vizapp.data.heads import measure as measure
    from vizapp.errors import VizError as VizError
    from vizapp.model.own_network import describe as describe
    from vizapp.model.preprocess import Preprocess as Preprocess
    from vizapp.model.spec import TokenLayout as TokenLayout, VisionModel as VisionModel
    from vizapp.painting import paint as paint, plot as plot, save as save
    from vizapp.painting.figures import film as film, grid as grid, heads as heads
    from vizapp.painting.video import video as video
    from vizapp.pipeline import analyse as analyse, check as check, explain as explain, load as load
    from vizapp.pipeline.batches import analyse_many as analyse_many, explain_many as explain_many
    from vizapp.pipeline.captions import text as text, zero_shot as zero_shot
    from vizapp.pipeline.comparison import Comparison as Comparison, compare as compare
    from vizapp.pipeline.names import methods as methods, models as models
    from vizapp.pipeline.sanity import Sanity as Sanity, sanity as sanity
    from vizapp.pipeline.step_by_step import embedding as embedding, steps as steps
    from vizapp.pipeline.teaching import teach as teach
    from vizapp.render.overlay import Style as Style
    # isort: on

__version__ = "0.1.0"  # the only place: pyproject.toml reads it, a test compares CITATION.cff

_HOMES = {
    "vizapp.analysis": "Analysis Truth",
    "vizapp.analysis.head_rows": "head_statistics",
    "vizapp.analysis.notebook": "show",
    "vizapp.analysis.saved": "open",
    "vizapp.analysis.sinks": "find_sinks leave_out",
    "vizapp.browser.one_file": "export",
    "vizapp.browser.quantised": "quantised",
    "vizapp.browser.widget": "widget",
    "vizapp.core.attention.relevance": "Relevance",
    "vizapp.core.capture.check": "Check",
    "vizapp.core.interventions": "Edit",
    "vizapp.core.trust.sinks": "Sink",
    "vizapp.data.heads": "measure",
    "vizapp.errors": "VizError",
    "vizapp.model.own_network": "describe",
    "vizapp.model.preprocess": "Preprocess",
    "vizapp.model.spec": "TokenLayout VisionModel",
    "vizapp.painting": "paint plot save",
    "vizapp.painting.figures": "film grid heads",
    "vizapp.painting.video": "video",
    "vizapp.pipeline": "analyse check explain load",
    "vizapp.pipeline.batches": "analyse_many explain_many",
    "vizapp.pipeline.captions": "text zero_shot",
    "vizapp.pipeline.comparison": "Comparison compare",
    "vizapp.pipeline.names": "methods models",
    "vizapp.pipeline.sanity": "Sanity sanity",
    "vizapp.pipeline.step_by_step": "embedding steps",
    "vizapp.pipeline.teaching": "teach",
    "vizapp.render.overlay": "Style",
}

# `vizapp.model` and `vizapp.assets` lie at the top of the repository, where links in this folder point to them. Where git
# or an upload wrote no links (Windows, some Spaces), they are found beside this folder: docs/decisions/0011.
if not all((Path(__file__).parent / name).is_dir() for name in ("model", "assets")):
    __path__.append(str(Path(__file__).parents[1]))


class _Public(ModuleType):
    """The type of this module. A public name is an attribute of it that is loaded on first use, so that `vizapp --help` waits
    for no torch. A module's `__getattr__` would be asked too late: `import nnsight` gives every object a `save`.
    """

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__all__})

    def __getattr__(self, name: str) -> Any:
        close = () if name.startswith("_") else alike(name, self.__all__, most=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'.{hint}")


def _loaded(home: str, name: str) -> cached_property[Any]:
    def load(module: ModuleType) -> Any:
        public = getattr(importlib.import_module(home), name)
        if isinstance(public, type):
            return public
        public = hinted(public)
        public.__module__ = __name__  # by which it is pickled
        return public

    return cached_property(load)


if not TYPE_CHECKING:
    _LAZY = {name: _loaded(home, name) for home, names in _HOMES.items() for name in names.split()}
    __all__ = sorted(_LAZY)
    sys.modules[__name__].__class__ = type("Public", (_Public,), _LAZY)
