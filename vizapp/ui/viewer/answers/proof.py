"""What proves the maps on the page: the self-test of their network, run when the browser asks, after the first map."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import ReferenceType, ref

from torch import nn

from vizapp.core.capture.check import Check
from vizapp.core.capture.proof import proof as proof_of
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.ui.recent import Recent
from vizapp.ui.terminal import tell
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words

_runs: Recent[tuple[ReferenceType[nn.Module], VisionModel]] = Recent(1000)  # the network, and what is said of it


def remember(run: Run) -> None:
    """Keep which network made the maps. The network itself may be forgotten all the same."""
    _runs.keep(run.name, (ref(run.model.net), replace(run.model, net=nn.Identity())))


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """Of the network of a run: what was found, or {"refused": [what, hint]}, {"untested": why}, {} if it is not known."""
    known = _runs.get(run)
    net = known and known[0]()
    if not known or not net:
        return {}
    try:
        found = proof_of(replace(known[1], net=net))
    except VizError as error:
        return {"untested": words.explain(error)}
    if refusal := found.refusal(known[1].name):
        tell(refusal)
        return {"refused": [words.translate(refusal.message), words.translate(refusal.hint)]}
    return _in_json(found, words)


def _in_json(found: Check, words: Words) -> dict[str, Any]:
    return {
        "layers": [
            [one.name, one.shape if one.shape[1] else None, words.translate(one.tokens), one.error, one.row_sum]
            for one in found.calls
        ],
        "softmaxes": found.softmaxes,
        "seen": found.seen,
        "elsewhere": [words.translate(one) for one in found.elsewhere],
        "changed": found.changed,
        "worst": found.worst,
        "tolerance": found.tolerance,
    }
