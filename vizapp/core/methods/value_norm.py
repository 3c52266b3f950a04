"""Attention weighed by what it carries: a token that is looked at but has little to say gets little."""

import torch
from torch import Tensor

from vizapp.core.attention.chain import follow_back
from vizapp.core.attention.relevance import Share
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, same_patches, within
from vizapp.core.setting import Head, Layer, SkipWeight, StartLayer
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text

PAPER = "Kobayashi et al. 2020, Attention is Not Only a Weight: Analyzing Transformers with Vector Norms"


@method(
    title="Value attention",
    sentence="Attention times how much is carried: a token with little to say gets little.",
    paper=f"{PAPER}, section 2.2 (arXiv 2004.10102)",
    unit=lambda settings: Text("length of the vector that the query gets"),
    why_not=same_patches,
    needs=("written",),
)
def value_attention(
    seen: ExplainContext, query: Tensor, *, layer: Layer = -1, head: Head = None
) -> tuple[Tensor, TokenLayout]:
    """(token,): |sum_h A_h f_h(x_j)|, the length of what the query takes from token j in one layer, f(x) = v W_O.

    layer, head  from 0; layer -1 is the last one; head None: the vectors of all heads are added first, as the network does
    The map sees values and the output projection. It does not see what comes after them, or the class.
    """
    attention, vectors, layout = seen.trace.layer(layer), seen.written[layer].vectors, seen.trace.layouts(layer)[1]
    if head is not None:
        chosen = seen.trace.head(layer, head)
        return attention.attend(query)[chosen] * vectors[chosen].norm(dim=-1), layout
    total = torch.zeros(attention.n_keys, device=attention.device, dtype=query.dtype)
    gram = _gram(vectors)
    for some in attention.chunks(query.nonzero()[:, 0]):
        total += query[some] @ _lengths(attention.rows(some), gram).to(query.dtype)
    return total, layout


@method(
    title="Value rollout",
    sentence="Value attention, followed through all layers.",
    paper=f"{PAPER} (arXiv 2004.10102), followed back as in Abnar & Zuidema 2020, section 3",
    unit=lambda settings: Share("share of the query's rollout"),
    why_not=same_patches,
    chosen=True,
    needs=("written",),
)
def value_rollout(
    seen: ExplainContext, query: Tensor, *, skip_weight: SkipWeight = 0.5, start_layer: StartLayer = 0
) -> tuple[Tensor, TokenLayout]:
    """(token,): rollout of N_l instead of attention, N_l the lengths of `value_attention`, each row divided by its sum.

    skip_weight  the share of the skip connection, 0 to 1
    start_layer  layers before it are left out
    The result sums to one: a token that gets nothing in a layer (a mask hides all, or its heads are off) stays what it is. The
    share of the skip connection is a setting, not a measurement (see `alti`).
    """
    within(0, 1, skip_weight=skip_weight)
    trace = seen.trace

    def step(index: int, r: Tensor) -> tuple[Tensor, Tensor]:
        layer, gram = trace.layers[index], _gram(seen.written[index].vectors)
        attended, stayed = torch.zeros_like(r), skip_weight * r
        for some in layer.chunks(r.nonzero()[:, 0]):
            lengths = _lengths(layer.rows(some), gram).to(r.dtype)
            total = lengths.sum(-1)
            attended += (1 - skip_weight) * (r[some] / total.where(total > 0, 1)) @ lengths
            stayed[some] = torch.where(total > 0, stayed[some], r[some])
        return attended, stayed

    return follow_back(trace, query, step, start=start_layer)


def _gram(vectors: Tensor) -> Tensor:
    """(key, head, head): products of the vectors of two heads at one token, all that lengths of their sums need."""
    return torch.einsum("hkd,gkd->khg", vectors, vectors)


def _lengths(rows: Tensor, gram: Tensor) -> Tensor:
    """(query, key): |sum_h A_h f_h| from rows (head, query, key)."""
    return torch.einsum("hqk,gqk,khg->qk", rows.to(gram.dtype), rows.to(gram.dtype), gram).clamp_min(0).sqrt()
