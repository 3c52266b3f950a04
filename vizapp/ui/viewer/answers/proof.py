"""Runs the self-test of the network whose maps are on the page. The browser asks for it after the first map."""

from dataclasses import replace
from typing import Any
from weakref import ReferenceType, ref

from torch import nn

from vizapp.core.capture.check import Check
from vizapp.core.capture.proof import proof as proof_of
from vizapp.core.methods import methods, ruled_out
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.recent import Recent
from vizapp.ui.terminal import tell
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words
from vizapp.wording import Text, listed

_runs: Recent[str, tuple[ReferenceType[nn.Module], VisionModel]] = Recent(1000)  # the network, and its description


def remember(run: Run) -> None:
    """Keep a weak reference to the network that made the maps, so that it can still be unloaded."""
    _runs.keep(run.name, (ref(run.model.net), replace(run.model, net=nn.Identity())))


def answer(run: str, what: Any, words: Words) -> dict[str, Any]:
    """The findings on a run's network, or {"refused": [what, hint]}, or {"untested": why}; {} if the run is unknown."""
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
        return {"refused": list(words.parts(refusal))}
    return _in_json(found, words)


def _in_json(found: Check, words: Words) -> dict[str, Any]:
    details = list[str](found.ledger.details)
    if titles := [Text(methods()[name].title) for name in ruled_out(found.ledger)]:
        details.append(Text("Ruled out: {methods}, as {why}.", methods=listed(titles), why=found.ledger.no_chain))
    return {
        "layers": [
            [one.name, one.shape if one.shape[1] else None, words.translate(one.tokens), one.error, one.row_sum]
            for one in found.calls
        ],
        "softmaxes": found.softmaxes,
        "seen": found.seen,
        "caution": words.translate(found.ledger.caution),
        "details": [words.translate(one) for one in details],
        "elsewhere": [words.translate(one) for one in found.elsewhere],
        "changed": found.changed,
        "worst": found.worst,
        "tolerance": found.tolerance,
    }
