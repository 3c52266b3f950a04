"""Sinks: patches of outlying norm that swallow attention without having to do with what they show.

Darcet et al. 2024, Vision Transformers Need Registers (arXiv 2309.16588): in large or long trained networks a few patches,
mostly of background, get norms far above all others, and attention goes to them wherever the object is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.trust.norms import GRIDS, norms_of_a_pass, refuse_grids
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel

FAR = 5.0  # robust standard deviations above the median: an outlying norm
LONG = 2.0  # and so many medians: on an even background the deviations are tiny, and any object lies out
MUCH = 5.0  # times what each token would get if all got alike


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


def sinks(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, own: Sequence[Tensor] | None = None
) -> tuple[Sink, ...]:
    """Find the sinks of one picture, the greediest first.

    In each layer: patches that leave its block with a norm of more than LONG medians, and more than FAR robust standard
    deviations (1.4826 median absolute deviations) above the median, and that get more than MUCH times the mean of its
    attention, over all heads and queries.

    own  (patch,) of each layer, the norms, where the pass that made the trace was listened to (see norms.py); None: a
         forward pass of `model` on `pixels` (1, 3, h, w)
    Raises `VizError` where layers have grids of their own.
    """
    refuse_grids(trace)
    own = own or norms_of_a_pass(model, pixels, trace)
    every = torch.full((trace.layout.n_tokens,), 1 / trace.layout.n_tokens, device=trace.device, dtype=trace.dtype)
    return among(trace.layout, own, [layer.push(every) for layer in trace.layers])


def among(layout: TokenLayout, own: Sequence[Tensor], received: Sequence[Tensor]) -> tuple[Sink, ...]:
    """The same from numbers that are there: norms (patch,) of each layer, and what each token gets of its attention, (token,)."""
    norms = torch.stack([one.float() for one in own]).cpu()  # (layer, patch)
    shares = torch.stack([one[layout.n_prefix :].float() for one in received]).cpu()
    lengths = norms / _median(norms)
    found: dict[int, list[int]] = {}
    for index, patch in is_sink(norms, shares, layout.n_tokens).nonzero().tolist():
        found.setdefault(patch, []).append(index)
    result = [
        Sink(*divmod(patch, layout.grid[1]), tuple(at), float(lengths[at, patch].max()), float(shares[at, patch].max()))
        for patch, at in found.items()
    ]
    return tuple(sorted(result, key=lambda sink: (-sink.share, sink.row, sink.col)))


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


def without(trace: AttentionTrace, tokens: Sequence[int]) -> AttentionTrace:
    """A trace as if no query could look at `tokens`: each row is shared out among the others, in the proportions it had.

    The logits stay those of the network as it is. Raises `VizError` where layers have grids of their own.
    """
    refuse_grids(trace)
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
