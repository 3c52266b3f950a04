"""Sinks: patches of outlying norm that swallow attention, whatever they show.

Darcet et al. 2024, Vision Transformers Need Registers (arXiv 2309.16588): in large or long trained networks a few patches,
mostly of background, get norms far above all others, and attention goes to them wherever the object is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.trust.norms import GRIDS, norms_of_a_pass, refuse_grids
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.vocabulary import SINK_FAR, SINK_LONG, SINK_MUCH


@dataclass(frozen=True)
class Sink:
    """A patch that is a sink in at least one layer.

    Attributes
    ----------
    row, col
        from 0
    layers
        where its norm lies far out and it gets much attention, from 0
    norm
        its largest norm in these layers, in medians of all patches
    share
        the largest share of a layer's attention that goes to it, 0 to 1
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

    In each layer: patches that leave its block with a norm of more than SINK_LONG medians, and more than SINK_FAR robust standard
    deviations (1.4826 median absolute deviations) above the median, and that get more than SINK_MUCH times the mean of its
    attention, over all heads and queries.

    own  (patch,) of each layer, the norms, if the pass of the trace was measured (see norms.py); None: a forward pass of
         `model` on `pixels` (1, 3, h, w) measures them
    Raises `VizError` if layers have grids of their own.
    """
    refuse_grids(trace)
    own = own or norms_of_a_pass(model, pixels, trace)
    every = torch.full((trace.layout.n_tokens,), 1 / trace.layout.n_tokens, device=trace.device, dtype=trace.dtype)
    return among(trace.layout, own, [layer.push(every) for layer in trace.layers])


def among(layout: TokenLayout, own: Sequence[Tensor], received: Sequence[Tensor]) -> tuple[Sink, ...]:
    """Find the sinks from known numbers: norms (patch,) of each layer, and each token's share of its attention, (token,)."""
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
    """(..., patch) bool: an outlying norm, and more than SINK_MUCH times an even share among `n_tokens`.

    norms   (..., patch) of the output of a layer's block; `shares` (..., patch) of all attention of the layer
    """
    median = _median(norms)
    spread = 1.4826 * _median((norms - median).abs())
    outlying = norms > torch.maximum(SINK_LONG * median, median + SINK_FAR * spread)
    return outlying & (shares > SINK_MUCH / n_tokens)


def _median(values: Tensor) -> Tensor:
    """(..., 1): the mean of the two middle values if there are two; torch's own median takes the lower one."""
    ordered, middle = values.sort(-1).values, values.shape[-1] - 1
    # `quantile` makes numbers in float64, which some devices have not.
    return (ordered[..., middle // 2, None] + ordered[..., (middle + 1) // 2, None]) / 2


def without(trace: AttentionTrace, tokens: Sequence[int]) -> AttentionTrace:
    """Return a trace in which no query can look at `tokens`: each row is shared among the others, in their proportions.

    The logits stay those of the unchanged network. Raises `VizError` if layers have grids of their own.
    """
    refuse_grids(trace)
    cross = tuple(_without(layer, _there(trace, layer, tokens)) for layer in trace.cross)
    layers = tuple(_without(layer, tokens) for layer in trace.layers)
    return replace(trace, layers=layers, cross=cross, pool=cross[-1] if cross else None)


def _there(trace: AttentionTrace, layer: LayerAttention, tokens: Sequence[int]) -> list[int]:
    """Find the same tokens among the keys of a cross attention, which may have a CLS more, or none."""
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
