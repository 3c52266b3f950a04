"""ALTI: how much of each token is in what a layer makes of it, the skip connection included, followed back to the patches."""

import torch
from torch import Tensor

from vizapp.core.attention.chain import follow_back
from vizapp.core.attention.layers import CHUNK_ELEMENTS, LayerAttention
from vizapp.core.attention.relevance import Share
from vizapp.core.context import ExplainContext
from vizapp.core.methods import Found, method, same_patches
from vizapp.core.setting import StartLayer
from vizapp.core.signals.values import ValueOutput
from vizapp.wording import Text


@method(
    title="ALTI",
    sentence="How much of each patch is in what each layer makes of it, followed through all layers.",
    paper="Ferrando et al. 2022, Measuring the Mixing of Contextual Information in the Transformer, section 3 (arXiv 2203.04212)",
    unit=lambda settings: Share("share of what the query is made of"),
    why_not=same_patches,
    chosen=True,
    needs=("written",),
)
def alti(seen: ExplainContext, query: Tensor, *, start_layer: StartLayer = 0) -> Found:
    """(token,): the query's row of C_L ... C_(start+1) C_start.

    start_layer  layers before it are left out
    A layer gives y_i = sum_j T_ij + bias, T_ij = sum_h A_ij f_h(x_j), plus x_i itself for j = i. C_ij is
    (|y_i| - |y_i - T_ij|)^+ in the 1-norm, each row divided by its sum: what y_i would lose without token j. If a norm
    comes after the sum (post-norm, as in the paper), y_i is the norm's output, and each part goes through the norm's linear
    part and is divided by the divisor of token i. In networks with the norm before the sum, all parts enter as they are.
    The result sums to one, unless some y_i is so short beside its parts that none of them is near it. Such a row of C is
    zero, and the share that came to it is lost. A note with the map says how much (a hundredth on some pictures of DeiT-Ti).
    It sees values and the skip connection as they are, but no MLPs, and not the class.
    """
    trace = seen.trace

    def step(index: int, r: Tensor) -> tuple[Tensor, Tensor]:
        layer, parts = trace.layers[index], seen.written[index]
        total, used = torch.zeros_like(r), r.nonzero()[:, 0]
        for some in used.split(max(1, CHUNK_ELEMENTS // parts.vectors[0].numel())):
            total += r[some] @ contributions(layer, parts, some).to(r.dtype)
        return total, torch.zeros_like(r)

    values, layout = follow_back(trace, query, step, start=start_layer)
    lost = 1 - float(values.sum())
    if lost < 1e-4:
        return values, layout
    return (
        values,
        layout,
        (Text("{share} is lost on tokens that are far from all of their parts.", share=f"{lost:.1%}"),),
    )


def contributions(layer: LayerAttention, parts: ValueOutput, queries: Tensor) -> Tensor:
    """(query, key): rows of C that sum to one."""
    rows = layer.rows(queries).to(parts.vectors.dtype)
    moved = torch.einsum("hqk,hkd->qkd", rows, parts.vectors)  # T without x_i
    moved[torch.arange(len(queries), device=moved.device), queries] += parts.stream[queries]
    y = moved.sum(1) + parts.bias
    if parts.norm is not None:
        z = y
        moved, y = parts.norm.linear(moved, z[:, None]), parts.norm.linear(z, z)
        y = y if parts.norm.bias is None else y + parts.norm.bias
    near = _nearer(y[:, None], moved).sum(-1).clamp_min(0)
    return near / near.sum(-1, keepdim=True).clamp_min(torch.finfo(near.dtype).tiny)


def _nearer(y: Tensor, part: Tensor) -> Tensor:
    """|y| - |y - part|, number by number, without the difference of two large ones where `part` is tiny."""
    size = part.abs()
    same = size - 2 * (size - y.abs()).clamp_min(0)
    return same.where(y.sign() * part.sign() > 0, -size)
