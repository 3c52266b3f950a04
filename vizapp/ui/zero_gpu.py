"""ZeroGPU: a Space without a GPU of its own borrows one for each step, in another process.

analyse(model, request, truth)                       # as `pipeline.analyse`; on ZeroGPU the other process runs its forward pass
compare(seen, names, ..., **computing(request))      # each method, and the curves of some maps, is a step by itself

The GPU time of a step counts against the visitor's quota. Between two steps the run is back in this process, where it can be
ended or let maps go first (vizapp/ui/jobs.py). A `Request` goes to the other process; bytes come back: arrays and tensors of the
CPU. The other process is a fork of this one, and may be kept for later steps, so it loads networks by itself.

Anywhere else this file does nothing: `analyse` is the pipeline's, and `computing` is empty.
"""

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from torch import Tensor

import vizapp.pipeline as pipeline
from vizapp.analysis import AS_TRAINED, Analysis, Request, Truth
from vizapp.core.attention.cells import Cells
from vizapp.core.attention.parts import with_tensors
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method_named
from vizapp.core.pauses import pausing
from vizapp.core.target import Target
from vizapp.core.trust import faithfulness
from vizapp.core.trust.faithfulness import Curves
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS
from vizapp.recent import Recent
from vizapp.vocabulary import Empty

Steps = int | Sequence[float]
Ends = tuple[float, float] | None
Kind = Literal["look", "explain", "curves"]
# Seconds of GPU that a visitor's quota must still have for a step. A shorter run costs less.
SECONDS = {"look": 15, "quick": 15, "slow": 60, "curves": 20}
KEPT = 2  # analyses in the other process: the methods of a comparison share one


def is_on() -> bool:
    """Tell whether this is a Space on ZeroGPU."""
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in {"1", "t", "true"}


# ---- here


def analyse(
    model: VisionModel, request: Request, truth: Sequence[Truth] = (), max_pixels: int = MAX_PIXELS
) -> Analysis:
    """Analyse a picture by `model`, which is loaded in this process."""
    if not is_on():
        return analyse_here(model, request, truth, max_pixels)
    watch = _watch(request, truth, max_pixels)
    return pipeline.analyse_by(lambda model, pixels: _lent("look", request), model, request.source, **watch)


def analyse_here(
    model: VisionModel, request: Request, truth: Sequence[Truth] = (), max_pixels: int = MAX_PIXELS
) -> Analysis:
    """Analyse in this process, for a network that the other one cannot load by its name, because a visitor has taught it."""
    return pipeline.analyse(model, request.source, **_watch(request, truth, max_pixels))


def _watch(request: Request, truth: Sequence[Truth], max_pixels: int) -> dict[str, Any]:
    return {
        "fit": _fit(request),
        "truth": truth,
        "edits": request.edits,
        "max_pixels": max_pixels,
        "page": request.page,
    }


def computing(request: Request) -> dict[str, Any]:
    """Return the arguments with which `compare` explains and measures: none, or steps in the other process."""
    if not is_on():
        return {}

    def explain(seen: Analysis, method: str, *, target: Target | None = None, **settings: Any) -> Relevance:
        # Methods that need attention only run here. A function as a target (a sentence of CLIP) belongs to the network here.
        if callable(target) or not method_named(method).needs_network:
            return pipeline.explain(seen, method, target=target, **settings)
        found: Relevance = _lent("explain", request, method, target, settings)
        return found

    def curves(
        net: Any,
        pixels: Tensor,
        maps: Sequence[np.ndarray],
        target: Target,
        steps: Steps,
        empty: Empty,
        activation: str,
        ends: Ends = None,
        cells: Cells | None = None,
    ) -> Sequence[Curves]:
        if callable(target):
            return faithfulness.curves_of(net, pixels, maps, target, steps, empty, activation, ends, cells)
        found: Sequence[Curves] = _lent("curves", request, maps, target, steps, empty, ends)
        return found

    return {"explain": explain, "curves": curves}


def _fit(request: Request) -> Any:
    return None if request.fit == AS_TRAINED else request.fit  # the pipeline refuses other values


def _lent(kind: Kind, request: Request, *what: Any) -> Any:
    found = pickle.loads(step(kind, request, *what))
    if isinstance(found, VizError):
        raise found
    return found


# ---- over there


_seen: Recent[Request, Analysis] = Recent(KEPT)


def _seen_there(request: Request) -> Analysis:
    def look() -> Analysis:
        model = pipeline.load(request.model)  # on the best device: this process has the GPU
        # A Space is for strangers: the picture is read with the same bounds as in the first process.
        return pipeline.analyse(model, request.source, **_watch(request, (), PUBLIC_PIXELS))

    return _seen.made(request, look)


def _look(request: Request) -> AttentionTrace:
    return with_tensors(_seen_there(request).trace, lambda one: one.detach().cpu())


def _explain(request: Request, method: str, target: int | None, settings: Mapping[str, Any]) -> Relevance:
    return pipeline.explain(_seen_there(request), method, target=target, **settings)


def _curves(
    request: Request, maps: Sequence[np.ndarray], target: int, steps: Steps, empty: Empty, ends: Ends = None
) -> list[Curves]:
    context = _seen_there(request).of_class(target)
    model, pixels, cells = context.model, context.pixels.to(context.model.device), context.trace.cells
    return faithfulness.curves_of(model.net, pixels, maps, target, steps, empty, model.activation, ends, cells)


_DONE_BY: dict[Kind, Callable[..., Any]] = {"look": _look, "explain": _explain, "curves": _curves}


def _seconds(kind: Kind, request: Request, *what: Any) -> int:
    """Tell ZeroGPU how long a step may take."""
    return SECONDS[method_named(what[0]).cost if kind == "explain" else kind]


def _step(kind: Kind, request: Request, *what: Any) -> bytes:
    """Run one step in the other process; a `VizError` comes back as a value, because ZeroGPU would keep only its name."""
    found: Any
    with pausing(lambda: None):  # callers wait in the process that this one is a copy of
        try:
            found = _DONE_BY[kind](request, *what)
        except VizError as error:
            found = error
    return pickle.dumps(found)


def _with_a_gpu(work: Callable[..., bytes]) -> Callable[..., bytes]:
    if not is_on():
        return work
    import spaces  # available on every Space

    borrowed: Callable[..., bytes] = spaces.GPU(work, duration=_seconds)
    return borrowed


step = _with_a_gpu(_step)
