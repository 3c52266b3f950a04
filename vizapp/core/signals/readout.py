"""Measure the readout of a classifier by its gradient at the last attention if the model does not declare it."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Shape
from vizapp.core.capture.reading import reading
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.network import dtype_of, output_of
from vizapp.core.signals.gradients import Calls, differentiated, titles_of
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

READ = 1e-5  # of the largest gradient: a token with less is not read and has only rounding errors
GOES_ON = "goes on"  # remembered if tokens are weighed after the last layer that is shown
MOST = 0.9  # of the patches: the classifier then reads their mean

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

_readouts: Memo[str] = Memo()


def readout_of(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> str:
    """Measure the readout: "cls", "cls+dist", "mean" ...; "" if the gradient does not tell, or `GOES_ON`.

    After the last attention a transformer works on each token alone. So the output depends only on those rows of that attention
    that belong to tokens of the readout. One forward and one backward pass on `pixels` (1, 3, h, w), kept per
    network and layout.
    """
    return _readouts.get(
        model.net, (trace.layout, trace.layers[-1].name), lambda: _measured_or_nothing(model, pixels, trace)
    )


def _measured_or_nothing(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> str:
    try:
        return _measured(model, pixels, trace)
    except VizError:
        return ""  # a network without gradients: remembered, too, because that will not change


def _measured(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> str:
    title, layout = trace.layers[-1].name, trace.layout
    calls = Calls(titles_of(trace, [title]))
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            output = output_of(model.net(pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)))
        if output.ndim != 2 or not output.requires_grad or not calls.keys() >= {*trace.calls_of(title)}:
            return ""
        # All outputs together, each with its own weight: equal weights could cancel, for example in centred logits.
        mixed = (output * torch.linspace(1, 2, output.shape[-1]).to(output)).sum()
        every = calls.gradients(model, mixed)
    found = reading(model, pixels, [Shape.of(calls[title])])
    if found.goes_on_behind():
        return GOES_ON
    (axes,) = found.axes
    # (window * query,): windows tell several times of one token, so gradients add up.
    tokens = axes.queries.flatten().cpu()
    # (window, head, query, e) of each call
    given = torch.cat([axes.fold(one).float() for one in every.values()], 1)
    each = given.norm(dim=(1, 3)).flatten().cpu()  # (window * query,)
    strength = torch.zeros(layout.n_tokens).index_add(0, tokens[tokens >= 0], each[tokens >= 0])
    read = strength > READ * strength.max()
    if read[layout.n_prefix :].float().mean() >= MOST:
        return "mean"
    names = [name for name, one in zip(layout.prefix, read.tolist(), strict=False) if one]
    return "+".join(names) if names and not bool(read[layout.n_prefix :].any()) else ""


def with_readout(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[VisionModel, AttentionTrace]:
    """Measure the readout if the model does not declare it, check that each output has a label, and note coarse weights.

    `model` is the plain one, even if `trace` is of an edited pass: the readout belongs to the network's architecture, and
    with the last heads off no gradient would show it.
    """
    if trace.logits is not None and model.labels_read and trace.outputs != (len(model.labels),):
        model, trace = replace(model, labels=()), replace(trace, logits=None)
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
    if coarse := COARSE.get(dtype_of(model.net)):
        model = replace(model, notes=(*model.notes, coarse))
    if model.readout or trace.readout == "pool" or trace.late or not trace.layers:
        return model, trace
    measured = readout_of(model, pixels, trace)
    if measured and measured != GOES_ON:
        return replace(model, readout=measured), replace(trace, readout=measured)
    if not (trace.layout.prefix and (model.labels or measured)):
        return model, trace
    note = Text(
        "Assumed: the readout of this network is {readout}; vizapp.describe(net, readout=...) sets it.",
        readout=trace.readout,
    )
    return replace(model, notes=(*model.notes, note)), trace
