"""The road: load -> analyse -> explain, and on to painting. The page, the command line and a notebook all walk it."""

from __future__ import annotations

import gc
import inspect
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

import vizapp.model as models
import vizapp.notebook  # noqa: F401 (so that what is made here shows itself)
from vizapp.analysis import NO_NETWORK, Analysis, Truth
from vizapp.core import own_method
from vizapp.core.attention.trace import AttentionTrace, Query, Relevance
from vizapp.core.capture.border import seen_size
from vizapp.core.capture.check import Check, noise
from vizapp.core.capture.check import check as check_capture
from vizapp.core.capture.forward import capture, capture_batch
from vizapp.core.context import ExplainContext
from vizapp.core.interventions import Edit, parse_all
from vizapp.core.interventions.apply import edited, resolved
from vizapp.core.methods import Method, method_named, methods
from vizapp.core.normal import normal_tensors
from vizapp.core.signals.readout import with_readout
from vizapp.core.target import Target, name_of
from vizapp.core.trust.norms import listening, norms_heard
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.given import AS_THEY_ARE, Given, Looked, given, in_batches
from vizapp.model.own import describe as describe_own
from vizapp.model.own import expecting
from vizapp.model.preprocess import Fit
from vizapp.model.spec import TokenLayout, VisionModel, refuse_unready
from vizapp.picture import MAX_PIXELS, Source

MODELS_KEPT = 3  # in memory at once; a fourth evicts the least recently used


_kept: OrderedDict[tuple[str, str], VisionModel] = OrderedDict()
_loading: dict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)


@normal_tensors()
def load(name: str = models.DEFAULT, device: str | None = None) -> VisionModel:
    """The model called `name` (see `vizapp.model.load`), from memory if it was asked for before. Safe with threads."""
    key = (name, str(models.choose_device(device)))
    with _loading[key]:  # two visitors who ask for the same model wait for one download; others do not wait for them
        model = _kept.get(key) or _loaded(*key)
        _kept[key] = model
        _kept.move_to_end(key)
        while len(_kept) > MODELS_KEPT:
            _kept.popitem(last=False)
        return model


def _loaded(name: str, device: str) -> VisionModel:
    """From its source. Where memory is short, those that are kept are let go first."""
    try:
        return models.load(name, device)
    except NotEnoughMemory:
        if not _kept:
            raise
    forget_models()
    return models.load(name, device)


def forget_models() -> None:
    """Let go all models that `load` keeps; those that are in use stay until they are not."""
    _kept.clear()
    gc.collect()


@normal_tensors()
def analyse(
    model: VisionModel | nn.Module | str,
    what: Looked | None = None,
    *,
    picture: Source | None = None,
    fit: Fit | None = None,
    truth: Sequence[Truth] = (),
    layout: TokenLayout | None = None,
    edits: str | Edit | Iterable[str | Edit] = (),
    max_pixels: int = MAX_PIXELS,
    **described: Any,
) -> Analysis:
    """Run `model` once on `what` and keep the attention of every layer and head. The slow step: one forward pass.

    model    what `load` gave, a name for it, or a network of your own (see `vizapp.model.own.describe` for all that can be said)
    what     a picture: a path, bytes, PIL picture, or array (see `vizapp.picture.read_picture`). Or pixels just as the network
             takes them: a tensor of floats (channel, h, w) or (1, channel, h, w), of any number of channels
    picture  what such a tensor shows, for display; None: the tensor itself, its colours brought back
    fit      "crop", "pad" or "squash" instead of the way the checkpoint was trained (see `vizapp.model.preprocess.Preprocess`)
    truth    what is known to be where; only kept, for those who look at the analysis
    layout   what the tokens stand for; it is found if not given, and checked if given. It names the tokens before the patches
             of a network of your own; a model whose classifier is said to read one of them keeps its names
    max_pixels  of a picture file. A JPEG of more is read at a smaller size, which a note says; other formats are refused
    described  `inputs`, `output`, `activation`, `preprocess`, `labels` ... of a network of your own, as for `describe`
    edits    of the forward pass, such as "head-off:5.3" (see `vizapp.core.interventions`): the analysis, and all that is made
             from it, is then that of the edited network. The network itself stays as it is. A head that writes nothing keeps
             its attention, so maps of attention, and rollout, go on counting it
    Raises `VizError` for a picture that cannot be read, a network that cannot be looked at, and an edit that is none.
    """
    if not all(isinstance(one, Truth) for one in truth):
        raise VizError("What is known to be where must be a list of Truth.", "Such as [Truth('cat', mask)].")
    seen = given(_model(model, layout, described), what, fit, picture, max_pixels)
    return _looked(capture, seen, what, fit, truth, edits)


@normal_tensors()
def analyse_by(
    watch: Callable[[VisionModel, torch.Tensor], AttentionTrace],
    model: VisionModel,
    what: Source,
    *,
    fit: Fit | None = None,
    truth: Sequence[Truth] = (),
    edits: Iterable[Edit] = (),
    max_pixels: int = MAX_PIXELS,
) -> Analysis:
    """`analyse` with its forward pass run by `watch` instead of `capture`: in another process, say, which has a GPU."""
    return _looked(watch, given(model, what, fit, None, max_pixels), what, fit, truth, edits)


def _looked(
    watch: Callable[[VisionModel, torch.Tensor], AttentionTrace],
    seen: Given,
    what: Looked | None,
    fit: Fit | None,
    truth: Sequence[Truth],
    edits: str | Edit | Iterable[str | Edit],
) -> Analysis:
    if other := next((one.mask.shape for one in truth if one.mask.shape != seen.rgb.shape[:2]), None):
        raise VizError(
            "What is known to be where is a mask of {mask}, and the picture was read at {picture}.",
            "Make them alike.",
            mask=other,
            picture=seen.rgb.shape[:2],
        )
    with _accepted(seen.model, seen.pixels):
        asked = resolved(seen.model, parse_all(edits))
        network = edited(seen.model, asked)
        with listening(network) as heard:  # a `watch` in another process is not heard
            trace = watch(network, seen.pixels)
    return _analysis(seen, trace, what, fit, truth, asked, norms_heard(network, seen.pixels, trace, heard))


def analyse_many(
    model: VisionModel | nn.Module | str,
    pictures: Iterable[Any],
    *,
    fit: Fit | None = None,
    batch: int = 8,
    edits: str | Edit | Iterable[str | Edit] = (),
    on_progress: Callable[[int], None] = lambda done: None,
    **described: Any,
) -> Iterator[Analysis]:
    """`analyse` for many pictures, `batch` of them in one forward pass, as they come and in their order.

    pictures  pictures, or tensors of pixels, one or several in each; a DataLoader that gives tensors, (tensor, label) pairs or
              dictionaries with "pixel_values"; labels are left alone
    on_progress  called with the number of pictures done so far
    Raises `VizError` as `analyse` does, when it comes to that picture.
    """
    if batch < 1:
        raise VizError("A batch holds at least one picture; got {batch}.", "8 is usual.", batch=batch)
    model, done, asked = _model(model, None, described), 0, parse_all(edits)
    for some in in_batches(pictures, batch):
        for seen in _together(model, some, fit, asked):
            done += 1
            on_progress(done)
            yield seen


@normal_tensors()
def _together(
    model: VisionModel, pictures: Sequence[Looked], fit: Fit | None, edits: tuple[Edit, ...]
) -> list[Analysis]:
    """`analyse` in one forward pass."""
    all_seen = [given(model, one, fit) for one in pictures]
    stacked, model = torch.cat([one.pixels for one in all_seen]), all_seen[0].model
    with _accepted(model, stacked):
        edits = resolved(model, edits)
        traces = capture_batch(edited(model, edits), stacked)
    return [
        _analysis(seen, trace, what, fit, (), edits)
        for seen, trace, what in zip(all_seen, traces, pictures, strict=True)
    ]


def _model(
    model: VisionModel | nn.Module | str,
    layout: TokenLayout | None,
    described: Mapping[str, Any] = MappingProxyType({}),
) -> VisionModel:
    known = inspect.signature(describe_own).parameters
    if unknown := [name for name in described if name not in known]:
        raise VizError(
            "Nothing is called {names} here.",
            "Beside what `analyse` takes itself, a network of your own can be described by: {known}.",
            names=", ".join(unknown),
            known=", ".join(name for name in known if name not in {"net", "layout"}),
        )
    if isinstance(model, nn.Module):
        model = describe_own(model, **described)
    elif described:
        raise VizError(
            "Only a network that is not described yet can be described here; got {names} for {kind}.",
            "vizapp.describe(net, ...) says it once.",
            names=", ".join(described),
            kind=type(model).__name__,
        )
    if isinstance(model, str):
        model = load(model)
    if not isinstance(model, VisionModel):
        raise VizError(
            "A model by name, a VisionModel or an nn.Module was expected, but got {kind}.",
            "vizapp.load(NAME) makes one.",
            kind=type(model).__name__,
        )
    refuse_unready(model)
    return model if layout is None else expecting(model, layout)


@contextmanager
def _accepted(model: VisionModel, pixels: torch.Tensor) -> Iterator[None]:
    """What a network says of pixels that it does not take, as a sentence."""
    try:
        yield
    except VizError:
        raise
    except (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError) as error:
        shape, why = " x ".join(map(str, pixels.shape)), str(error).strip().partition("\n")[0]
        raise VizError(
            "{name} failed on a picture of {shape}: {why}.",
            "If it wants another size, say so: vizapp.describe(net, preprocess=vizapp.Preprocess((height, width))), with mean= "
            "and std=, one of each per channel, if the network does not name its own. If it wants more than pixels, say inputs=; "
            "which of its outputs is meant, output=; or wrap it in an nn.Module that takes pixels and gives a tensor.",
            name=model.name,
            shape=shape,
            why=why or type(error).__name__,
        ) from error


def _analysis(
    seen: Given,
    trace: AttentionTrace,
    what: Looked | None,
    fit: Fit | None,
    truth: Sequence[Truth],
    edits: tuple[Edit, ...],
    norms: tuple[torch.Tensor, ...] | None = None,
) -> Analysis:
    model, trace = with_readout(seen.model, seen.pixels, trace)
    part = seen_size(model, trace.layout.grid, seen.pixels)
    model, prepared = edited(model, edits), not isinstance(what, torch.Tensor)
    return Analysis(
        picture=seen.rgb,
        frame=replace(seen.frame, input=part),
        trace=trace,
        model_name=model.name,
        labels=model.labels,
        notes=model.notes,
        facts={**model.facts, "preprocess": str(model.preprocess) if prepared else AS_THEY_ARE},
        fit=fit or model.preprocess.fit,
        truth=tuple(truth),
        context=ExplainContext(model, seen.pixels, trace, norms=norms),
        edits=edits,
        activation=model.activation,
    )


def check(model: VisionModel | nn.Module | str, picture: Looked | None = None) -> Check:
    """Does the capture of `model` hold? Every identity that a forgotten bias, scale, window or head order would break.

    picture  what to look at, as for `analyse`; None: noise
    """
    model = _model(model, None)
    if picture is None:
        pixels = noise(model)
    else:
        seen = given(model, picture)
        model, pixels = seen.model, seen.pixels
    with _accepted(model, pixels):
        return check_capture(model, pixels)


def explain(
    seen: Analysis,
    method: str | Callable[..., Any] = "rollout",
    *,
    query: Query | None = None,
    target: Target | str | None = None,
    **settings: Any,
) -> Relevance:
    """One number per patch.

    method    "attention", "rollout", "chefer" ... (see `vizapp.core.methods`); `settings` are its keyword-only parameters.
              Or a callable of your own, `(trace or context, query, *, settings)`: it is given the `ExplainContext`, or the
              `AttentionTrace` if its first parameter is annotated so or called `trace`, and returns (Tensor (token,),
              TokenLayout), or an array (rows, cols) for the grid of patches; anything else is refused
    query     whose attention: None for what the classifier reads, "cls", "row,col" ... (see `AttentionTrace.query`)
    target    for class-specific methods, which class: its index or label; None for the most probable one. Or any number that a
              function makes of the network's output for one picture: lambda output: output[0, 3] (see `vizapp.core.target`)
    Methods that need only attention are fast; others run the network again, on the picture that was analysed. Raises `VizError`
    for a method, setting, query or target that there is not, and where the method means nothing for this network.
    """
    if not isinstance(method, (str, Method)):
        return _explain_by(seen, method, query, target, settings)
    chosen = method_named(method) if isinstance(method, str) else method
    method = chosen.name
    if chosen.needs_network and seen.context is not None:
        seen.context.ready()
    if not chosen.class_specific:
        if target is not None:
            raise VizError(
                "The map of {method} is the same for every class.",
                "Leave out the target, or choose one of: {names}.",
                method=method,
                names=", ".join(name for name, one in methods().items() if one.class_specific),
            )
        if chosen.needs_network and seen.context is None:
            raise VizError(
                "{method} needs the network, and this analysis holds none.",
                "Make it with vizapp.analyse.",
                method=method,
            )
        return chosen((seen.context if chosen.needs_network else None) or seen.trace, query, **settings)
    if reason := chosen.why_not(seen.trace, target):
        raise VizError("{method} means nothing here: {reason}.", "Choose another method.", method=method, reason=reason)
    return chosen(seen.of_class(target), query, **settings)


def _explain_by(
    seen: Analysis,
    function: Callable[..., Any],
    query: Query | None,
    target: Target | str | None,
    settings: dict[str, Any],
) -> Relevance:
    """`explain` by a callable of the user's own. With a target, the context is that of this class."""
    if not callable(function):
        raise VizError("{got} is no method.", "Give its name, or a callable of your own.", got=repr(function))
    if own_method.takes_trace(function):
        if target is not None:
            raise VizError(
                "{name} is given attention only, so its map is the same for every class.",
                "Leave out the target.",
                name=own_method.name_of(function),
            )
        return own_method.call(function, seen.context, seen.trace, query, settings, None)
    if seen.context is None:
        raise VizError(NO_NETWORK, "Make it with vizapp.analyse, or call the first parameter `trace`.")
    context = seen.context if target is None else seen.of_class(target)
    return own_method.call(
        function, context, seen.trace, query, settings, None if target is None else name_of(context.explained)
    )


def model_names() -> tuple[str, ...]:
    """The models to offer in a list (see `vizapp.model.names`)."""
    return models.names()
