"""Tell heads from copies. Two heads look with other features; two frames of a video, or slices of a volume, with the same.

A network for videos puts its frames where others put pictures or heads: (frame, head, token, feature). Their tokens stand in the
same places of the picture, as those of heads do. What tells them apart is where their features come from: a head has its own
columns of the projection, while each frame has all of them. So the number of the feature is sent along with each value, in one
more pass, and only through networks with an axis that could be either.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from vizapp.core import ops
from vizapp.core.capture.call import Call
from vizapp.core.capture.einsum_labels import einsum_labels
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.patches.function_call import FunctionCall
from vizapp.core.capture.patches.planes import Planes
from vizapp.core.capture.watch import Watch
from vizapp.model.spec import VisionModel


def could_be_copies(axes: AxisLayout, lead: torch.Size) -> bool:
    """Tell whether what was taken for heads may be frames, since it is not simply the second axis of (picture, head, ...)."""
    if axes.kind not in {"tokens", "pool"}:
        return False
    long = [axis for axis in axes.heads if lead[axis] > 1]
    return axes.folded[0] > 1 or bool(long and long != [1])


def copied(model: VisionModel, pixels: Tensor, suspects: Mapping[str, AxisLayout]) -> set[str]:
    """Find the titles of calls whose heads are copies: two of them look with the same features, from the same places.

    suspects  by title, calls that `could_be_copies`, as their axes were read. One forward pass of `model` on `pixels`
              (1, 3, h, w), if there are any
    """
    found: set[str] = set()
    if not suspects:
        return found
    numbers = FeatureNumbers(pixels)

    def saw(call: Call) -> None:
        if call.title in suspects and numbers.are_copies(call, suspects[call.title]):
            found.add(call.title)

    with torch.no_grad(), Watch(model.net, saw, numbers):
        model.net(pixels)
    return found


class FeatureNumbers(TokenCoordinates):
    """Follows the number of the feature that a value is of, in place of y; x is 0.

    A projection gives each value the number of its row of weights; what moves values moves the numbers likewise.
    """

    def __init__(self, pixels: Tensor) -> None:
        super().__init__(pixels)
        # A pixel is of no feature yet: the first projection gives the numbers.
        zeros = torch.zeros(pixels.shape, device=pixels.device)
        self._known[pixels] = (zeros, zeros, torch.ones_like(zeros))

    def along(self, tensor: Tensor, features: int) -> Tensor | None:
        """(..., token, feature) the numbers of a tensor whose axis `features` is -1 or -2; None if nothing is known."""
        planes = self.planes(tensor)
        return None if planes is None else planes[0].movedim(features, -1)

    @staticmethod
    def are_copies(call: Call, axes: AxisLayout) -> bool:
        """Tell whether two heads of one window have the same numbers; False where the numbers are not known."""
        lead = call.output.shape[:-2]
        known = [part for part in (call.query_places, call.key_places) if part is not None]
        # Within one window: windows share their features, too (SAM, Twins-SVT), and are no copies of each other.
        heads = [axes.fold(part.expand(*lead, *part.shape[-2:]))[0].flatten(1) for part in known]
        return bool(heads) and len(torch.cat(heads, 1).unique(dim=0)) < axes.n_heads(lead)

    def _moved(self, ran: FunctionCall, made: Tensor, sources: list[Any]) -> list[Planes | None]:
        name, args = ran.name, ran.args
        if name in ops.LINEAR:
            return [_numbered(made, -1)]
        if name in ops.CONVOLUTIONS:
            # The axis of channels, counted from the end: a batch may be missing at the front.
            return [_numbered(made, 1 - self._weight(ran).ndim)]
        if name in ops.MATMUL and len(sources) == 1:  # weights that are multiplied by hand
            return [_numbered(made, -1)]
        if name in ops.EINSUM and (axes := _own_axes(args, sources)):
            return [_numbered(made, *axes)]
        return super()._moved(ran, made, sources)

    @staticmethod
    def _weight(ran: FunctionCall) -> Tensor:
        weight: Tensor = ran.kwargs["weight"] if "weight" in ran.kwargs else ran.args[1]
        return weight


def _numbered(made: Tensor, *axes: int) -> Planes:
    """Numbers along one axis of a tensor, or along several, each pair of entries with one of its own."""
    numbers = torch.zeros(made.shape, device=made.device)
    for axis in axes:
        line = torch.arange(made.shape[axis], device=made.device, dtype=torch.float32)
        shape = [1] * made.ndim
        shape[axis] = -1
        # Of several axes like the digits of a number, so that no two pairs have the same.
        numbers = numbers * made.shape[axis] + line.reshape(shape)
    return numbers, torch.zeros_like(numbers), torch.ones_like(numbers)


def _own_axes(args: tuple[Any, ...], sources: list[Any]) -> list[int]:
    """Find the axes of an einsum's result that only its weights have, and not its values."""
    spelt = einsum_labels(args)
    if spelt is None or len(sources) > 1:
        return []
    inputs, out, operands = spelt
    values = next(labels for labels, operand in zip(inputs, operands, strict=True) if operand is sources[0])
    return [axis for axis, label in enumerate(out) if label not in values]
