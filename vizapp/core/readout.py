"""What a classifier reads, for a network that nobody described: its gradient at the last attention tells."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from model.spec import VisionModel
from vizapp.core.capture import dtype_of, output_of
from vizapp.core.gradients import Calls, differentiated
from vizapp.core.survey import Shape, arrangements
from vizapp.core.trace import AttentionTrace
from vizapp.core.watch import Watch
from vizapp.errors import VizError

SEEN = 1e-5  # of the largest gradient: a token with less is not read
MOST = 0.9  # of the patches: then it is their mean that is read

_known: WeakKeyDictionary[nn.Module, dict[tuple[object, ...], str]] = WeakKeyDictionary()


def readout_of(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> str:
    """The readout of `trace` as it is measured: "cls", "cls+dist", "mean" ...; "" where the gradient does not tell.

    After the last attention a transformer works on each token alone. So the output depends only on those rows of that attention
    that belong to tokens which the classifier reads. One forward and one backward pass on `pixels` (1, 3, h, w), kept per
    network and layout.
    """
    known, key = _known.setdefault(model.net, {}), (trace.layout, trace.layers[-1].name)
    if key not in known:
        try:
            known[key] = _measured(model, pixels, trace)
        except VizError:
            known[key] = ""
    return known[key]


def _measured(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> str:
    title, layout = trace.layers[-1].name, trace.layout
    calls = Calls([title])
    with differentiated(model):
        with torch.enable_grad(), Watch(model.net, calls.saw):
            output = output_of(model.net(pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)))
        if output.ndim != 2 or not output.requires_grad or title not in calls:
            return ""
        mixed = (output * torch.linspace(1, 2, output.shape[-1]).to(output)).sum()
        given = calls.gradients(model, mixed)[title]
    (way,) = arrangements(model, pixels, [Shape.of(calls[title])])
    tokens = way.queries.flatten().cpu()
    each = way.fold(given).float().norm(dim=(1, 3)).flatten().cpu()  # (window * query,)
    strength = torch.zeros(layout.n_tokens).index_add(0, tokens[tokens >= 0], each[tokens >= 0])
    read = strength > SEEN * strength.max()
    if read[layout.n_prefix :].float().mean() >= MOST:
        return "mean"
    names = [name for name, one in zip(layout.prefix, read.tolist(), strict=False) if one]
    return "+".join(names) if names and not bool(read[layout.n_prefix :].any()) else ""
