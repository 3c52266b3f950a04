"""Serves maps of layers that are too large for the browser, one query at a time. Their traces are kept for a while."""

import base64
from typing import Any, assert_never

import torch

from vizapp.core.attention.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.recent import Recent
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words
from vizapp.vocabulary import DIRECTIONS, Direction

_traces: Recent[str, AttentionTrace] = Recent(2)  # few, because traces with such layers are large


def remember(run: Run) -> None:
    """Keep the trace if some of its layers were not sent."""
    if not run.is_complete:
        _traces.keep(run.name, run.seen.trace)


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """For [direction, [[layer, token], ...]]: {"rows": base64}, each layer's (head, token) in half precision, one after the
    other; {} if the maps are no longer here, or were small enough to be sent."""
    trace = _traces.get(run)
    if trace is None:
        return {}
    try:
        direction, wanted = what
        if direction not in DIRECTIONS:
            return {}
        found = [_maps(trace, int(layer), int(token), direction) for layer, token in wanted[: len(trace.layers)]]
        rows = torch.cat(found).half().cpu().numpy().tobytes()
    except (LookupError, ArithmeticError, ValueError, TypeError, RuntimeError):  # a browser may send anything
        return {}
    return {"rows": base64.b64encode(rows).decode()}


def _maps(trace: AttentionTrace, index: int, token: int, direction: Direction) -> torch.Tensor:
    layer, (own, keys) = trace.layer(index), trace.layouts(index)
    match direction:
        case "from":
            return layer.attend(trace.query(token, index)).flatten()
        case "to":
            if own != keys:
                raise VizError("This layer has no columns.")
            return layer.attended_by(trace.query(token, index)).flatten()
        case never:
            assert_never(never)
