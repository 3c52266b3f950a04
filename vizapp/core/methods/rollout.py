"""Attention rollout: attention followed from the last layer back to the patches, in vector form."""

from typing import Annotated

import torch

from vizapp.core.attention.chain import follow_back
from vizapp.core.attention.fusion import fuse_heads
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.relevance import Share
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method, no_chain, within
from vizapp.core.setting import HEADS_COMBINED, Layer, Setting, SkipWeight, StartLayer
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.vocabulary import Fusion


@method(
    title="Rollout",
    sentence="Attention, followed through all layers back to the picture.",
    paper="Abnar & Zuidema 2020, Quantifying Attention Flow in Transformers, section 3 (arXiv 2005.00928)",
    unit=lambda settings: Share("share of the query's rollout"),
    why_not=no_chain,
    chosen=True,
)
def rollout(
    trace: AttentionTrace,
    query: torch.Tensor,
    *,
    layer: Layer = -1,
    fusion: Annotated[Fusion, HEADS_COMBINED] = "mean",
    skip_weight: SkipWeight = 0.5,
    start_layer: StartLayer = 0,
    discard: Annotated[
        float,
        Setting(
            "Discard",
            "In each row, this share of the patches that it sees, those with the weakest attention, gets none, 0 to 1.",
        ),
    ] = 0.0,
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): the query's row of A_layer ... A_(start+1) A_start, with A_l = skip_weight I + (1 - skip_weight) fuse(heads).

    layer        the last layer that is followed; -1 is the whole network
    skip_weight  the share of the skip connection, 0 to 1; 0.5 in the paper
    start_layer  layers before it are left out
    discard      the share of the *patch* keys that a row sees, the weakest, that it sets to zero. Prefix tokens (CLS,
                 registers) are never discarded
    Each row of A_l is divided by its sum, because max and min fusion and `discard` change it. A token whose whole row is masked
    stays as it is. The result sums to one. (vit-explain by default discards nine tenths of the whole matrix, so whole rows may
    go. In the prefix it keeps only what CLS gives itself, and it divides column j by the sum of row j.)
    If layers have grids of their own (Swin, Hiera, PVT), a merged patch's share is spread evenly on the patches it was made
    of. That is exact for merging and pooling without overlap. The mixing by convolutions between layers is not seen.
    A learned token that is new in a layer (VPT's prompts, a CLS of each layer's own) has nothing from below. What it is given
    stays with it: the sum is still one, of which patches have less.
    Values, norms and MLPs are not considered, and the result does not depend on the class.
    """
    within(0, 1, skip_weight=skip_weight)
    if not 0 <= discard < 1:
        raise VizError("discard={value} is not possible.", "It goes from 0 to just below 1.", value=discard)

    def parts(index: int, r: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return _parts(trace.layers[index], r, fusion, skip_weight, discard, trace.layouts(index)[1].n_prefix)

    return follow_back(trace, query, parts, last=layer, start=start_layer)


def rollout_through_each_layer(trace: AttentionTrace, queries: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """(layer, query, token): `rollout` with its defaults through every layer, for `queries` (query, token) at once; and of
    each layer (head, query, token), what the queries attend to.

    For networks whose layers share one layout. The maps of a layer are made once, not once for each layer above it, and not
    once more for the rows.
    """
    r = queries.new_empty(0, *queries.shape)
    attended: list[torch.Tensor] = []
    for layer in reversed(trace.layers):
        r = torch.cat([queries[None], r])
        through = torch.zeros_like(r)
        rows_of = r.new_zeros(layer.n_heads, len(queries), layer.n_keys)
        for some in layer.chunks(torch.arange(layer.n_queries, device=layer.device)):
            rows = layer.rows(some).to(r.dtype)  # (head, query, key)
            rows_of += queries[:, some] @ rows
            fused = rows.mean(0)
            weight = r[..., some] / (1 + fused.sum(-1))  # a row that a mask hides altogether stays where it is
            through += weight @ fused
            through[..., some] += weight
        r = through
        attended.insert(0, rows_of)
    return r, attended


def step(
    layer: LayerAttention, r: torch.Tensor, fusion: Fusion, skip_weight: float, discard: float, n_prefix: int
) -> torch.Tensor:
    """r @ A_l, r (..., token), for a layer whose keys are its queries."""
    attended, stayed = _parts(layer, r, fusion, skip_weight, discard, n_prefix)
    return attended + stayed


def _parts(
    layer: LayerAttention, r: torch.Tensor, fusion: Fusion, skip_weight: float, discard: float, n_prefix: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The part that attention hands on to the keys, (..., key), and the part that the skip connection keeps, (..., query).

    The matrix exists only a block of rows at a time, and only where `r` is not zero.
    """
    if layer.rows_sum_to_one and r.ndim == 1 and fusion == "mean" and not discard:
        return (1 - skip_weight) * layer.push(r), skip_weight * r  # each row of a mean of softmaxes sums to one
    attended, stayed = r.new_zeros(*r.shape[:-1], layer.n_keys), torch.zeros_like(r)
    used = r.reshape(-1, r.shape[-1]).any(0).nonzero()[:, 0]
    for queries in layer.chunks(used):
        fused = fuse_heads(layer.rows(queries).to(r.dtype), fusion)  # (query, key)
        if discard:
            fused = _discard_weakest(fused, discard, n_prefix)
        # (query,): the sum of each row of A_l, 1 for the plain mean.
        total = skip_weight + (1 - skip_weight) * fused.sum(-1)
        weight = r[..., queries] / total.clamp_min(torch.finfo(r.dtype).tiny)
        attended += (1 - skip_weight) * (weight @ fused)
        # A row without any weight (min fusion of heads that share no key, without residual) stays where it is.
        stayed[..., queries] = torch.where(total > 0, skip_weight * weight, r[..., queries])
    return attended, stayed


def _discard_weakest(fused: torch.Tensor, discard: float, n_prefix: int) -> torch.Tensor:
    """(query, key) with the weakest `discard` of the patch keys of each row at zero; at least one patch is kept."""
    patches = fused[:, n_prefix:]
    # What a window or a mask hides has nothing to lose: counted, it would be all that is discarded.
    seen = (patches > 0).sum(-1, keepdim=True)
    dropped = patches.shape[-1] - seen.clamp_min(1) + (discard * seen.double()).long()
    rank = patches.argsort(-1).argsort(-1)  # 0 is the weakest
    return torch.cat([fused[:, :n_prefix], patches.where(rank >= dropped, 0.0)], dim=-1)
