"""Maps of layers that are too large for the browser: kept here for a while, and handed out for one query at a time."""

from __future__ import annotations

import base64
import threading
from collections import OrderedDict
from typing import Any

import torch

from vizapp.core.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.ui.words import VIEWER

KEPT = 2  # traces: they are large, and only networks with such layers are kept at all

_kept: OrderedDict[str, AttentionTrace] = OrderedDict()
_lock = threading.Lock()


def keep(key: str, trace: AttentionTrace) -> None:
    """Remember a trace under a name that nobody can guess; the one that rested longest goes."""
    with _lock:
        _kept[key] = trace
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)


def maps(asked: Any) -> dict[str, str]:
    """For [key, direction, [[layer, token], ...]]: each layer's (head, token) in half precision, one after the other.

    {"rows": base64}, or {"error": a sentence}: the page hears of exceptions only that there were some.
    """
    try:
        key, direction, wanted = asked
        with _lock:
            trace = _kept[str(key)]
            _kept.move_to_end(str(key))
        found = [_maps(trace, int(layer), int(token), str(direction)) for layer, token in wanted[: len(trace.layers)]]
    except (KeyError, ValueError, TypeError, VizError):
        return {"error": VIEWER["asked_lost"]}
    return {"rows": base64.b64encode(torch.cat(found).half().cpu().numpy().tobytes()).decode()}


def _maps(trace: AttentionTrace, index: int, token: int, direction: str) -> torch.Tensor:
    layer, (own, keys) = trace.layer(index), trace.layouts(index)
    if direction == "from":
        return layer.attend(trace.query(token, index)).flatten()
    if own != keys:
        raise VizError("This layer has no columns.")
    return layer.attended_by(trace.query(token, index)).flatten()
