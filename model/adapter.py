"""A network as a function of its pixels: further inputs are filled in, and one of its outputs is picked."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.errors import VizError

Inputs = Mapping[str, Any] | Callable[[nn.Module, Tensor], Any]
Path = str | int | tuple[str | int, ...] | None
PIXELS = ("pixel_values", "pixels", "image", "images")  # usual names of the pixels if they are not the first parameter


class Called(nn.Module):
    """`net(pixels, **inputs)[output]`; its modules keep their names, behind "net.".

    inputs  further keyword inputs; a tensor of one picture (1, ...) is expanded to the size of the batch. Or a function that
            runs the network: (net, pixels) -> its output
    output  a key, an attribute or an index of its output, or several, one after the other; None: all
    flips   the network takes blue before red
    """

    def __init__(self, net: nn.Module, inputs: Inputs | None = None, output: Path = None, flips: bool = False) -> None:
        super().__init__()
        self.net, self.inputs, self.output, self.flips = net, inputs, output, flips
        self.pixels_go_to = _name_of_pixels(net)
        self.train(net.training)

    def forward(self, pixels: Tensor) -> Any:
        """Return the network's output, or the part that `output` names, for `pixels` (B, channel, h, w)."""
        pixels = pixels.flip(1) if self.flips else pixels
        if callable(self.inputs):
            return picked(self.inputs(self.net, pixels), self.output)
        further = {name: _for(pixels, value) for name, value in (self.inputs or {}).items()}
        if self.pixels_go_to:
            return picked(self.net(**{self.pixels_go_to: pixels}, **further), self.output)
        return picked(self.net(pixels, **further), self.output)


def called(net: nn.Module, inputs: Inputs | None = None, output: Path = None, flips: bool = False) -> nn.Module:
    """Return `net` itself if it is already a function of its pixels, else a `Called`. Raises `VizError` for other inputs."""
    if inputs is not None and not callable(inputs) and not isinstance(inputs, Mapping):
        raise VizError(
            "inputs= takes a dictionary of further inputs, or a function (net, pixels) -> output, but got {kind}.",
            'Such as inputs={{"input_ids": ids}}.',
            kind=type(inputs).__name__,
        )
    if inputs is None and output is None and not flips and not _name_of_pixels(net):
        return net
    return Called(net, inputs, output, flips)


def picked(output: Any, path: Path) -> Any:
    """Return the part of a network's output that `path` names. Raises `VizError`, with the existing names, if there is none."""
    for step in path if isinstance(path, tuple) else () if path is None else (path,):
        has: list[Any] = []
        if isinstance(output, Mapping):
            has = list(output)
        elif isinstance(output, (tuple, list)):
            has = list(range(len(output)))
        try:
            if isinstance(output, Tensor):
                raise KeyError
            output = output[step] if has and (step in has or isinstance(step, int)) else getattr(output, str(step))
        except (KeyError, IndexError, AttributeError):
            raise VizError(
                "The network gives no output {step}.",
                "It gives {kind} ({has}).",
                step=repr(step),
                kind=type(output).__name__,
                has=", ".join(map(str, has)),
            ) from None
    return output


def _for(pixels: Tensor, value: Any) -> Any:
    """Move a further input to the device of the pixels, and expand it to as many pictures."""
    if not isinstance(value, Tensor):
        return value
    value = value.to(pixels.device)
    return value.expand(len(pixels), *value.shape[1:]) if value.ndim and len(value) == 1 else value


def _name_of_pixels(net: nn.Module) -> str:
    """Name the parameter that takes the pixels; "" if it is the first one, or if no parameter has a usual name."""
    if torch.jit.is_scripting() or isinstance(net, torch.jit.ScriptModule):
        return ""
    try:
        names = list(inspect.signature(net.forward).parameters)
    except (TypeError, ValueError):
        return ""
    return next((name for name in PIXELS if name in names[1:]), "")
