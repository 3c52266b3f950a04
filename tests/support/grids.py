"""Grids of tokens in many families."""

import torch
from torch import nn

from support.networks import sharpen
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel


def unknown(net: nn.Module, size: tuple[int, int]) -> VisionModel:
    """A network of which nothing is known but its input size."""
    return VisionModel("net", sharpen(net), (), (), None, Preprocess(size), labels=("a",), readout="")


def seen(model: VisionModel, dtype: torch.dtype = torch.float64) -> AttentionTrace:
    model.net.to(dtype)
    return capture(model, torch.randn(1, 3, *model.preprocess.size, dtype=dtype))
