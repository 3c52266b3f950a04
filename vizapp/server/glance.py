"""What the classifier's query attends to in one frame of a moving picture: a small part of what a picture's maps take."""

import base64
from typing import Any

import torch

from vizapp.analysis import Analysis
from vizapp.errors import VizError


def glanced(seen: Analysis) -> dict[str, Any]:
    """Make the answer that the engine in a page gives, too (browser/engine/glance.js); "rows" are float16 in base64."""
    trace = seen.trace
    if not trace.layers or not trace.one_grid or len({layer.n_heads for layer in trace.layers}) > 1:
        raise VizError(
            "The layers of {model} differ in their patches or heads, so moving pictures are not shown.",
            "Choose another network, or look at a single picture.",
            model=seen.model_name,
        )
    rows = torch.stack([layer.attend(trace.query(None, index)) for index, layer in enumerate(trace.layers)])
    layers, heads, _ = rows.shape
    return {
        "rows": base64.b64encode(rows.half().cpu().numpy().tobytes()).decode(),
        "layers": layers,
        "heads": heads,
        "tokens": {"prefix": list(trace.layout.prefix), "grid": list(trace.layout.grid)},
        "window": seen.frame.window_shares,
        "query": trace.readout,
    }
