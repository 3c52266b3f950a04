"""Maps of layers that are too large for the browser: kept here for a while, and handed out for one query at a time."""

from __future__ import annotations

import base64
from typing import Any

import torch

from vizapp.core.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.ui.viewer.recent import Recent
from vizapp.ui.words import VIEWER

_traces: Recent[AttentionTrace] = Recent(2)  # they are large, and only networks with such layers are kept at all


def remember_maps(run: str, trace: AttentionTrace) -> None:
    _traces.keep(run, trace)


def maps(asked: Any) -> dict[str, str]:
    """For [run, direction, [[layer, token], ...]]: each layer's (head, token) in half precision, one after the other.

    {"rows": base64}, or {"error": a sentence}: the page hears of exceptions only that there were some.
    """
    try:
        run, direction, wanted = asked
        trace = _traces.get(run)
        if trace is None:
            return {"error": VIEWER["asked_lost"]}
        found = [_maps(trace, int(layer), int(token), str(direction)) for layer, token in wanted[: len(trace.layers)]]
    except (LookupError, ArithmeticError, ValueError, TypeError, RuntimeError, VizError):  # whatever a liar sends
        return {"error": VIEWER["asked_lost"]}
    return {"rows": base64.b64encode(torch.cat(found).half().cpu().numpy().tobytes()).decode()}


def _maps(trace: AttentionTrace, index: int, token: int, direction: str) -> torch.Tensor:
    layer, (own, keys) = trace.layer(index), trace.layouts(index)
    if direction == "from":
        return layer.attend(trace.query(token, index)).flatten()
    if own != keys:
        raise VizError("This layer has no columns.")
    return layer.attended_by(trace.query(token, index)).flatten()
