"""The road: load -> analyse -> explain -> paint. The page, the command line and a notebook all walk it."""

from __future__ import annotations

import itertools
import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import nn

import model as models
from model.frame import Frame
from model.lessons import LESSONS, Lesson
from model.own import describe as describe_own
from model.preprocess import FITS, Fit
from model.spec import TokenLayout, VisionModel
from vizapp.core.capture import capture, capture_batch, probabilities
from vizapp.core.check import Check, noise
from vizapp.core.check import check as check_capture
from vizapp.core.methods import method_named, methods
from vizapp.core.normal import normal_tensors
from vizapp.core.proof import known_proof, proof
from vizapp.core.readout import readout_of
from vizapp.core.sinks import Sink, sinks, without
from vizapp.core.specimen import Specimen
from vizapp.core.trace import AttentionTrace, Query, Relevance
from vizapp.errors import VizError
from vizapp.picture import Source, read_picture
from vizapp.render.colour import DIVERGING
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import resized

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "FITS",
    "LESSONS",
    "Analysis",
    "Check",
    "Lesson",
    "Scale",
    "Sink",
    "Style",
    "TokenLayout",
    "Truth",
    "VisionModel",
    "analyse",
    "analyse_many",
    "check",
    "describe_own",
    "explain",
    "in_size",
    "known_proof",
    "load",
    "model_names",
    "paint",
    "plot",
    "proof",
    "save",
]

Scale = Literal["map", "layer", "all"] | float

NO_NETWORK = "This analysis holds no network (vizapp.leave_out gives such ones)."
CLASSES_KEPT = 2  # whose gradients are held for one picture
MODELS_KEPT = 3  # in memory at once; a visitor who asks for a fourth makes the one that rested longest go


@dataclass(frozen=True)
class Truth:
    """Something whose place in a picture is known. `mask` (H, W) bool, in pixels of the picture.

    is_object  False for what only explains the picture, such as a tell-tale mark: no map is expected to find it
    """

    name: str
    mask: np.ndarray = field(repr=False)
    is_object: bool = True


@dataclass(frozen=True)
class Analysis:
    """One picture seen by one model: everything that `explain` and `paint` need.

    picture  (H, W, 3) uint8 RGB, upright
    frame    where the model looked on it
    trace    the attention of every layer and head
    model    the name that `load` was given; `facts` what is known of it, `notes` what must be said with every map
    fit      how the picture was brought to the model's shape
    truth    what is known to be where
    specimen the same for methods that need the network: it is referred to, never copied
    """

    picture: np.ndarray = field(repr=False)
    frame: Frame
    trace: AttentionTrace = field(repr=False)
    model: str
    labels: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    fit: str = "crop"
    truth: tuple[Truth, ...] = ()
    specimen: Specimen | None = field(default=None, repr=False)
    _classes: OrderedDict[int, Specimen] = field(default_factory=OrderedDict, repr=False, compare=False)

    def of_class(self, target: int | str | None = None) -> Specimen:
        """What methods look at that explain a class: its index, its label, or None for the most probable one.

        What was made for the last classes asked for (gradients) is kept, so methods share it.
        """
        if self.specimen is None:
            raise VizError(NO_NETWORK, "Make it with vizapp.analyse.")
        index = self.specimen.of(self.class_index(target)).explained
        with _classes_lock:
            found = self._classes[index] = self._classes.get(index) or self.specimen.of(index)
            self._classes.move_to_end(index)
            while len(self._classes) > CLASSES_KEPT:
                self._classes.popitem(last=False)
        return found

    def class_index(self, target: int | str | None) -> int | None:
        """The index of a class by its label, or by a part of it that no other label has; numbers and None as they are."""
        if not isinstance(target, str):
            return target
        wanted = target.strip().lower()
        if wanted.isdecimal() and wanted not in map(str.lower, self.labels):
            return int(wanted)
        exact = [index for index, label in enumerate(self.labels) if label.lower() == wanted]
        found = exact or [index for index, label in enumerate(self.labels) if wanted and wanted in label.lower()]
        if len(found) == 1:
            return found[0]
        some = ", ".join(f"{index} ({self.labels[index]})" for index in found[:5])
        raise VizError(
            f"'{target}' is {'not a class' if not found else 'a part of several classes'} of {self.model}.",
            f"Say which: {some}." if found else f"Its classes are such as: {', '.join(self.labels[:5])}.",
        )

    def on_picture(self, grid: tuple[int, int]) -> np.ndarray:
        """(rows, cols) bool: the patches that show some of the picture, and not only what it was padded with."""
        height, width = self.frame.picture
        left, top, right, bottom = np.moveaxis(
            np.array([[self.frame.box_of(row, col, grid) for col in range(grid[1])] for row in range(grid[0])]), -1, 0
        )
        return (left < width) & (top < height) & (right > 0) & (bottom > 0)

    def top(self, k: int = 5) -> tuple[tuple[str, float], ...]:
        """The k most probable (label, probability in 0..1), best first; () for a model without a classifier."""
        return tuple((self.labels[index], probability) for index, probability in self.best(k))

    def best(self, k: int = 5) -> tuple[tuple[int, float], ...]:
        """The same by index, as two classes may have one label."""
        if self.trace.logits is None:
            return ()
        best = probabilities(self.trace.logits).topk(min(max(k, 0), len(self.labels)))
        return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))


_classes_lock = threading.Lock()
_kept: OrderedDict[tuple[str, str], VisionModel] = OrderedDict()
_loading: dict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)


@normal_tensors()
def load(name: str = models.DEFAULT, device: str | None = None) -> VisionModel:
    """The model called `name` (see `model.load`), from memory if it was asked for before. Safe with threads."""
    key = (name, str(models.choose_device(device)))
    with _loading[key]:  # two visitors who ask for the same model wait for one download; others do not wait for them
        model = _kept.get(key) or models.load(name, key[1])
        _kept[key] = model
        _kept.move_to_end(key)
        while len(_kept) > MODELS_KEPT:
            _kept.popitem(last=False)
        return model


@normal_tensors()
def analyse(
    model: VisionModel | nn.Module | str,
    picture: Source,
    *,
    fit: Fit | None = None,
    truth: Sequence[Truth] = (),
    layout: TokenLayout | None = None,
) -> Analysis:
    """Run `model` once on `picture` and keep the attention of every layer and head. The slow step: one forward pass.

    model    what `load` gave, a name for it, or a network of your own (see `model.own.describe` for all that can be said)
    picture  a path, bytes, PIL picture, or array (see `vizapp.picture.read_picture`)
    fit      "crop", "pad" or "squash" instead of the way the checkpoint was trained (see `model.preprocess.Preprocess`)
    truth    what is known to be where; only kept, for those who look at the analysis
    layout   what the tokens of a network of your own stand for; it is found if not given, and checked if given
    """
    if layout is not None and not isinstance(layout, TokenLayout):
        raise VizError(f"{layout!r} is no layout.", "Such as TokenLayout(('cls',), (14, 14)).")
    if not all(isinstance(one, Truth) for one in truth):
        raise VizError("What is known to be where must be a list of Truth.", "Such as [Truth('cat', mask)].")
    model = _model(model, layout)
    rgb = read_picture(picture)
    pixels, frame = model.preprocess(rgb, fit)
    with _accepted(model, pixels):
        trace = capture(model, pixels)
    if layout is not None and trace.layout != layout:
        raise VizError(
            f"In {model.name} expected {layout}, but found {trace.layout}.", "Leave out layout= to see what was found."
        )
    return _analysis(*_read_out(model, pixels, trace), rgb, frame, pixels, fit, truth)


def analyse_many(
    model: VisionModel | nn.Module | str,
    pictures: Iterable[Source],
    *,
    fit: Fit | None = None,
    batch: int = 8,
    tell: Callable[[int], None] = lambda done: None,
) -> Iterator[Analysis]:
    """`analyse` for many pictures, `batch` of them in one forward pass, as they come and in their order.

    tell  called with the number of pictures done so far
    """
    if batch < 1:
        raise VizError(f"A batch holds at least one picture; got {batch}.", "8 is usual.")
    if isinstance(pictures, (str, Path, bytes)) or not isinstance(pictures, Iterable):
        raise VizError(f"Several pictures were expected, but got {type(pictures).__name__}.", "Give a list of them.")
    model, done, waiting = _model(model, None), 0, iter(pictures)
    while some := list(itertools.islice(waiting, batch)):
        for seen in _together(model, some, fit):
            done += 1
            tell(done)
            yield seen


@normal_tensors()
def _together(model: VisionModel, pictures: Sequence[Source], fit: Fit | None) -> list[Analysis]:
    """`analyse` in one forward pass."""
    read = [read_picture(picture) for picture in pictures]
    pixels, frames = zip(*(model.preprocess(rgb, fit) for rgb in read), strict=True)
    stacked = torch.cat(pixels)
    with _accepted(model, stacked):
        traces = capture_batch(model, stacked)
    return [
        _analysis(*_read_out(model, own, trace), rgb, frame, own, fit, ())
        for rgb, frame, own, trace in zip(read, frames, pixels, traces, strict=True)
    ]


def _model(model: VisionModel | nn.Module | str, layout: TokenLayout | None) -> VisionModel:
    if isinstance(model, str):
        return load(model)
    if isinstance(model, nn.Module):
        return describe_own(model, layout=layout)
    if not isinstance(model, VisionModel):
        raise VizError(
            f"A model by name, a VisionModel or an nn.Module was expected, but got {type(model).__name__}.",
            "vizapp.load(NAME) makes one.",
        )
    return model


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
            f"{model.name} failed on a picture of {shape}: {why or type(error).__name__}.",
            "If it wants another size, say so: vizapp.describe(net, preprocess=Preprocess((height, width))). If it wants more "
            "than pixels (1, 3, height, width), or gives no tensor, wrap it in an nn.Module that takes and gives just these.",
        ) from error


def _read_out(model: VisionModel, pixels: torch.Tensor, trace: AttentionTrace) -> tuple[VisionModel, AttentionTrace]:
    """Who did not say what its classifier reads is asked; and there must be a label for each output."""
    if trace.logits is not None and len(model.labels) != trace.logits.shape[-1]:
        raise VizError(
            f"{model.name} has {trace.logits.shape[-1]} outputs, but {len(model.labels)} labels were given.",
            "Give one for each.",
        )
    if model.readout or trace.readout == "pool":
        return model, trace
    if measured := readout_of(model, pixels, trace):
        return replace(model, readout=measured), replace(trace, readout=measured)
    if not (model.labels and trace.layout.prefix):
        return model, trace
    note = f"Assumed: what is read from it is {trace.readout}; vizapp.describe(net, readout=...) says it."
    return replace(model, notes=(*model.notes, note)), trace


def _analysis(
    model: VisionModel,
    trace: AttentionTrace,
    rgb: np.ndarray,
    frame: Frame,
    pixels: torch.Tensor,
    fit: Fit | None,
    truth: Sequence[Truth],
) -> Analysis:
    return Analysis(
        picture=rgb,
        frame=frame,
        trace=trace,
        model=model.name,
        labels=model.labels,
        notes=model.notes,
        facts={**model.facts, "preprocess": str(model.preprocess)},
        fit=fit or model.preprocess.fit,
        truth=tuple(truth),
        specimen=Specimen(model, pixels, trace),
    )


def check(model: VisionModel | nn.Module | str, picture: Source | None = None) -> Check:
    """Does the capture of `model` hold? Every identity that a forgotten bias, scale, window or head order would break.

    picture  what to look at; None: noise
    """
    model = _model(model, None)
    if picture is None:
        pixels = noise(model)
    else:
        pixels, _ = model.preprocess(read_picture(picture))
    return check_capture(model, pixels)


def explain(
    seen: Analysis,
    method: str = "rollout",
    *,
    query: Query | None = None,
    target: int | str | None = None,
    **settings: Any,
) -> Relevance:
    """One number per patch.

    method    "attention", "rollout", "chefer" ... (see `vizapp.core.methods`); `settings` are its keyword-only parameters
    query     whose attention: None for what the classifier reads, "cls", "row,col" ... (see `AttentionTrace.query`)
    target    for class-specific methods, which class: its index or label; None for the most probable one
    Methods that need only attention are fast; others run the network again, on the picture that was analysed.
    """
    chosen = method_named(method)
    if not chosen.class_specific:
        if target is not None:
            raise VizError(
                f"The map of {method} is the same for every class.",
                f"Leave out the target, or choose one of: {', '.join(class_specific_methods())}.",
            )
        if chosen.needs_network and seen.specimen is None:
            raise VizError(f"{method} needs the network, and this analysis holds none.", "Make it with vizapp.analyse.")
        return chosen((seen.specimen if chosen.needs_network else None) or seen.trace, query, **settings)
    if reason := chosen.why_not(seen.trace):
        raise VizError(f"{method} means nothing here: {reason}.", "Choose another method.")
    return chosen(seen.of_class(target), query, **settings)


def find_sinks(seen: Analysis) -> tuple[Sink, ...]:
    """Patches of outlying norm that swallow attention (see `vizapp.core.sinks`), the greediest first."""
    if seen.specimen is None:
        raise VizError(NO_NETWORK, "Make it with vizapp.analyse.")
    return sinks(seen.specimen.model, seen.specimen.pixels, seen.trace)


def leave_out(seen: Analysis, patches: Iterable[Sink | tuple[int, int]]) -> Analysis:
    """The same picture as if nobody could look at these patches: what they got is shared out among all others.

    patches  sinks, or pairs (row, col) from 0
    For methods that need attention only; others look at the network as it is, and are refused.
    """
    places = [(one.row, one.col) if isinstance(one, Sink) else one for one in patches]
    for place in places:
        if not isinstance(place, (tuple, list)) or len(place) != 2:
            raise VizError(f"{place!r} is no patch.", "Give sinks, or pairs (row, col) from 0: [(3, 4)].")
    trace = without(seen.trace, [seen.trace.layout.token_of(*place) for place in places])
    return replace(seen, trace=trace, specimen=None, _classes=OrderedDict())


def class_specific_methods() -> list[str]:
    """The methods whose maps depend on the class."""
    return [name for name, method in methods().items() if method.class_specific]


def paint(seen: Analysis, relevance: Relevance, *, scale: Scale = "map", style: Style | None = None) -> np.ndarray:
    """(H, W, 3) uint8: the heatmap exactly where the model looked; what it never saw is grey.

    scale  what the top colour stands for: the maximum of this "map", of its "layer", over "all" layers, or a fixed
           share of attention such as 0.05. One head is compared with all heads, fused with fused, rollout with rollout
    """
    return overlay(seen.picture, seen.frame, relevance.scores, scaled(seen, relevance, scale, style))


def in_size(seen: Analysis, sides: tuple[int, int]) -> Analysis:
    """The same analysis on its picture with a longest side within (smallest, largest) pixels: quicker to paint on."""
    picture, frame = resized(seen.picture, seen.frame, sides)
    return replace(seen, picture=picture, frame=frame)


def plot(seen: Analysis, relevance: Relevance, *, scale: Scale = "map", style: Style | None = None) -> Figure:
    """The same as a matplotlib figure for a paper: picture, heatmap, and a colour bar with units."""
    from vizapp.render.figure import figure

    style = scaled(seen, relevance, scale, style)
    unit = method_named(relevance.method).unit(relevance.settings)
    return figure(
        seen.picture,
        seen.frame,
        relevance.scores,
        style,
        title=f"{seen.model}: {describe(relevance)}",
        caption=". ".join(part for part in (where_it_went(seen, relevance), " ".join(seen.notes)) if part),
        unit=unit,
        n_tokens=relevance.scores.size + len(relevance.on_prefix) if unit.startswith("share") else None,
    )


def save(
    seen: Analysis, relevance: Relevance, path: str | Path, *, scale: Scale = "map", style: Style | None = None
) -> None:
    """Write `path`: .png, .svg or .pdf with a colour bar, or .npz with the numbers and all that is needed to repeat them.

    Of .npz: `scores` (rows, cols), `on_prefix` (prefix,), `query` (token,), `logits` and `labels` (classes,), and `about`, a
    text in JSON: model, method, settings, target, grid, frame, the names of prefix tokens, notes.
    """
    path = Path(path)
    if path.suffix.lower() == ".npz":
        try:
            _save_numbers(seen, relevance, path)
        except OSError as error:
            raise VizError(
                f"'{path}' cannot be written: {error.strerror or error}.", "Choose another folder."
            ) from error
        return
    from vizapp.render.figure import save as save_figure

    save_figure(plot(seen, relevance, scale=scale, style=style), path)


def scaled(seen: Analysis, relevance: Relevance, scale: Scale, style: Style | None) -> Style:
    """`style` with its colour map and the value of its top colour filled in.

    Where values can be below zero, the colours diverge from zero, unless `style` names others.
    """
    grids = {layout.grid for index in range(len(seen.trace.layers)) for layout in seen.trace.layouts(index)}
    if relevance.scores.shape not in grids:
        raise VizError(
            f"The map has {relevance.scores.shape} patches, the picture {seen.trace.layout.grid}.",
            "Paint a map on the analysis that it was made from.",
        )
    style = style or Style()
    if style.colour_map is None:
        is_signed = method_named(relevance.method).signed
        style = replace(style, colour_map=DIVERGING[0] if is_signed else style.colours)
    if style.high is not None:
        return style
    if isinstance(scale, Real):
        if scale <= 0:
            raise VizError(f"A fixed scale must be above zero; got {scale}.", "0.05 makes 5 % the top colour.")
        return replace(style, high=float(scale))
    if scale not in {"map", "layer", "all"}:
        raise VizError(f"'{scale}' is no scale.", "Choose map, layer, all, or a number such as 0.05.")
    seen_patches = seen.on_picture(relevance.scores.shape)
    shown = [one.scores[seen_patches] for one in _compared(seen, relevance, scale)]
    return replace(style, high=max(style.range_of(scores)[1] for scores in shown))


def _compared(seen: Analysis, relevance: Relevance, scale: str) -> list[Relevance]:
    """The maps that share one scale with `relevance`: like with like, over its "layer" or over "all" layers.

    One head is compared with all heads, heads fused with heads fused, rollout with rollout, on one grid of patches.
    """
    settings = relevance.settings
    query = relevance.query if relevance.asked else None
    siblings = [relevance]
    if scale == "map":
        return siblings
    layers = [settings.get("layer")]
    if scale == "all" and "layer" in settings:
        every = range(settings.get("start_layer", 0), len(seen.trace.layers))
        layers = [index for index in every if seen.trace.layouts(index) == seen.trace.layouts(settings["layer"])]
    for layer in layers:
        one_head = settings.get("head") is not None
        heads = range(seen.trace.layers[layer or 0].n_heads) if one_head else [None]
        for head in heads:
            changed = {name: value for name, value in (("layer", layer), ("head", head)) if name in settings}
            siblings.append(
                explain(seen, relevance.method, query=query, target=relevance.target, **(settings | changed))
            )
    return siblings


def describe(relevance: Relevance) -> str:
    """The method, the query and the settings in one line, in the words and the counting (from 0) of the API."""
    unused = {"fusion"} if relevance.settings.get("head") is not None else set()
    used = {name: value for name, value in relevance.settings.items() if value is not None and name not in unused}
    settings = ", ".join(f"{name}={value}" for name, value in used.items())
    of = f" of {relevance.asked}" if relevance.asked else ""
    about = "" if relevance.target is None else f" for class {relevance.target}"
    return f"{relevance.method}{of}{about}" + (f" ({settings})" if settings else "")


def where_it_went(seen: Analysis, relevance: Relevance) -> str:
    """How the whole is split between the picture and what it does not show; "" for values that are no parts of a whole."""
    shown = seen.on_picture(relevance.scores.shape)
    on_picture = float(relevance.scores[shown].sum())
    on_padding = float(relevance.scores.sum()) - on_picture
    if abs(on_picture + on_padding + sum(relevance.on_prefix.values()) - 1) > 1e-2:
        return ""
    parts = {"the picture's patches": on_picture, **relevance.on_prefix}
    if not shown.all():
        parts["padding"] = on_padding
    return ", ".join(f"{share:.1%} on {name}" for name, share in parts.items())


def _save_numbers(seen: Analysis, relevance: Relevance, path: Path) -> None:
    logits = seen.trace.logits
    about = {
        "model": seen.model,
        "facts": dict(seen.facts),
        "fit": seen.fit,
        "method": relevance.method,
        "query": relevance.asked,
        "settings": relevance.settings,
        "target": relevance.target,
        "prefix": list(relevance.on_prefix),
        "grid": relevance.scores.shape,
        "frame": asdict(seen.frame),
        "notes": seen.notes,
    }
    with path.open("wb") as file:  # given a name that ends on .NPZ, numpy would add another ending
        np.savez_compressed(
            file,
            scores=relevance.scores,
            on_prefix=np.array(list(relevance.on_prefix.values())),
            query=relevance.query,
            logits=np.zeros(0) if logits is None else logits.cpu().numpy(),
            labels=np.array(seen.labels),
            about=json.dumps(about),
        )


def model_names() -> tuple[str, ...]:
    """The models to offer in a list (see `model.names`)."""
    return models.names()
