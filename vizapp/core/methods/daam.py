"""DAAM for Vision Transformers: what the query takes from each patch, as far as the class gains from it, layer after layer."""

import torch

from vizapp.core.attention.chain import check_start
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, one_grid
from vizapp.core.setting import Layer, StartLayer
from vizapp.core.signals.gradients import gained, weighted
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="DAAM",
    sentence="What is carried from each patch to where the class is read, as far as the class gains, added up layer by layer.",
    paper="Liao, Gao & Zhang 2025, Dynamic Accumulated Attention Map, eqs. 7 to 9, 11 and 12 (arXiv 2503.14640)",
    unit=lambda settings: Text("attention x value x gradient of the class's logit"),
    class_specific=True,
    why_not=one_grid,
    needs=("gradient",),
)
def daam(
    seen: ExplainContext, query: torch.Tensor, *, layer: Layer = -1, start_layer: StartLayer = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): sum over layers of (sum_h sum_d A_h V_hd (dO_hd)^+)^+, A the query's row, V values, O = A V.

    layer        the last layer that is added; with -1, all of them: each number shows how far the decision has come
    start_layer  layers before it are left out
    dO is the gradient of the class's logit with respect to the output of attention at the query. Features that speak against the
    class are left out, and so is a patch whose sum in a layer is below zero. The paper is about CLS. If the query is a mean of
    tokens, each token's part has its weight in that mean. Written from the formulas as the package daam-timm-vit 0.2.1 gives
    them; the paper itself was not at hand. Its mode without labels, for features, is missing.
    """
    trace = seen.trace
    trace.layer(layer)
    last = layer % len(trace.layers)
    check_start(start_layer, last)
    total = torch.zeros(trace.layout.n_tokens, device=trace.device, dtype=query.dtype)
    for index in range(start_layer, last + 1):
        carried = weighted(trace.layers[index], gained(seen.gradients[index]), positive=False)
        total += carried.attend(query).sum(0).clamp_min(0)
    return total, trace.layout
