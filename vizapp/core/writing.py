"""What attention writes into the residual stream: values, output projection, layer scale, and what was there before.

Attention says where a token looks; what it takes from there is v_j W_O. Both are found in one pass, watched: after an
attention call, the linear map that reads exactly its joined heads is W_O, and the sum that the result goes into is the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from model.spec import VisionModel
from vizapp.core.blocks import blocks_of, entering
from vizapp.core.capture import dtype_of
from vizapp.core.memory import explained
from vizapp.core.survey import Shape, arrangements
from vizapp.core.trace import AttentionTrace
from vizapp.core.watch import Call, Watch
from vizapp.errors import VizError


@dataclass(frozen=True, eq=False)
class Written:
    """Of one layer: with its attention A (head, query, key), `stream` becomes stream + sum_h A_h vectors_h + bias.

    vectors  (head, key, D): v_j W_O of each head, times the layer scale if there is one
    bias     (D,)
    stream   (query, D): the residual stream before
    """

    vectors: Tensor
    bias: Tensor
    stream: Tensor


def written(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[Written, ...]:
    """What each layer of `trace` writes. One forward pass of `model` on `pixels` (1, 3, h, w).

    Raises `VizError` where something other than a linear map and a factor per feature stands between attention and stream.
    """
    follow, blocks = _Follow({layer.name for layer in trace.layers}), blocks_of(trace)
    watch = Watch(model.net, follow.saw)
    with explained(model, model.device), torch.no_grad(), entering(model.net, blocks) as entered, follow, watch:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    found = [follow.found[layer.name] for layer in trace.layers]
    for one, block in zip(found, blocks, strict=True):
        if one.stream is not None and not _same(one.stream, entered[block]):
            raise VizError(
                f"What {one.name} writes is not added to what enters its block (parallel branches?).",
                "Choose another method.",
            )
    ways = arrangements(model, pixels, [one.shape for one in found])
    return tuple(one.result(way.keys[0].argsort()) for one, way in zip(found, ways, strict=True))


def _same(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten())


class _Way:
    """From one attention call into the stream, as far as it is known."""

    def __init__(self, call: Call) -> None:
        self.name, self.shape = call.title, Shape.of(call)
        self.v, self.output = call.v[0].detach(), call.output.detach()
        self._given, self._version = call.output, call.output._version
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None
        self.scale: Tensor | float = 1.0
        self.at: Tensor | None = None  # what became of the projection's result so far
        self.stream: Tensor | None = None

    def is_read_by(self, given: Tensor) -> bool:
        """Is `given` this call's output, heads side by side?"""
        if self.output.ndim != 4 or given.numel() != self.output.numel() or given.shape[-1] != self._width:
            return False
        return torch.equal(self.output[0].transpose(0, 1).flatten(1), given.reshape(-1, self._width))

    @property
    def _width(self) -> int:
        return self.output.shape[1] * self.output.shape[3]

    def result(self, order: Tensor) -> Written:
        """`order` of the network's tokens in which they stand in their layout."""
        if self._given._version != self._version:
            raise VizError(f"The network changes in place what {self.name} gives.", "Choose another method.")
        if self.weight is None or self.stream is None:
            missing = "output projection" if self.weight is None else "sum with the residual stream"
            raise VizError(f"After the attention of {self.name} no {missing} was recognised.", "Choose another method.")
        wide = torch.promote_types(self.v.dtype, torch.float32)
        weight = self.weight.detach().to(wide).T.unflatten(0, (len(self.v), -1)) * self.scale  # (head, e, D)
        bias = weight.new_zeros(weight.shape[-1]) if self.bias is None else self.bias.detach().to(wide) * self.scale
        stream = self.stream.reshape(-1, weight.shape[-1]).to(wide)
        return Written((self.v.to(wide) @ weight)[:, order], bias, stream[order])


_RESHAPES = {
    "reshape",
    "view",
    "transpose",
    "permute",
    "contiguous",
    "squeeze",
    "unsqueeze",
    "flatten",
    "dropout",
    "clone",
}
_TIMES = {torch.mul, Tensor.mul, Tensor.mul_, Tensor.__mul__, Tensor.__rmul__, Tensor.__imul__}
_PLUS = {torch.add, Tensor.add, Tensor.add_, Tensor.__add__, Tensor.__radd__, Tensor.__iadd__}


class _Follow(TorchFunctionMode):
    """Follows the output of each attention call to the sum that takes it into the residual stream."""

    def __init__(self, wanted: set[str]) -> None:
        super().__init__()
        self.wanted, self.found = wanted, dict[str, _Way]()
        self._waiting: list[_Way] = []  # for their projection
        self._on_the_way: dict[int, _Way] = {}  # by the id of what became of them

    def saw(self, call: Call) -> None:
        if call.title in self.wanted:
            self.found[call.title] = _Way(call)
            self._waiting.append(self.found[call.title])

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = [*args, *(kwargs or {}).values()]
        index = next((i for i, one in enumerate(given[:2]) if id(one) in self._on_the_way), None)
        if index is None:
            result = func(*args, **(kwargs or {}))
            if func is F.linear:
                self._projected(given, result)
            return result
        way, other = self._on_the_way[id(given[index])], given[1 - index] if len(given) > 1 else None
        before = other.clone() if func in _PLUS and isinstance(other, Tensor) else None
        result = func(*args, **(kwargs or {}))
        if before is not None and before.numel() == result.numel():
            way.stream = before
            del self._on_the_way[id(way.at)]
        elif func in _TIMES and isinstance(other, (Tensor, int, float)):
            feature = other.flatten() if isinstance(other, Tensor) else other
            if not isinstance(feature, Tensor) or feature.numel() in {1, result.shape[-1]}:
                way.scale = feature * way.scale
                self._move(way, result)
        elif func.__name__ in _RESHAPES:
            self._move(way, result)
        return result

    def _projected(self, given: list[Any], result: Tensor) -> None:
        for way in self._waiting:
            if way.is_read_by(given[0]):
                way.weight, way.bias = given[1], given[2] if len(given) > 2 else None
                self._waiting.remove(way)
                self._move(way, result)
                return

    def _move(self, way: _Way, to: Tensor) -> None:
        if way.at is not None:
            self._on_the_way.pop(id(way.at), None)
        way.at = to
        self._on_the_way[id(to)] = way
