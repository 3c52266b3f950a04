"""vizapp, an attention microscope for Vision Transformers.

import vizapp
model = vizapp.load()                               # the bundled model; or "timm:deit_small_patch16_224", ...
seen = vizapp.analyse(model, "photo.jpg")           # one forward pass, all layers and heads
relevance = vizapp.explain(seen, "rollout")         # one number per patch
picture = vizapp.paint(seen, relevance)             # (H, W, 3) uint8
vizapp.save(seen, relevance, "figure.pdf")

A network of your own: vizapp.analyse(net, "photo.jpg"), or first model = vizapp.describe(net, ...) to say what it is.
"""

from vizapp.comparison import Comparison, Sanity, compare, sanity
from vizapp.errors import VizError
from vizapp.pipeline import (
    Analysis,
    Check,
    Sink,
    Style,
    TokenLayout,
    analyse,
    analyse_many,
    check,
    explain,
    find_sinks,
    leave_out,
    load,
    paint,
    plot,
    save,
)
from vizapp.pipeline import describe_own as describe

__all__ = [
    "Analysis",
    "Check",
    "Comparison",
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
    "explain",
    "find_sinks",
    "leave_out",
    "load",
    "paint",
    "plot",
    "sanity",
    "save",
]
__version__ = "0.1.0"
