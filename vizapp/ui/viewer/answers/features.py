"""Sends each patch's features after the last layer, for things that a visitor teaches by example."""

import base64
from typing import Any

import torch.nn.functional as F

from vizapp.core.signals.patch_features import patch_features, place_of
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words

LARGEST = 2**24  # numbers: 32 MB in half precision


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """{"features": base64 of (patch, feature) in half precision, each row of length 1, "grid": [rows, cols], "normed": whether
    the network norms them}; {"why": words} if there are none, {"large": True} for too many.
    """
    seen = run.again()
    assert seen.context is not None
    context = seen.context.ready()
    place = place_of(context.model, context.pixels, seen.trace)
    features = patch_features(context.model, context.pixels, place)
    if features.numel() > LARGEST:
        return {"large": True}
    packed = base64.b64encode(F.normalize(features, dim=-1).half().numpy().tobytes()).decode()
    return {"features": packed, "grid": list(place.layout.grid), "normed": bool(place.norm)}
