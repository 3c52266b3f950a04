"""Vectors that attention writes into the residual stream: values, output projection, layer scale, and the stream before.

Attention says where a token looks; it takes v_j W_O from there. No network declares which of its linear maps is W_O, and names
differ (proj, out_proj, dense, to_out.0), so W_O is recognised by its input, in one watched pass: it is the linear map that gets
exactly the joined heads of an attention call. The sum that takes its result is the stream: its other part is the very tensor
that the attention was made from (`Lineage`), in any module.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.memory import explained
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.reading import reading
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of, kept
from vizapp.core.signals.blocks import blocks_of, entering, is_list
from vizapp.core.signals.lineage import Lineage
from vizapp.core.signals.onward import Norm, Onward, norms_behind
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


@dataclass(frozen=True, eq=False)
class ValueOutput:
    """The output of one layer: with its attention A (head, query, key), `stream` becomes stream + sum_h A_h vectors_h + bias.

    vectors  (head, key, D): v_j W_O of each head, times the layer scale if there is one
    bias     (D,)
    stream   (query, D): the residual stream before
    norm     of each token after this sum, if the stream continues with its output (post-norm); None in other networks
    """

    vectors: Tensor
    bias: Tensor
    stream: Tensor
    norm: Norm | None = None

    def to(self, device: torch.device) -> "ValueOutput":
        """Move all tensors to one device: a network may be spread over several."""
        vectors, bias, stream = (one.to(device) for one in (self.vectors, self.bias, self.stream))
        return ValueOutput(vectors, bias, stream, None if self.norm is None else self.norm.to(vectors))


def written(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[ValueOutput, ...]:
    """Find the output of each layer of `trace`. One forward pass of `model` on `pixels` (1, 3, h, w).

    Raises `VizError` if something other than a linear map and a factor per feature stands between attention and stream.
    """
    joined = next((layer for layer in trace.layers if layer.name in trace.joined), None)
    if joined is not None:
        raise VizError(
            "{name} computes its windows one after the other, so what it writes is not followed."
            if joined.is_windowed
            else "{name} computes its heads one after the other, so their outputs cannot be told apart.",
            "Choose a method that needs no values and no output projection.",
            name=joined.name,
        )
    follow, blocks = Follow({layer.name for layer in trace.layers}), list[str]()
    with suppress(VizError):  # no blocks that are modules: then what was made of what tells the stream
        blocks = blocks_of(model.net, trace)
    called = [name for name in blocks if not is_list(model.net, name)]
    watch = Watch(model.net, follow.saw)
    # Set behind the watch, which needs `follow` itself: who runs is asked during the pass only.
    follow.running = lambda: watch.running
    with explained(model, model.device), torch.no_grad(), entering(model.net, called) as entered, follow, watch:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    found = [follow.found[layer.name] for layer in trace.layers]
    # If two branches run side by side, the sum that was found may add them to each other and not to the stream.
    for one, block in zip(found, blocks or [""] * len(found), strict=True):
        if one.stream is None or one.is_stream:
            continue
        if block not in entered or not _same(one.stream, entered[block]):
            raise VizError(
                "The output of {name} is not added to the input of its block: it meets a parallel branch, or an adapter (LoRA) "
                "that is not merged.",
                "Merge adapters into the weights, or choose another method.",
                name=one.name,
            )
    norms = norms_behind([one.name for one in found], [one.behind for one in found], blocks)
    all_axes = reading(model, pixels, [one.shape for one in found]).axes
    return tuple(
        replace(one.result(axes), norm=norm).to(trace.device)
        for one, axes, norm in zip(found, all_axes, norms, strict=True)
    )


def _same(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten().to(one.device))


class Path:
    """The path of one attention call into the stream, as far as it has been followed.

    weight, bias  of the output projection; `scale` the factor of its result, a number or (D,)
    stream     the other part of the sum that takes it, before the sum; `is_stream`: the attention was made from that
    total      the output of that sum; `handed_on` the last of the later sums on it, before the next attention, None if there
               is none
    """

    def __init__(self, call: Call) -> None:
        self.name, self.shape = call.title, Shape.of(call)
        self.v, self.output = call.v.detach(), call.output.detach()
        # The tensor itself, for its version: it tells whether the network wrote into it later.
        self._given, self._version = call.output, call.output._version
        self.asked = [one for one in (call.q, call.k, call.v, call.matrix) if one is not None]
        self.head_axis: int | None = None  # of the axes before the last two
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None
        self.scale: Tensor | float = 1.0
        self.at: Tensor | None = None  # the projection's result, after the functions so far
        self.is_shuffled = False  # its rows belong to other tokens by now, for example after windows are put back
        self.stream: Tensor | None = None
        self.is_stream = False
        self.total: Tensor | None = None
        self.handed_on: Tensor | None = None
        self.at_number = -1  # of the stream after this call, in the pass's lineage
        self.behind: Onward | None = None  # what the stream continues with after that sum

    def is_read_by(self, given: Tensor) -> bool:
        """Tell whether `given` is this call's output with its heads side by side.

        By value and not by identity: between the two there is a transpose and a reshape, often a copy. Two calls of a working
        network never give equal outputs.
        """
        if given.numel() != self.output.numel():
            return False
        # Which axis is that of the heads is not known yet; the one whose values equal what the projection is given is it.
        for axis in range(self.output.ndim - 2):
            width = self.output.shape[axis] * self.output.shape[-1]
            if given.shape[-1] != width:
                continue
            # (..., head, ..., query, e) -> (..., query, head * e), the heads side by side as W_O reads them
            rows = self.output.movedim(axis, -2).reshape(-1, width)
            if torch.equal(rows.to(given.dtype), given.reshape(-1, width)):
                self.head_axis = axis
                return True
        return False

    def result(self, axes: AxisLayout) -> ValueOutput:
        """Return the output of this call, with its tokens in the order of the layouts of `axes`."""
        # Its numbers were copied before that write, and are no longer those that the network went on with.
        if self._given._version != self._version:
            raise VizError(
                "The network changes the output of {name} in place.", "Choose another method.", name=self.name
            )
        if self.weight is None or self.stream is None or self.head_axis is None or self.is_shuffled:
            raise VizError(
                "After the attention of {name} no output projection was recognised."
                if self.weight is None
                else "After the attention of {name} no sum with the residual stream was recognised.",
                "Choose another method.",
                name=self.name,
            )
        lead = self.output.shape[:-2]
        if lead.numel() != lead[self.head_axis]:
            raise VizError(
                "{name} attends in windows, so its output cannot be told apart by patches.",
                "Choose another method.",
                name=self.name,
            )
        # W_O reads the heads side by side, so its rows are split into as many pieces: sum_h (A_h v_h) W_h is the whole
        # product. The layer scale is a factor per output feature, after the bias, so it multiplies both.
        wide = torch.promote_types(self.v.dtype, torch.float32)
        # (head, key, e)
        v = self.v.expand(*lead, *self.v.shape[-2:]).reshape(lead.numel(), *self.v.shape[-2:]).to(wide)
        weight = self.weight.to(wide).T.unflatten(0, (len(v), -1)) * self.scale  # (head, e, D)
        bias = weight.new_zeros(weight.shape[-1]) if self.bias is None else self.bias.to(wide) * self.scale
        # (head, key, e) @ (head, e, D): v_j W_O of each head, (head, key, D)
        stream = self.stream.reshape(-1, weight.shape[-1]).to(wide)
        made, rows = v @ weight, axes.stream_tokens[0].argsort()
        # Of tokens that are no keys: nothing.
        vectors = made.new_zeros(len(made), axes.key_layout.n_tokens, made.shape[-1])
        vectors[:, axes.keys[0]] = made
        return ValueOutput(vectors, bias, stream[rows])


_LINEAR = ops.functions(ops.LINEAR)
_TIMES = ops.functions(ops.TIMES | ops.TIMES_IN_PLACE)
_PLUS = ops.functions(ops.PLUS | ops.PLUS_IN_PLACE)
_HARMLESS = ops.RESHAPES | ops.IDENTITY
_SHUFFLED = ops.SHUFFLES | ops.PICKS  # the rows belong to other tokens then


class Follow(TorchFunctionMode):
    """Follow the output of each attention call to the sum that takes it into the residual stream, and follow that sum.

    wanted  titles of the calls; `found` their paths
    """

    def __init__(self, wanted: set[str]) -> None:
        super().__init__()
        self.wanted, self.found = wanted, dict[str, Path]()
        self._waiting: list[Path] = []  # for their projection
        # By the id of the tensor that was made of them so far, which the path holds.
        self._followed: dict[int, Path] = {}
        self._lineage = Lineage()
        self._given: set[int] = set()  # by attention calls
        self._last: Path | None = None
        self.running: Callable[[], str] = str  # names the module that runs now, if it is known

    def saw(self, call: Call) -> None:
        """Begin to follow a call of the watched pass, if it is wanted; for `Watch`."""
        self._last = None  # later additions to the stream belong to another layer
        if call.title in self.wanted:
            self.found[call.title] = Path(call)
            self._waiting.append(self.found[call.title])
        # Both: they are two tensors where the output is our own view of what the network goes on with.
        self._given |= {self._lineage.number(call.result), self._lineage.number(call.output)}

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = [*args, *(kwargs or {}).values()]
        # Only the first two: the operands of a sum or a product, and the tensor that is reshaped.
        index = next((i for i, one in enumerate(given[:2]) if id(one) in self._followed), None)
        path = other = before = None
        if index is not None:
            path, other = self._followed[id(given[index])], given[1 - index] if len(given) > 1 else None
        # Cloned before the sum, which may be `x += attention` and write into the stream.
        if func in _PLUS and isinstance(other, Tensor):
            before, number = other.clone(), self._lineage.number(other)
        operands = [(self._lineage.number(one), one.numel()) for one in flat(given[:2]) if isinstance(one, Tensor)]
        result = self._lineage.ran(func, args, kwargs, lambda: func(*args, **(kwargs or {})))
        if path is None:
            if func in _LINEAR:
                self._projected(given, result)
            self._behind(func, args, kwargs or {}, operands, result)
        # A sum with something of its own size is the one with the residual stream. With anything smaller the path ends.
        elif before is not None and before.numel() == result.numel():
            self._behind(func, args, kwargs or {}, operands, result)  # of the layers before
            alpha = (kwargs or {}).get("alpha", 1)  # torch.add(a, b, alpha=): a + alpha b
            if index == 1:
                path.scale = alpha * path.scale
            else:
                before = alpha * before
            path.stream, path.total = before, result.detach().clone()
            path.is_stream = self._lineage.stems(number, path.asked, self._given)
            path.at_number = self._lineage.number(result)
            path.behind = Onward(path.at_number)
            self._last = path
            # What is made of the stream is no longer this call's alone; later sums are told by their numbers (`_behind`).
            del self._followed[id(path.at)]
        elif func in _TIMES and isinstance(other, (Tensor, int, float)):
            # A number, or layer scale. Anything larger (a gate per token) is no constant of the layer: the path ends here,
            # and `result` will say that no sum was recognised.
            feature = other.flatten() if isinstance(other, Tensor) else other
            if not isinstance(feature, Tensor) or feature.numel() in {1, result.shape[-1]}:
                path.scale = feature * path.scale
                self._move(path, result)
        elif isinstance(result, Tensor) and ops.name_of(func) in _HARMLESS | _SHUFFLED:
            path.is_shuffled |= ops.name_of(func) in _SHUFFLED
            self._move(path, result)
        return result

    def _projected(self, given: list[Any], result: Tensor) -> None:
        for path in self._waiting:
            if path.is_read_by(given[0]):
                path.weight, path.bias = kept(given[1]), kept(given[2] if len(given) > 2 else None)
                self._waiting.remove(path)
                self._move(path, result)
                return

    def _move(self, path: Path, to: Tensor) -> None:
        if path.at is not None:
            self._followed.pop(id(path.at), None)
        path.at = to
        self._followed[id(to)] = path

    def _behind(
        self,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        operands: list[tuple[int, int]],
        result: Any,
    ) -> None:
        """Follow the sums that were found."""
        name, running, number = ops.name_of(func), self.running(), self._lineage.number
        is_sum = func in _PLUS and len(operands) == 2 and isinstance(result, Tensor)
        for path in self.found.values():
            if path.total is None or path.behind is None:
                continue
            path.behind.saw(name, args, kwargs, operands, result, number, running)
            is_next = self._last is path and is_sum and result.numel() == path.total.numel()
            if is_next and path.at_number in (one for one, _ in operands):
                path.handed_on, path.at_number = result.detach().clone(), number(result)
