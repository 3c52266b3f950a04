"""What proves the maps on the page: the self-test of their network, run when the browser asks, after the first map."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import Any
from weakref import ReferenceType, ref

from vizapp import pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Check, VisionModel

KEPT = 1000  # runs whose network can be asked for; those that came last

_models: OrderedDict[str, ReferenceType[VisionModel]] = OrderedDict()
_lock = threading.Lock()


def remember(run: str, model: VisionModel) -> None:
    """Which network made the maps of a run, under a name that nobody can guess. It may be forgotten all the same."""
    with _lock:
        _models[run] = ref(model)
        while len(_models) > KEPT:
            _models.popitem(last=False)


def proof(run: Any) -> dict[str, Any]:
    """Of the network of a run: what was found, or {"refused": [what, hint]}, {"untested": why}, {} if nobody knows it."""
    with _lock:
        known = _models.get(str(run))
    model = known and known()
    if not model:
        return {}
    try:
        found = pipeline.proof(model)
    except VizError as error:
        return {"untested": str(error)}
    if refusal := found.refusal(model.name):
        print(f"vizapp: {refusal}", file=sys.stderr)
        return {"refused": [refusal.message, refusal.hint]}
    return _in_json(found)


def _in_json(found: Check) -> dict[str, Any]:
    return {
        "layers": [
            [one.name, one.shape if one.shape[1] else None, one.tokens, one.error, one.row_sum] for one in found.calls
        ],
        "softmaxes": found.softmaxes,
        "seen": found.seen,
        "elsewhere": found.elsewhere,
        "changed": found.changed,
        "worst": found.worst,
        "tolerance": found.tolerance,
    }
