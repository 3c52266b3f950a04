"""Vectors that attention writes into the residual stream: values, output projection, layer scale, and what was there before.

Attention says where a token looks; what it takes from there is v_j W_O. No network says which of its linear maps is W_O, and
names differ (proj, out_proj, dense, to_out.0), so it is recognised by what it does, in one watched pass: after an attention
call, the linear map that is given exactly its joined heads is W_O, and the sum that its result goes into is the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.memory import explained
from vizapp.core.capture.probe import Shape, reading
from vizapp.core.capture.watch import Call, Watch
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, entering
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


@dataclass(frozen=True, eq=False)
class ValueOutput:
    """What one layer writes: with its attention A (head, query, key), `stream` becomes stream + sum_h A_h vectors_h + bias.

    vectors  (head, key, D): v_j W_O of each head, times the layer scale if there is one
    bias     (D,)
    stream   (query, D): the residual stream before
    """

    vectors: Tensor
    bias: Tensor
    stream: Tensor

    def to(self, device: torch.device) -> ValueOutput:
        """The same on one device: a network may be spread over several."""
        return ValueOutput(self.vectors.to(device), self.bias.to(device), self.stream.to(device))


def written(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[ValueOutput, ...]:
    """Find what each layer of `trace` writes. One forward pass of `model` on `pixels` (1, 3, h, w).

    Raises `VizError` where something other than a linear map and a factor per feature stands between attention and stream.
    """
    for name in (layer.name for layer in trace.layers if layer.name in trace.joined):
        raise VizError(
            "{name} computes its heads one after the other, and what each of them writes is not told apart.",
            "Choose a method that needs no values and no output projection.",
            name=name,
        )
    follow, blocks = Follow({layer.name for layer in trace.layers}), blocks_of(model.net, trace)
    watch = Watch(model.net, follow.saw)
    with explained(model, model.device), torch.no_grad(), entering(model.net, blocks) as entered, follow, watch:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    found = [follow.found[layer.name] for layer in trace.layers]
    # Where two branches run side by side, the sum that was found may add them to each other and not to the stream.
    for one, block in zip(found, blocks, strict=True):
        if one.stream is not None and not _same(one.stream, entered[block]):
            raise VizError(
                "What {name} writes is not added to what enters its block (parallel branches?).",
                "Choose another method.",
                name=one.name,
            )
    all_axes = reading(model, pixels, [one.shape for one in found]).axes
    return tuple(one.result(axes.keys[0].argsort()).to(trace.device) for one, axes in zip(found, all_axes, strict=True))


def _same(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten().to(one.device))


class Path:
    """The path of one attention call into the stream, as far as it has been followed."""

    def __init__(self, call: Call) -> None:
        self.name, self.shape = call.title, Shape.of(call)
        # Of one picture: v (head, key, e), output (1, head, query, e).
        self.v, self.output = call.v[0].detach(), call.output.detach()
        # The tensor itself, for its version: it tells whether the network wrote into it later.
        self._given, self._version = call.output, call.output._version
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None
        self.scale: Tensor | float = 1.0
        self.at: Tensor | None = None  # what became of the projection's result so far
        self.stream: Tensor | None = None

    def is_read_by(self, given: Tensor) -> bool:
        """Tell whether `given` is this call's output with its heads side by side.

        By value and not by identity: between the two there is a transpose and a reshape, often a copy. That two calls give
        equal outputs does not happen in a network that does anything.
        """
        if self.output.ndim != 4 or given.numel() != self.output.numel() or given.shape[-1] != self._width:
            return False
        # (head, query, e) -> (query, head * e), the heads side by side as W_O reads them
        return torch.equal(self.output[0].transpose(0, 1).flatten(1), given.reshape(-1, self._width))

    @property
    def _width(self) -> int:
        return self.output.shape[1] * self.output.shape[3]

    def result(self, order: Tensor) -> ValueOutput:
        """What this call writes, its tokens put in `order`: that of their layout."""
        if self._given._version != self._version:
            raise VizError("The network changes in place what {name} gives.", "Choose another method.", name=self.name)
        if self.weight is None or self.stream is None:
            raise VizError(
                "After the attention of {name} no output projection was recognised."
                if self.weight is None
                else "After the attention of {name} no sum with the residual stream was recognised.",
                "Choose another method.",
                name=self.name,
            )
        # W_O reads the heads side by side, so its rows are split into as many pieces: sum_h (A_h v_h) W_h is the whole
        # product. The layer scale is a factor per output feature, after the bias, so it multiplies both.
        wide = torch.promote_types(self.v.dtype, torch.float32)
        weight = self.weight.detach().to(wide).T.unflatten(0, (len(self.v), -1)) * self.scale  # (head, e, D)
        bias = weight.new_zeros(weight.shape[-1]) if self.bias is None else self.bias.detach().to(wide) * self.scale
        # (head, key, e) @ (head, e, D): v_j W_O of each head, (head, key, D)
        stream = self.stream.reshape(-1, weight.shape[-1]).to(wide)
        return ValueOutput((self.v.to(wide) @ weight)[:, order], bias, stream[order])


_LINEAR = ops.functions(ops.LINEAR)
_TIMES = ops.functions(ops.TIMES | ops.TIMES_IN_PLACE)
_PLUS = ops.functions(ops.PLUS | ops.PLUS_IN_PLACE)
_HARMLESS = ops.RESHAPES | ops.IDENTITY  # SHUFFLES are not: the rows of the stream would belong to other tokens


class Follow(TorchFunctionMode):
    """Follow the output of each attention call to the sum that takes it into the residual stream.

    wanted  titles of the calls; `found` their paths
    """

    def __init__(self, wanted: set[str]) -> None:
        super().__init__()
        self.wanted, self.found = wanted, dict[str, Path]()
        self._waiting: list[Path] = []  # for their projection
        self._followed: dict[int, Path] = {}  # by the id of what became of them so far, which the path holds

    def saw(self, call: Call) -> None:
        """Begin to follow a call of the watched pass, if it is wanted; for `Watch`."""
        if call.title in self.wanted:
            self.found[call.title] = Path(call)
            self._waiting.append(self.found[call.title])

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = [*args, *(kwargs or {}).values()]
        # Only the first two: the operands of a sum or a product, and the tensor that is reshaped.
        index = next((i for i, one in enumerate(given[:2]) if id(one) in self._followed), None)
        if index is None:
            result = func(*args, **(kwargs or {}))
            if func in _LINEAR:
                self._projected(given, result)
            return result
        path, other = self._followed[id(given[index])], given[1 - index] if len(given) > 1 else None
        # Cloned before the sum, which may be `x += attention` and write into the stream.
        before = other.clone() if func in _PLUS and isinstance(other, Tensor) else None
        result = func(*args, **(kwargs or {}))
        # A sum with something of its own size is the one with the residual stream. With anything smaller the path ends.
        if before is not None and before.numel() == result.numel():
            path.stream = before
            del self._followed[id(path.at)]
        elif func in _TIMES and isinstance(other, (Tensor, int, float)):
            # A number, or layer scale. Anything larger (a gate per token) is no constant of the layer: the path ends here,
            # and `result` will say that no sum was recognised.
            feature = other.flatten() if isinstance(other, Tensor) else other
            if not isinstance(feature, Tensor) or feature.numel() in {1, result.shape[-1]}:
                path.scale = feature * path.scale
                self._move(path, result)
        elif ops.name_of(func) in _HARMLESS:
            self._move(path, result)
        return result

    def _projected(self, given: list[Any], result: Tensor) -> None:
        for path in self._waiting:
            if path.is_read_by(given[0]):
                path.weight, path.bias = given[1], given[2] if len(given) > 2 else None
                self._waiting.remove(path)
                self._move(path, result)
                return

    def _move(self, path: Path, to: Tensor) -> None:
        if path.at is not None:
            self._followed.pop(id(path.at), None)
        path.at = to
        self._followed[id(to)] = path
