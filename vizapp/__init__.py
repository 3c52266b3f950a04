"""vizapp, an attention microscope for Vision Transformers.

import vizapp
model = vizapp.load()                               # the bundled model; or "timm:deit_small_patch16_224", ...
seen = vizapp.analyse(model, "photo.jpg")           # one forward pass, all layers and heads
relevance = vizapp.explain(seen, "rollout")         # one number per patch
picture = vizapp.paint(seen, relevance)             # (H, W, 3) uint8
vizapp.save(seen, relevance, "figure.pdf")
"""

from vizapp.errors import VizError
from vizapp.pipeline import Analysis, Style, analyse, explain, load, paint, plot, save

__all__ = ["Analysis", "Style", "VizError", "analyse", "explain", "load", "paint", "plot", "save"]
__version__ = "0.1.0"
