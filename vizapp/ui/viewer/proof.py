"""What proves the maps on the page: the self-test of their network, run when the browser asks, after the first map."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any
from weakref import ReferenceType, ref

from torch import nn

from vizapp import pipeline
from vizapp.errors import VizError
from vizapp.pipeline import Check, VisionModel
from vizapp.ui.viewer.recent import Recent

_runs: Recent[tuple[ReferenceType[nn.Module], VisionModel]] = Recent(1000)  # the network, and what is said of it


def remember_proof(run: str, model: VisionModel) -> None:
    """Which network made the maps of a run. The network itself may be forgotten all the same."""
    _runs.keep(run, (ref(model.net), replace(model, net=nn.Identity())))


def proof(run: Any) -> dict[str, Any]:
    """Of the network of a run: what was found, or {"refused": [what, hint]}, {"untested": why}, {} if nobody knows it."""
    known = _runs.get(run)
    net = known and known[0]()
    if not known or not net:
        return {}
    try:
        found = pipeline.proof(replace(known[1], net=net))
    except VizError as error:
        return {"untested": str(error)}
    if refusal := found.refusal(known[1].name):
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
