"""The public functions in order: load -> analyse -> explain, then painting. Page, command line and notebooks all use them."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

import vizapp.analysis.notebook  # noqa: F401 (so that what is made here shows itself)
from vizapp.analysis import NO_NETWORK, Analysis, Truth
from vizapp.arguments import unexpected
from vizapp.core import callable_method
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import AttentionTrace, Query
from vizapp.core.capture.check import Check, noise
from vizapp.core.capture.check import check as check_capture
from vizapp.core.capture.forward import capture
from vizapp.core.context import ExplainContext
from vizapp.core.interventions import Edit, parse_all
from vizapp.core.interventions.apply import edited, resolved
from vizapp.core.methods import Method, method_named, methods
from vizapp.core.modes import normal_tensors
from vizapp.core.signals.patches import cells_of
from vizapp.core.signals.readout import with_readout
from vizapp.core.target import Target, name_of
from vizapp.core.trust.norms import listening, norms_heard
from vizapp.errors import VizError
from vizapp.model.own_network import describe as describe_own
from vizapp.model.own_network import expecting
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel, refuse_exported, refuse_unready
from vizapp.picture import MAX_PIXELS, Source
from vizapp.pipeline.inputs import AS_THEY_ARE, Given, Looked, given
from vizapp.pipeline.loading import forget_models, is_loaded, load, model_names  # noqa: F401 (said here, too)


@normal_tensors()
def analyse(
    model: VisionModel | nn.Module | str,
    what: Looked | None = None,
    *,
    picture: Source | None = None,
    page: int | None = None,
    fit: Fit | None = None,
    truth: Sequence[Truth] = (),
    edits: str | Edit | Iterable[str | Edit] = (),
    max_pixels: int = MAX_PIXELS,
    **described: Any,
) -> Analysis:
    """Run `model` once on `what` and keep the attention of every layer and head. The slow step: one forward pass.

    Parameters
    ----------
    model
        a result of `load`, a name for it, or a network of your own (described as in `vizapp.model.own_network.describe`)
    what
        a picture: a path, bytes, PIL picture, or array (see `vizapp.picture.read_picture`). Or pixels as the network takes
        them: a tensor of floats (channel, h, w) or (1, channel, h, w), with any number of channels
    picture
        the picture that such a tensor shows, for display; None: the tensor itself, converted back to colours
    page
        of a TIFF or an animation, from 1; None: the first, or the one that the path names, "pages.tif#3". A note says which
    fit
        "crop", "pad" or "squash" instead of the way the checkpoint was trained (see `vizapp.model.preprocess.Preprocess`)
    truth
        the known objects and their places; kept with the analysis, and not used by it
    max_pixels
        limit of a picture file. A larger JPEG is read at a smaller size, which a note says; other formats are refused
    described
        `inputs`, `output`, `activation`, `preprocess`, `labels` ... of your own network, as for `describe`. Of any model
        `layout`, what the tokens stand for: found if not given, and checked if given. It names the tokens before the patches
        of your own network; a model that declares which of them its classifier reads keeps its names
    edits
        of the forward pass, such as "head-off:5.3" (see `vizapp.core.interventions`). The analysis, and everything made from
        it, then belongs to the edited network; the network itself does not change. A head that is switched off keeps its
        attention, so maps of attention and rollout still include it

    Raises
    ------
    VizError
        for a picture that cannot be read, a network that cannot be captured, and an invalid edit

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")  # or a path, an array, a PIL picture, a tensor of pixels
    >>> label, probability = seen.top(1)[0]
    """
    if not all(isinstance(one, Truth) for one in truth):
        raise VizError("The known objects, truth=, must be a list of Truth.", "Such as [Truth('cat', mask)].")
    seen = given(model_of(model, described, analyse), what, fit, picture, max_pixels, page)
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
    page: int | None = None,
) -> Analysis:
    """`analyse`, but `watch` runs the forward pass instead of `capture`, for example in another process with a GPU."""
    return _looked(watch, given(model, what, fit, None, max_pixels, page), what, fit, truth, edits)


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
            "The mask of a known object is {mask}, and the picture was read at {picture}.",
            "Give both the same size.",
            mask=other,
            picture=seen.rgb.shape[:2],
        )
    with accepted(seen.model, seen.pixels):
        asked = resolved(seen.model, parse_all(edits))
        network = edited(seen.model, asked)
        with listening(network) as heard:  # hears nothing if `watch` runs in another process
            trace = watch(network, seen.pixels)
    return analysis_of(seen, trace, what, fit, truth, asked, norms_heard(network, seen.pixels, trace, heard))


def descriptions() -> tuple[str, ...]:
    """The names of the arguments that describe a network of the user's own."""
    return tuple(name for name in inspect.signature(describe_own).parameters if name != "net")


def model_of(
    model: VisionModel | nn.Module | str, described: Mapping[str, Any], door: Callable[..., Any]
) -> VisionModel:
    """The model that a public function was given: the only place that reads what describes a network of the user's own.

    described  arguments of `describe`, which `door` handed on. Raises `TypeError` for others, naming those that `door` takes
    """
    known = descriptions()
    if unknown := [name for name in described if name not in known]:
        own = [name for name, one in inspect.signature(door).parameters.items() if one.kind is not one.VAR_KEYWORD]
        raise unexpected(door.__name__, unknown[0], [*own, *known])
    layout = described.get("layout")
    refuse_exported(model)
    if isinstance(model, nn.Module):
        model = describe_own(model, **described)
    elif more := [name for name in described if name != "layout"]:
        raise VizError(
            "Only a network that is not described yet can be described here; got {names} for {kind}.",
            "vizapp.describe(net, ...) says it once.",
            names=", ".join(more),
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
def accepted(model: VisionModel, pixels: torch.Tensor) -> Iterator[None]:
    """Turn the error of a network that does not accept the pixels into a `VizError`."""
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


def analysis_of(
    seen: Given,
    trace: AttentionTrace,
    what: Looked | None,
    fit: Fit | None,
    truth: Sequence[Truth],
    edits: tuple[Edit, ...],
    norms: tuple[torch.Tensor, ...] | None = None,
) -> Analysis:
    """Make the analysis of one pass, `trace`; `what` was given by the caller."""
    model, trace = with_readout(seen.model, seen.pixels, trace)
    cells = cells_of(model, seen.pixels, trace)
    model, prepared = edited(model, edits), not isinstance(what, torch.Tensor)
    return Analysis(
        picture=seen.rgb,
        frame=seen.frame.around(*cells.window),
        trace=trace,
        model_name=model.name,
        labels=model.labels,
        notes=(*model.notes, *seen.notes, *trace.notes),
        facts={**model.facts, "preprocess": str(model.preprocess) if prepared else AS_THEY_ARE},
        fit=fit or model.preprocess.fit,
        truth=tuple(truth),
        context=ExplainContext(model, seen.pixels, trace, norms=norms),
        edits=edits,
        activation=model.activation,
    )


def check(
    model: VisionModel | nn.Module | str,
    picture: Looked | None = None,
    *,
    page: int | None = None,
    fit: Fit | None = None,
    edits: str | Edit | Iterable[str | Edit] = (),
    max_pixels: int = MAX_PIXELS,
    **described: Any,
) -> Check:
    """Check the capture of `model` by every identity that a forgotten bias, scale, window or head order would break.

    Parameters
    ----------
    picture, page
        as for `analyse`; None: noise
    fit, edits, max_pixels, described
        as for `analyse`; with edits, the capture of the edited network

    Examples
    --------
    >>> print(vizapp.check("toy").verdict)
    exact
    """
    model, asked = model_of(model, described, check), parse_all(edits)
    if picture is None and page is None:
        pixels = noise(model)
    else:
        seen = given(model, picture, fit, None, max_pixels, page)
        model, pixels = seen.model, seen.pixels
    with accepted(model, pixels):
        model = edited(model, resolved(model, asked))
        found = check_capture(model, pixels)
        if found.holds:
            with_readout(model, pixels, capture(model, pixels))  # an analysis asks for it, and may refuse the outputs
        return found


def explain(
    seen: Analysis,
    method: str | Callable[..., Any] = "rollout",
    *,
    query: Query | None = None,
    target: Target | str | None = None,
    **settings: Any,
) -> Relevance:
    """Explain an analysis by one number per patch.

    Methods that need only attention are fast; others run the network again on the same picture.

    Parameters
    ----------
    method
        "attention", "rollout", "chefer" ... (see `vizapp.core.methods`); `settings` are its keyword-only parameters. Or a
        callable of your own, `(trace or context, query, *, settings)`. It gets the `ExplainContext`, or the `AttentionTrace`
        if its first parameter is annotated so or called `trace`, and returns (Tensor (token,), TokenLayout), or an array
        (rows, cols) for the grid of patches; anything else is refused
    query
        whose attention: None for the query that the classifier reads, "cls", "row,col" ... (see `AttentionTrace.query`)
    target
        the class for class-specific methods: its index or label; None for the most probable one, or for the largest output
        where they have no labels. Or a function that computes a number from the network's output for one picture: lambda
        output: output[0, 3] (see `vizapp.core.target`)

    Raises
    ------
    VizError
        for an unknown method, setting, query or target, and if the method is not defined for this network

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> found = vizapp.explain(seen, "attention", layer=2, head=0, query="3,4")
    >>> found.scores.shape == seen.trace.layout.grid
    True
    """
    return seen.subject.own(_explained(seen, method, query, target, settings))


def _explained(
    seen: Analysis,
    method: str | Callable[..., Any],
    query: Query | None,
    target: Target | str | None,
    settings: dict[str, Any],
) -> Relevance:
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
    if seen.context is not None and (refusal := chosen.no_target(seen.trace, target)):
        raise refusal
    if reason := chosen.why_not(seen.trace, target if seen.context is not None else 0):
        raise VizError("{method} means nothing here: {reason}.", "Choose another method.", method=method, reason=reason)
    return chosen(seen.of_class(target), query, **settings)


def _explain_by(
    seen: Analysis,
    function: Callable[..., Any],
    query: Query | None,
    target: Target | str | None,
    settings: dict[str, Any],
) -> Relevance:
    """`explain` by the user's own callable. With a target, the context is that of this class."""
    if not callable(function):
        raise VizError("{got} is no method.", "Give its name, or a callable of your own.", got=repr(function))
    if callable_method.takes_trace(function):
        if target is not None:
            raise VizError(
                "{name} gets attention only, so its map is the same for every class.",
                "Leave out the target.",
                name=callable_method.name_of(function),
            )
        return callable_method.call(function, seen.context, seen.trace, query, settings, None)
    if seen.context is None:
        raise VizError(NO_NETWORK, "Make it with vizapp.analyse, or call the first parameter `trace`.")
    context = seen.context if target is None else seen.of_class(target)
    return callable_method.call(
        function, context, seen.trace, query, settings, None if target is None else name_of(context.explained)
    )
