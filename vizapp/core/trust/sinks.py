"""Sinks: patches of outlying norm that swallow attention without having to do with what they show.

Darcet et al. 2024, Vision Transformers Need Registers (arXiv 2309.16588): in large or long trained networks a few patches,
mostly of background, get norms far above all others, and attention goes to them wherever the object is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.memory import explained
from vizapp.core.capture.probe import orders_of
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, leaving
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

FAR = 5.0  # robust standard deviations above the median: an outlying norm
LONG = 2.0  # and so many medians: on an even background the deviations are tiny, and any object lies out
MUCH = 5.0  # times what each token would get if all got alike
GRIDS = Text("The layers of this network have grids of their own, where no patch stays the same.")


@dataclass(frozen=True)
class Sink:
    """A patch that is a sink in at least one layer.

    row, col  from 0
    layers    in which its norm lies far out and it takes much attention, from 0
    norm      the largest there, in medians of all patches
    share     the largest part of all attention of a layer that goes to it, 0 to 1
    """

    row: int
    col: int
    layers: tuple[int, ...]
    norm: float
    share: float


def sinks(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[Sink, ...]:
    """Find the sinks of one picture, the greediest first. One forward pass of `model` on `pixels` (1, 3, h, w).

    In each layer: patches that leave its block with a norm of more than LONG medians, and more than FAR robust standard
    deviations (1.4826 median absolute deviations) above the median, and that get more than MUCH times the mean of its
    attention, over all heads and queries.
    Raises `VizError` where layers have grids of their own.
    """
    layout = trace.layout
    _refuse_grids(trace)
    blocks = blocks_of(model.net, trace)
    with explained(model, model.device), torch.no_grad(), leaving(model.net, blocks) as left:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    found: dict[int, list[tuple[int, float, float]]] = {}
    every = torch.full((layout.n_tokens,), 1 / layout.n_tokens, device=trace.device, dtype=trace.dtype)
    for index, (own, layer) in enumerate(zip(norms(model, pixels, trace, blocks, left), trace.layers, strict=True)):
        shares = layer.push(every)[layout.n_prefix :].float()
        for patch in is_sink(own, shares, layout.n_tokens).nonzero()[:, 0].tolist():
            found.setdefault(patch, []).append((index, float(own[patch] / _median(own)), float(shares[patch])))
    result = []
    for patch, rows in found.items():
        layers, lengths, parts = zip(*rows, strict=True)
        result.append(Sink(*divmod(patch, layout.grid[1]), layers, max(lengths), max(parts)))
    return tuple(sorted(result, key=lambda sink: -sink.share))


def is_sink(norms: Tensor, shares: Tensor, n_tokens: int) -> Tensor:
    """(..., patch) bool: an outlying norm that takes more than MUCH times what each of `n_tokens` would get alike.

    norms   (..., patch) of what leaves a layer's block; `shares` (..., patch) of all attention of the layer
    """
    median = _median(norms)
    spread = 1.4826 * _median((norms - median).abs())
    outlying = norms > torch.maximum(LONG * median, median + FAR * spread)
    return outlying & (shares > MUCH / n_tokens)


def _median(values: Tensor) -> Tensor:
    """(..., 1): the mean of the two in the middle where there are two; torch's own takes the lower."""
    ordered, middle = values.sort(-1).values, values.shape[-1] - 1
    # `quantile` makes numbers in float64, which some devices have not.
    return (ordered[..., middle // 2, None] + ordered[..., (middle + 1) // 2, None]) / 2


def norms(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, blocks: Sequence[str], left: Mapping[str, Tensor]
) -> list[Tensor]:
    """(patch,) of each layer: the norms of what `left` its block, in the order of the patches.

    Raises `VizError` where layers have grids of their own, or a block gives something else than a row per token.
    """
    _refuse_grids(trace)
    layout, found = trace.layout, []
    # Some networks shuffle tokens between patches and attention; norms and shares must speak of the same patch.
    orders = orders_of(model, pixels, [layer.name for layer in trace.layers])
    for block, order in zip(blocks, orders, strict=True):
        features = left[block].transpose(0, 1) if left[block].shape[1] == 1 else left[block]  # tokens may come first
        if features.shape[:-1] != (1, layout.n_tokens):
            raise VizError("What leaves {block} is not one row of features per token.", block=block)
        found.append(features[0][order][layout.n_prefix :].float().norm(dim=-1).to(trace.device))
    return found


def _refuse_grids(trace: AttentionTrace) -> None:
    if not trace.one_grid:
        raise VizError(GRIDS)


def without(trace: AttentionTrace, tokens: Sequence[int]) -> AttentionTrace:
    """A trace as if no query could look at `tokens`: each row is shared out among the others, in the proportions it had.

    The logits stay those of the network as it is. Raises `VizError` where layers have grids of their own.
    """
    _refuse_grids(trace)
    cross = tuple(_without(layer, _there(trace, layer, tokens)) for layer in trace.cross)
    layers = tuple(_without(layer, tokens) for layer in trace.layers)
    return replace(trace, layers=layers, cross=cross, pool=cross[-1] if cross else None)


def _there(trace: AttentionTrace, layer: LayerAttention, tokens: Sequence[int]) -> list[int]:
    """The same tokens among the keys of a cross attention, which may have a CLS more, or none."""
    own, keys = trace.layout, layer.key_layout or trace.layout
    if keys.grid != own.grid:
        raise VizError(GRIDS)
    names = [own.prefix[token] for token in tokens if token < own.n_prefix]
    prefix = [keys.prefix.index(name) for name in names if name in keys.prefix]
    return [*prefix, *(token - own.n_prefix + keys.n_prefix for token in tokens if token >= own.n_prefix)]


def _without(layer: LayerAttention, tokens: Sequence[int]) -> LayerAttention:
    gone = torch.zeros(layer.n_keys, dtype=torch.bool, device=layer.device)
    gone[list(tokens)] = True
    if bool(gone.all()):
        raise VizError("Every token would be left out.", "Leave some.")
    kept = layer.without_keys(gone)
    kept.query_names = layer.query_names
    return kept
