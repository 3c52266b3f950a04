"""Name what is explained: an output by its index, or any number that a function makes of the whole output.

A function is called with what the network gives for one picture, just as it gives it, so with a first axis of length 1:
`lambda output: output[0, 3]`, `lambda output: output.logits[0, 7].amax()`. It must give one number.
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from vizapp.core.capture.memory import is_out_of_memory
from vizapp.core.network import output_of, probabilities
from vizapp.errors import VizError
from vizapp.wording import Text

Target: TypeAlias = int | Callable[[Any], Any]


class Named(str):
    """The name of a function that is a target, which remembers the function; copied and stored as a plain string."""

    target: Callable[[Any], Any]

    def __new__(cls, target: Callable[[Any], Any]) -> "Named":
        made = super().__new__(cls, _named(target))
        made.target = target
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def name_of(target: Target) -> int | Named:
    """The index as it is, the function by its name."""
    return Named(target) if callable(target) else target


def _named(target: Any) -> str:
    named = getattr(target, "func", target)  # of functools.partial
    name = getattr(named, "name", None) or getattr(named, "__name__", None) or type(named).__name__
    return Text("a function of the output") if name == "<lambda>" else str(name)


def nothing_said(outputs: Sequence[int]) -> VizError:
    """The error for a network without labels that gives more than one row of outputs, where no target is named."""
    return VizError(
        "Nothing says which number of the output is explained: it has no labels, and for a picture the network gives {shape}.",
        "target= takes the index of an output, or a function of the output: lambda output: output[0, ...], one number. "
        "vizapp.describe(net, output=...) says which of its outputs is meant, and labels=... names classes.",
        shape=" x ".join(map(str, outputs)) or Text("a single number"),
    )


def unit_of(unit: str, target: Target) -> str:
    """The unit of a map, which speaks of a class, for this target."""
    if not callable(target):
        return unit
    words = {
        "class's probability": "target's score",
        "class\u2019s probability": "target's score",
        "probability of the class": "score of the target",
        "class's logit": "target's score",
        "the class": "the target",
    }
    for of_class, of_target in words.items():
        unit = unit.replace(of_class, of_target)
    return unit


def score_in(output: Any, target: Target) -> Tensor:
    """The number of one picture, (), in float32 or better, as the network's `output` (1, ...) has it; its graph is kept.

    Raises `VizError` where there is no such number.
    """
    if callable(target):
        found = _given_by(target, output)
        if found.numel() != 1 or found.is_complex() or not found.is_floating_point():
            raise VizError(
                "The target ({name}) gives {shape} for one picture, not one number.",
                "It is called with the network's output, whose first axis is the picture: target=lambda output: output[0, 3].",
                name=_named(target),
                shape=_described(found),
            )
        score = found.reshape(())
    else:
        logits = output_of(output)
        if logits.ndim != 2:
            raise VizError(
                "An output of {shape} has no class {target}.",
                "Give a function of it: target=lambda output: output[0, ...], one number.",
                shape=_described(logits),
                target=target,
            )
        score = logits[0, target]
    return score.to(torch.promote_types(score.dtype, torch.float32))


def _given_by(target: Callable[[Any], Any], output: Any) -> Tensor:
    """Call a function that is a target, and give its result as a tensor; raise in words where it fails."""
    try:
        found = target(output)
    except VizError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, AssertionError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and is_out_of_memory(error):
            raise
        raise VizError(
            "The target ({name}) fails on the network's output, {output}: {why}.",
            "It is called with the network's output for one picture: target=lambda output: output[0, 3].",
            name=_named(target),
            output=_described(output) if isinstance(output, Tensor) else type(output).__name__,
            why=str(error).strip().partition("\n")[0] or type(error).__name__,
        ) from error
    if isinstance(found, Tensor):
        return found
    if isinstance(found, Real) or hasattr(found, "__array__"):
        return torch.as_tensor(found)
    raise VizError(
        "The target ({name}) gives {kind}, and no number.",
        "It returns one number of the network's output: target=lambda output: output[0, 3].",
        name=_named(target),
        kind=type(found).__name__,
    )


def scores_of(net: nn.Module, pixels: Tensor, target: Target) -> Tensor:
    """(B,) of pixels (B, channel, h, w): the logit, or what a function gives, picture by picture."""
    if callable(target):  # one at a time: a function that looks at one picture cannot mix them
        return torch.stack([score_in(net(one), target).to(pixels.device) for one in pixels.split(1)])
    return output_of(net(pixels))[:, target]


@torch.no_grad()
def measured(net: nn.Module, pixels: Tensor, target: Target, activation: str = "") -> Tensor:
    """(B,) of pixels (B, channel, h, w): the class's probability; the score itself where there is none (see `VisionModel`)."""
    if callable(target):
        return scores_of(net, pixels, target)
    logits = output_of(net(pixels))
    return probabilities(logits.to(torch.promote_types(logits.dtype, torch.float32)), activation)[:, target]


def _described(found: Tensor) -> Text:
    kind = str(found.dtype).removeprefix("torch.")
    return Text("{shape} of {kind}", shape=" x ".join(map(str, found.shape)) or "1", kind=kind)
