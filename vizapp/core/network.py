"""What every pass over a network asks of it: where to watch, which type it takes, and what its output says."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from vizapp.model.spec import VisionModel


def watched_modules(model: VisionModel) -> tuple[str, ...]:
    """Where to look for attention: the modules that `model` names; (), which is everywhere, if it names none."""
    return (*model.attention, *([model.pool] if model.pool else [])) if model.attention else ()


def dtype_of(net: nn.Module) -> torch.dtype:
    """The type that a network's pixels are brought to: that of its first weights that are numbers; float32 without any."""
    return next((p.dtype for p in net.parameters() if p.is_floating_point()), torch.float32)


def probabilities(logits: Tensor, activation: str = "") -> Tensor:
    """(..., class) by `activation` (see `VisionModel`): "" is softmax, and of one output, which says yes or no, the sigmoid.

    What has no probabilities ("none") stays as it is.
    """
    if activation == "none":
        return logits
    softmax = activation == "softmax" or (not activation and logits.shape[-1] > 1)
    return logits.softmax(-1) if softmax else logits.sigmoid()


def output_of(output: Any) -> Tensor:
    """The logits or features: the first tensor of what a network returns."""
    while not isinstance(output, Tensor):
        values = list(output.values()) if isinstance(output, dict) else list(output)
        output = next(value for value in values if value is not None)
    return output
