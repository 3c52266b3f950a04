"""Answer what every pass asks of a network: where to watch, which type it takes, and what its output says."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.core.state import state_of
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text


class SeenEnough(Exception):
    """Ends a pass that has given what was wanted of it: the rest of the network need not run."""


def sum_to_differentiate(values: Tensor) -> Tensor:
    """Sum numbers with weights that rise from 1 to 2, so that the sum's slope shows everything that they depend on.

    In a plain sum, what a norm or centred logits give would cancel.
    """
    return (values * torch.linspace(1, 2, values.numel()).to(values).reshape(values.shape)).sum()


def watched_modules(model: VisionModel) -> tuple[str, ...]:
    """List the modules in which to look for attention: those that `model` names, or (), everywhere, if it names none."""
    return (*model.attention, *([model.pool] if model.pool else [])) if model.attention else ()


def dtype_of(net: nn.Module) -> torch.dtype:
    """The type that a network's pixels are brought to: that of its first weights that are numbers; float32 without any."""
    return next((p.dtype for p in net.parameters() if p.is_floating_point()), torch.float32)


def kept(weight: Tensor | None) -> Tensor | None:
    """Keep a weight, as a function of the pass was given it, beyond the pass; None if there is none."""
    return None if weight is None else weight.detach().clone()


def refuse_sharded(model: VisionModel) -> None:
    """Raise `VizError` if PyTorch's FSDP has cut the weights of the network, or of its parts, into pieces."""
    if state_of(model.net).sharded:
        raise VizError(
            "{name} is sharded (FSDP): its weights are put together layer by layer as it runs, and vizapp would reach into it.",
            "Give the network as it was before it was sharded.",
            name=model.name,
        )


def probabilities(logits: Tensor, activation: str = "") -> Tensor:
    """(..., class) by `activation` (see `VisionModel`): "" is softmax, and of one output, which says yes or no, the sigmoid.

    Outputs that are no probabilities ("none") stay as they are.
    """
    if activation == "none":
        return logits
    softmax = activation == "softmax" or (not activation and logits.shape[-1] > 1)
    return logits.softmax(-1) if softmax else logits.sigmoid()


def output_of(output: Any) -> Tensor:
    """The logits or features: the first tensor of numbers with an axis for pictures, in whatever a network returns.

    A single number, such as a loss, belongs to no picture. Raises `VizError` where there is no such tensor.
    """
    found = [output] if isinstance(output, Tensor) else tensors_in(output)
    several = [one for one in found if one.ndim]
    best = next((one for one in several if one.is_floating_point()), several[0] if several else None)
    if best is None:
        raise VizError(
            "The network returns {what}, and no part of it is a tensor with an axis for pictures.",
            "Say which of its outputs is meant, output=; or wrap it in an nn.Module that gives a tensor, pictures first.",
            what=Text("a single number") if found else type(output).__name__,
        )
    return best


def tensors_in(output: Any, inside: tuple[int, ...] = ()) -> list[Tensor]:
    """Every tensor in nested dicts, tuples, lists and objects with fields, in their order; `inside` of which, by id."""
    if isinstance(output, Tensor):
        return [output]
    if isinstance(output, Mapping):
        parts = list(output.values())
    elif isinstance(output, (tuple, list)):
        parts = list(output)
    elif is_dataclass(output) or isinstance(output, SimpleNamespace):
        parts = list(vars(output).values())
    else:
        return []  # a string, a number: none of them is what was computed
    if id(output) in inside:
        return []
    return [one for part in parts for one in tensors_in(part, (*inside, id(output)))]
