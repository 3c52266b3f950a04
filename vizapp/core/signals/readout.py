"""Measure the readout of a classifier by its gradient at the last attention if the model does not declare it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import adaptive_max_pool2d

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Shape
from vizapp.core.capture.reading import reading
from vizapp.core.capture.survey.survey import noise_like
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.network import dtype_of, output_of, sum_to_differentiate
from vizapp.core.signals.gradients import Calls, differentiated, titles_of
from vizapp.core.signals.read_alike import Handed, listening
from vizapp.core.signals.stream import read_early
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, few

READ = 1e-5  # of the largest gradient: a token with less is not read and has only rounding errors
GOES_ON = "goes on"  # remembered if tokens are weighed after the last layer that is shown
MOST = 0.9  # of the patches: where the rest changes from picture to picture, the classifier reads their mean

COARSE = {  # the measurements: bench/PRECISION.md
    torch.bfloat16: Text(
        "Its weights are bfloat16, and rounding shows in maps: those of early layers and of attention correlate with exact ones "
        "by less than 0.99, those of Grad-CAM++ hardly at all. In float32 they do not suffer."
    ),
    torch.float16: Text(
        "Its weights are float16, and rounding shows in maps of Grad-CAM++, which correlate with exact ones by less than 0.99. "
        "In float32 they do not suffer."
    ),
}

ELSE = 2  # further passes, on noise, if single patches are read: a network may choose them by what it sees
CHANGES = Text("Which tokens the output of this network reads changes from picture to picture.")

_readouts: "Memo[Readout]" = Memo()


@dataclass(frozen=True)
class Readout:
    """The tokens that an output reads, as a query: "cls", "cls+dist", "mean", "3,3" ...

    query  "" if the gradient does not tell; `GOES_ON` if tokens are weighed once more behind the last layer
    alike  whether it takes all of these tokens with the same weight, as far as it is known
    why    a sentence about why it cannot be told, or ""
    early  layers before the last, from 0, whose output it reads as well
    idle   names of layers whose attention changes nothing in it
    unseen  the number of patches that change nothing in it
    """

    query: str
    alike: bool = True
    why: str = ""
    early: tuple[int, ...] = ()
    idle: tuple[str, ...] = ()
    unseen: int = 0


def measured_readout(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> Readout:
    """Measure the readout: any token, or any set of tokens.

    After the last attention a transformer works on each token alone. So the output depends only on those rows of that attention
    that belong to tokens of the readout. It costs one forward and one backward pass on `pixels` (1, 3, h, w), kept per
    network and layout: as much as one map of a gradient method, once. If patches are read, but not all of them, it costs two
    more on noise, which tell whether they are always the same.
    """

    def found() -> Readout:
        try:
            idle, unseen = _without_effect(model, pixels, trace)
            early = read_early(model, pixels, trace)
            return replace(_measured(model, pixels, trace), early=early, idle=idle, unseen=unseen)
        except VizError:
            return Readout("")  # a network without gradients: remembered, too, because that will not change

    return _readouts.get(model.net, (trace.layout, trace.layers[-1].name), found)


def _measured(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> Readout:
    found, layout = _read(model, pixels, trace), trace.layout
    if not isinstance(found, tuple):
        return Readout(GOES_ON if found else "")
    read, handed = found
    patches = read[layout.n_prefix :]
    if not bool(read.any()):
        return Readout("")
    if not bool(patches.any()):
        return Readout(layout.named(read))
    if bool(patches.all()):
        # The mean of all tokens, of which some are no patches, is shown as that of the patches.
        alike = handed.alike(int(read.sum())) or (not bool(read[: layout.n_prefix].any()) and handed.alike(None))
        return Readout("mean", alike)
    for number in range(ELSE):
        # Noise from 10 on: the survey has looked at that of the first numbers.
        again = _read(model, noise_like(pixels, 10 + number), trace)
        if not isinstance(again, tuple) or not torch.equal(again[0], read):
            return Readout("mean", alike=False) if patches.float().mean() >= MOST else Readout("", why=CHANGES)
    count = int(read.sum())
    return Readout(layout.named(read), count == 1 or handed.alike(count))


def _read(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[Tensor, Handed] | bool:
    """(token,) bool: those that the output depends on. False if there is no such output, True if tokens are weighed once more."""
    title, layout = trace.layers[-1].name, trace.layout
    calls = Calls(titles_of(trace, [title]))
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            output = output_of(model.net(pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)))
        if output.ndim != 2 or not output.requires_grad or not calls.keys() >= {*trace.calls_of(title)}:
            return False
        mixed = sum_to_differentiate(output)
        with listening(mixed) as handed:
            every, _ = calls.gradients(model, mixed)
    found = reading(model, pixels, [Shape.of(call) for call in calls.values()])
    if found.goes_on_behind():
        return True
    # (window, head, query, e) of each call
    given = [axes.fold(one).float() for axes, one in zip(found.axes, every.values(), strict=True)]
    strength = torch.zeros(layout.n_tokens)
    # Of calls that are the heads of one layer all have the same tokens; of those that are its windows, each has its own.
    parts = zip(found.axes, given, strict=True) if found.axes[0].is_part else [(found.axes[0], torch.cat(given, 1))]
    for axes, one in parts:
        # (window * query,): windows tell several times of one token, so gradients add up.
        tokens, each = axes.queries.flatten().cpu(), one.norm(dim=(1, 3)).flatten().cpu()
        strength.index_add_(0, tokens[tokens >= 0], each[tokens >= 0])
    # Beside the strongest: a gradient of rounding errors alone has no size of its own.
    return strength > READ * strength.max(), handed


def _without_effect(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[tuple[str, ...], int]:
    """Find the layers whose attention, and count the patches whose pixels, have a slope of exactly zero to the output."""
    calls, dtype = Calls(titles_of(trace, [layer.name for layer in trace.layers])), dtype_of(model.net)
    given = pixels.detach().to(model.device, dtype).requires_grad_(True)
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            output = output_of(model.net(given))
        if not output.requires_grad:
            return (), 0
        slopes, [of_pixels] = calls.gradients(model, sum_to_differentiate(output), [given])
    idle = [layer.name for layer in trace.layers if not any(slopes[one].any() for one in trace.calls_of(layer.name))]
    if of_pixels is None or dtype not in {torch.float32, torch.float64}:  # of half precision a small slope is zero
        return tuple(idle), 0
    slope = adaptive_max_pool2d(of_pixels.abs().amax(1), trace.layout.grid)
    unseen = int((slope == 0).sum())
    return tuple(idle), unseen if unseen < slope.numel() else 0


def _no_effect(measured: Readout, trace: AttentionTrace) -> tuple[Text, ...]:
    """Say which layers and how many patches change nothing in the output, although maps show them."""
    rows, cols = trace.layout.grid
    idle = Text(
        "What {layers} attends to changes nothing in the output, as behind a gate of zero. Rollout counts it all the same.",
        layers=few(measured.idle),
    )
    unseen = Text(
        "{count} of {all} patches change nothing in the output, whatever they show: the network puts something else in their "
        "place. What maps give them says nothing of the picture.",
        count=measured.unseen,
        all=rows * cols,
    )
    return (*([idle] if measured.idle else []), *([unseen] if measured.unseen else []))


def _several(why: str) -> Text:
    """Say that the same layers run several times, as on a picture and on its mirror image, so that the last is not all."""
    return Text(
        "The network runs the same layers several times for a picture ({why}). Maps that begin at the last layer leave the "
        "rest out.",
        why=why,
    )


def _not_alike(query: str) -> Text:
    """Say that an output reads tokens otherwise than by their plain mean, which is what a query is."""
    if query == "mean":
        return Text(
            "The output reads more than a plain mean of the patches (weights that differ, or other tokens, too). Maps of the "
            "readout take all patches alike."
        )
    return Text(
        "The output reads {readout} with weights that differ, or that cannot be told. Maps of the readout take these "
        "tokens alike.",
        readout=query,
    )


def _reads_early(early: Sequence[int], count: int) -> Text:
    """Say that an output reads tokens before the last layers change them."""
    return Text(
        "The output also reads tokens as they leave layer {layers} of {count}, before later layers change them. Maps that begin "
        "at the last layer leave that out.",
        layers=few([str(number + 1) for number in early]),
        count=count,
    )


def _check_labels(model: VisionModel, trace: AttentionTrace) -> None:
    """Raise `VizError` unless each output has a label, if there are any."""
    if trace.logits is not None and not trace.logits.ndim:
        raise VizError(
            "{name} gives a single number for a picture, not one for each of {labels} labels.",
            "Leave out the labels, or say which of its outputs is meant, output=.",
            name=model.name,
            labels=len(model.labels),
        )
    if trace.logits is not None and trace.logits.ndim != 1:
        raise VizError(
            "{name} gives {shape} numbers for a picture, not one for each of {labels} labels.",
            "Leave out the labels, and explain a function of the output: target=lambda output: output[0, ...], one number.",
            name=model.name,
            shape=" x ".join(map(str, trace.logits.shape)),
            labels=len(model.labels),
        )
    if trace.logits is not None and len(model.labels) != trace.logits.shape[-1]:
        raise VizError(
            "{name} has {outputs} outputs, but {labels} labels were given.",
            "Give one for each.",
            name=model.name,
            outputs=trace.logits.shape[-1],
            labels=len(model.labels),
        )


def with_readout(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[VisionModel, AttentionTrace]:
    """Measure the readout if the model does not declare it, check that each output has a label, and note coarse weights.

    `model` is the plain one, even if `trace` is of an edited pass: the readout belongs to the network's architecture, and
    with the last heads off no gradient would show it.
    """
    # Labels that nobody but a configuration declares may be those of another head.
    if trace.logits is not None and model.labels_read and trace.outputs != (len(model.labels),):
        model, trace = replace(model, labels=()), replace(trace, logits=None)
    _check_labels(model, trace)
    if coarse := COARSE.get(dtype_of(model.net)):
        model = replace(model, notes=(*model.notes, coarse))
    # A pooling and a late CLS are readouts by themselves; their own attention says what they take of the patches.
    if model.readout or trace.readout == "pool" or trace.late or not trace.layers:
        return model, trace
    measured = measured_readout(model, pixels, trace)
    model = replace(model, notes=(*model.notes, *_no_effect(measured, trace)))
    if not measured.early and any("#" in layer.name for layer in trace.layers) and trace.no_chain:
        model = replace(model, notes=(*model.notes, _several(trace.no_chain)))
    if measured.early:
        model = replace(model, notes=(*model.notes, _reads_early(measured.early, len(trace.layers))))
    if measured.query and measured.query != GOES_ON:
        if not measured.alike:
            model = replace(model, notes=(*model.notes, _not_alike(measured.query)))
        model = replace(model, readout=measured.query)
        return model, replace(trace, readout=measured.query)
    # Of an output that is no row of numbers (a map, boxes) nothing was asked.
    if len(trace.outputs) != 1 and not (trace.layout.prefix and (model.labels or measured.query)):
        return model, trace
    note = Text(
        "Assumed: the readout of this network is {readout}; vizapp.describe(net, readout=...) sets it.",
        readout=trace.readout,
    )
    why = (measured.why,) if measured.why else ()
    return replace(model, notes=(*model.notes, *why, note)), trace
