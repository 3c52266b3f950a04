"""One forward pass -> `AttentionTrace`: every attention of a network, copied, arranged, and put on the picture's patches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from model.spec import TokenLayout, VisionModel
from vizapp.core.arrange import WHY_NOT, Arrangement
from vizapp.core.chain import why_no_chain
from vizapp.core.layers import DenseAttention, FactoredAttention, LayerAttention
from vizapp.core.memory import explained, require
from vizapp.core.survey import Shape, arrangements
from vizapp.core.trace import AttentionTrace
from vizapp.core.watch import Call, Watch
from vizapp.core.windows import WindowedAttention
from vizapp.errors import VizError


@dataclass(frozen=True, eq=False)
class Kept:
    """What is copied of a `Call`; q is multiplied by the scale, in float32 or better. `lead` are the axes before the last two."""

    title: str
    lead: torch.Size
    q: Tensor | None
    k: Tensor | None
    bias: Tensor | None
    matrix: Tensor | None
    lse: Tensor | None = None

    @classmethod
    def of(cls, call: Call) -> Kept:
        # q and k are views of one (3, ...) buffer in most networks: a copy lets the rest of that buffer go. The scale is
        # applied in float32, as a half precision network would round it.
        q = k = None
        if call.q is not None and call.k is not None:
            q = call.q.detach().to(torch.promote_types(call.q.dtype, torch.float32)) * call.scale
            k = call.k.detach().clone(memory_format=torch.contiguous_format)
        bias = None if call.bias is None else call.bias.detach().clone()
        matrix = None if call.matrix is None else call.matrix.detach().clone()
        lse = None if call.lse is None else call.lse.detach()
        return cls(call.title, call.output.shape[:-2], q, k, bias, matrix, lse)

    @property
    def shape(self) -> Shape:
        if self.matrix is not None:
            return Shape(self.title, self.lead, self.matrix.shape[-2], self.matrix.shape[-1])
        assert self.q is not None
        assert self.k is not None
        return Shape(self.title, self.lead, self.q.shape[-2], self.k.shape[-2])

    def picture(self, index: int, batch: int) -> Kept:
        """What belongs to one picture of a batch, which is the slowest part of the first axis."""
        if batch == 1:
            return self
        size = self.lead[0] // batch

        def part(tensor: Tensor | None) -> Tensor | None:
            whole = tensor is not None and tensor.ndim == len(self.lead) + 2 and tensor.shape[0] == self.lead[0]
            return tensor[index * size : (index + 1) * size].clone() if whole and tensor is not None else tensor

        lead = torch.Size((size, *self.lead[1:]))
        lse = None if self.lse is None else self.lse[index * size : (index + 1) * size].clone()
        return Kept(self.title, lead, part(self.q), part(self.k), part(self.bias), part(self.matrix), lse)


def capture(model: VisionModel, pixels: Tensor) -> AttentionTrace:
    """Run `model` once on `pixels` (1, 3, h, w) and keep the attention of every layer and head.

    The network's output, mode, hooks, flags and gradients are as they were. Raises `VizError` where a network shows no
    attention between patches, or where memory does not suffice.
    """
    return capture_batch(model, pixels)[0]


def capture_batch(model: VisionModel, pixels: Tensor) -> list[AttentionTrace]:
    """The same for `pixels` (B, 3, h, w) in one pass: a trace for each picture."""
    kept: list[Kept] = []
    known = (*model.attention, *([model.pool] if model.pool else [])) if model.attention else ()

    net = model.net
    require(model, pixels, len(pixels))
    pixels = pixels.to(model.device, dtype_of(net))
    watch = Watch(net, lambda call: kept.append(Kept.of(call)), only=known)
    with explained(model, model.device), torch.no_grad(), watch:
        output = output_of(net(pixels))
    if bool(output.isnan().any()) or (model.labels and not bool(output.isfinite().all())):
        raise VizError(f"{model.name} gives values that are no numbers (NaN or infinity).", "Run it in float32.")
    if not kept:
        where = f" Softmaxes ran in: {', '.join(dict.fromkeys(watch.unclaimed))}." if watch.unclaimed else ""
        raise VizError(
            f"{model.name} shows no attention: no softmax that weighs values was seen in a whole forward pass.{where}",
            "Choose a transformer. A traced, scripted or exported program hides what it does: give what it was made from.",
        )
    with explained(model, model.device):
        ways = arrangements(model, pixels, [one.shape for one in kept])
        return [
            _trace(model, [one.picture(index, len(pixels)) for one in kept], ways, output[index])
            for index in range(len(pixels))
        ]


def dtype_of(net: nn.Module) -> torch.dtype:
    return next((p.dtype for p in net.parameters() if p.is_floating_point()), torch.float32)


def probabilities(logits: Tensor) -> Tensor:
    """(..., class): softmax; of a network with one output, which only says yes or no, the sigmoid."""
    return logits.softmax(-1) if logits.shape[-1] > 1 else logits.sigmoid()


def output_of(output: Any) -> Tensor:
    """The logits or features: the first tensor of whatever a network returns."""
    while not isinstance(output, Tensor):
        values = list(output.values()) if isinstance(output, dict) else list(output)
        output = next(value for value in values if value is not None)
    return output


# ------------------------------------------------------------------------------------------------------ the trace


def _trace(
    model: VisionModel, kept: Sequence[Kept], arrangements: Sequence[Arrangement], output: Tensor
) -> AttentionTrace:
    layers: list[LayerAttention] = []
    ways: list[Arrangement] = []
    pool: LayerAttention | None = None
    aside: dict[str, str] = {}
    for one, way in zip(kept, arrangements, strict=True):
        if way.kind == "tokens":
            layers.append(layer_of(one, way))
            ways.append(way)
        elif way.kind == "pool":
            pool = layer_of(one, way)
        else:
            aside[one.title] = WHY_NOT[way.kind]
    if not layers:
        why = f" ({next(iter(aside.values()))})" if aside else ""
        raise VizError(
            f"{model.name} has attention, but none between patches of the picture{why}.", "Choose another model."
        )
    return AttentionTrace(
        layers=tuple(layers),
        layout=ways[-1].layout,
        logits=output.float() if model.labels else None,
        readout=_readout(model, ways[-1].layout, pool),
        pool=pool,
        no_chain=_no_chain(layers, ways),
        aside=aside,
    )


def _readout(model: VisionModel, layout: TokenLayout, pool: LayerAttention | None) -> str:
    """What the classifier reads, where the model says it; else CLS if there is one, else the pooling, else the mean."""
    if model.readout:
        return model.readout
    if "cls" in layout.prefix:
        return "cls"
    return "pool" if pool is not None and pool.key_layout and pool.key_layout.grid == layout.grid else "mean"


def layer_of(one: Kept, way: Arrangement) -> LayerAttention:
    def folded(tensor: Tensor) -> Tensor:
        whole = tensor.expand(*one.lead, *tensor.shape[-2:]) if tensor.shape[:-2] != one.lead else tensor
        return way.fold(whole).flatten(0, 1)  # (window * head, a, b)

    parts: FactoredAttention | DenseAttention
    if one.matrix is not None:
        parts = DenseAttention(one.title, folded(one.matrix))
    else:
        assert one.q is not None
        assert one.k is not None
        bias = one.bias
        if bias is not None:
            same_in_all = bias.ndim <= 2 or all(length == 1 for length in bias.shape[:-2])
            bias = bias.reshape(1, *bias.shape[-2:]) if same_in_all and bias.ndim >= 2 else folded(bias)
        lse = None if one.lse is None else way.fold(one.lse[..., None]).flatten(0, 1)[..., 0]
        parts = FactoredAttention(one.title, folded(one.q), folded(one.k), bias, lse=lse)
    if way.is_whole:
        return _whole(parts, way)
    tokens = way.queries.to(parts.device), way.keys.to(parts.device)
    return WindowedAttention(one.title, parts, *tokens, way.layout, way.key_layout)


def _whole(parts: FactoredAttention | DenseAttention, way: Arrangement) -> LayerAttention:
    """Attention without windows, its tokens in the order of the layout."""
    layout = None if way.kind == "pool" else way.layout
    if way.order is None:
        parts.layout, parts.key_layout = layout, way.key_layout
        return parts
    rows, columns = way.order
    if isinstance(parts, DenseAttention):
        return DenseAttention(parts.name, parts.matrix[:, rows][:, :, columns], layout, way.key_layout)
    bias = parts.bias
    if bias is not None:
        bias = bias.expand(-1, parts.n_queries, parts.n_keys)[:, rows][:, :, columns]
    lse = None if parts.lse is None else parts.lse[:, rows]
    return FactoredAttention(parts.name, parts.q[:, rows], parts.k[:, columns], bias, layout, way.key_layout, lse)


def _no_chain(layers: Sequence[LayerAttention], ways: Sequence[Arrangement]) -> str:
    """Why attention cannot be followed from layer to layer, in words; "" where it can."""
    for layer, way, below, way_below in zip(layers[1:], ways[1:], layers, ways, strict=False):
        if way.built_on is not None and not way.built_on >> way_below.number & 1:
            return f"{below.name} and {layer.name} look at the picture side by side, not one after the other"
    for layer in layers:
        matrix = getattr(layer, "matrix", None)
        if matrix is not None and bool((matrix < -1e-6).any()):
            return f"{layer.name} gives negative weights, which are no shares of anything"
    return why_no_chain([(way.layout, way.key_layout) for way in ways])
