"""Gradients of several pictures at once: the sum of their scores is differentiated in one backward pass.

No picture of a batch depends on another, so the gradient of the sum with respect to a picture's tensors is the gradient of its
own score. If a network puts heads or windows before pictures, these cannot be told apart, and there is no result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.picture_axis import pictures_first
from vizapp.core.capture.reading import reading
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of, watched_modules
from vizapp.core.signals.gradients import Calls, differentiated, slope_in_all, thin_of, titles_of
from vizapp.core.target import Target
from vizapp.model.spec import VisionModel


def gradients_of_several(
    model: VisionModel, pixels: Tensor, traces: Sequence[AttentionTrace], targets: Sequence[Target]
) -> list[tuple[LayerAttention, ...]] | None:
    """`attention_gradients` of each picture of `pixels` (B, channel, h, w) for its own target, by one pass forward and backward.

    None if pictures cannot be told apart, or if the network's output is not a tensor (B, ...).
    """
    batch, names = len(pixels), [layer.name for layer in traces[0].layers]
    wanted = titles_of(traces[0], names)
    calls = Calls(wanted)
    with differentiated(model):
        # The pixels require a gradient so that there is a graph even if every parameter is frozen.
        with torch.enable_grad(), Watch(model.net, calls.saw):
            output = model.net(pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True))
        if not isinstance(output, Tensor) or set(wanted) != calls.keys():
            return None
        # Windows and pictures may share the first axis: then it is a multiple of the pictures.
        leads = [calls[name].output.shape[:-2] for name in wanted]
        if any(not lead or lead[0] % batch for lead in leads):
            return None
        if not pictures_first(model, pixels.to(model.device, dtype_of(model.net)), leads, watched_modules(model)):
            return None
        if (score := slope_in_all(model, output, targets)) is None:
            return None
        calls.check_used_once(model, score)
        given, _ = calls.gradients(model, score)
    return [
        tuple(
            _of_picture(model, pixels[index : index + 1], index, batch, traces[0], calls, given, name) for name in names
        )
        for index in range(batch)
    ]


def _of_picture(
    model: VisionModel,
    pixels: Tensor,
    index: int,
    batch: int,
    trace: AttentionTrace,
    calls: Mapping[str, Call],
    given: Mapping[str, Tensor],
    name: str,
) -> LayerAttention:
    call = calls[name]
    lead = call.output.shape[:-2]
    size = lead[0] // batch
    own = slice(index * size, (index + 1) * size)

    def values(one: Call) -> Tensor:
        # Values that all pictures share (learned ones) have no axis of theirs, and nothing is cut out of them.
        whole = one.v.ndim == len(lead) + 2 and one.v.shape[0] == lead[0]
        return one.v.detach()[own].clone() if whole else one.v.detach().clone()

    titles = trace.calls_of(name)
    lead_of_one = torch.Size((size, *lead[1:]))
    shapes = [Shape(one, lead_of_one, calls[one].output.shape[-2], calls[one].v.shape[-2]) for one in titles]
    axes = reading(model, pixels, shapes).axes
    # Copies: a view would keep the gradients of the whole batch in memory.
    rows = {title: given[title][own].clone() for title in titles}
    return thin_of(trace, name, rows, {title: values(calls[title]) for title in titles}, axes)
