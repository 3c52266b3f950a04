"""Sends the maps of the same picture by a film's network at another step of its training."""

import base64
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

import vizapp.pipeline as pipeline
from vizapp.analysis import AS_TRAINED, Analysis, Request
from vizapp.analysis.sinks import find_sinks
from vizapp.errors import VizError
from vizapp.model import load
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName
from vizapp.recent import Recent
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.payload import pack, sink_rows
from vizapp.ui.viewer.run import KnownRun, Run, about_known_run
from vizapp.ui.words import Words

_networks: Recent[str, VisionModel] = Recent(
    24
)  # small, of a film or two; kept apart from the pipeline's models, of which it keeps only three


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """For a step: {"maps": base64 of a payload, "run": its name, "sinks": as `sink_rows`, if there can be any}; {"why": words}
    where there is no such step; {} for nonsense."""
    if isinstance(what, bool) or not isinstance(what, int):
        return {}
    request, shown = run.request, run.again()
    if not request or shown.context is None or shown.context.model.film is None:
        return {}
    asked = replace(request, model=ModelName.parse(request.model).with_option("step", str(what)))
    model = _network(asked.model, shown.context.model.device)
    seen = pipeline.analyse(model, shown.picture, fit=_fit(request), truth=shown.truth, edits=request.edits)
    moment = Run(uuid4().hex, seen, model, run.look, (asked,), True)
    ask.remember(moment)
    maps = base64.b64encode(pack(seen, say=words.translate)).decode()
    return {"maps": maps, "run": moment.name, "sinks": _sinks(seen)}


def _network(name: str, device: str) -> VisionModel:
    """The network of a step, kept: a visitor goes back and forth through the steps, and then on to the next picture."""
    key = f"{name} on {device}"
    model = _networks.get(key) or load(name, device)
    _networks.keep(key, model)
    return model


def _fit(request: Request) -> Fit | None:
    return None if request.fit == AS_TRAINED else cast("Fit", request.fit)


def _sinks(seen: Analysis) -> list[Any] | None:
    try:
        return list(sink_rows(find_sinks(seen)))
    except VizError:
        return None
