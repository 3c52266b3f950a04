"""Gradients of several pictures at once: the sum of their scores is differentiated in one backward pass.

No picture of a batch depends on another, so the gradient of the sum with respect to a picture's tensors is the gradient of its
own score. If a network puts heads or windows before pictures, these cannot be told apart, and there is no result.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Shape
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

    def of_picture(index: int, name: str) -> LayerAttention:
        lead, titles = calls[name].output.shape[:-2], traces[0].calls_of(name)
        size = lead[0] // batch
        own, lead_of_one = slice(index * size, (index + 1) * size), torch.Size((size, *lead[1:]))
        shapes = [Shape(one, lead_of_one, calls[one].output.shape[-2], calls[one].v.shape[-2]) for one in titles]
        axes = reading(model, pixels[index : index + 1], shapes).axes
        # Copies: a view would keep the gradients of the whole batch in memory.
        rows = {title: given[title][own].clone() for title in titles}
        columns = {}
        for title in titles:
            v = calls[title].v.detach()
            # Values that all pictures share (learned ones) have no axis of theirs, and nothing is cut out of them.
            columns[title] = (v[own] if v.ndim == len(lead) + 2 and v.shape[0] == lead[0] else v).clone()
        return thin_of(traces[0], name, rows, columns, axes)

    return [tuple(of_picture(index, name) for name in names) for index in range(batch)]
