"""Gradient rollout: attention rollout, each layer weighted by what the class gains from its attention."""

import torch

from vizapp.core.attention.chain import follow_back
from vizapp.core.attention.relevance import Share
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, no_chain
from vizapp.core.setting import StartLayer
from vizapp.core.signals.gradients import weighted
from vizapp.model.spec import TokenLayout


@method(
    title="Gradient rollout",
    sentence="Rollout in which attention counts by what the class gains from it.",
    paper="Gildenblat 2020, Exploring Explainability for Vision Transformers (the author's article)",
    unit=lambda settings: Share("share of the query's gradient rollout"),
    class_specific=True,
    why_not=no_chain,
    chosen=True,
    needs=("gradient",),
)
def gradient_rollout(
    seen: ExplainContext, query: torch.Tensor, *, start_layer: StartLayer = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): the query's row of A_L ... A_(start+1) A_start, where A_l = I + (mean_h dA * A)^+, each row divided by its sum.

    start_layer  layers before it are left out
    dA is the gradient of the class's logit with respect to the attention A. The result sums to one.
    The author's code (vit-explain) gives other maps. By default it drops the weakest nine tenths of a layer's matrix. It also
    has three slips that are not repeated here. Its list of gradients begins with the last layer and its list of attention with
    the first, so they are paired crosswise. Its backward hook, of a kind that PyTorch has given up, gets the gradient of the
    scores before the softmax, not the gradient of attention. It divides column j by the sum of row j.
    Gradients are often small beside the 1 of the skip connection: most of the map stays on the query.
    """
    trace = seen.trace

    def step(index: int, r: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        layer = weighted(trace.layers[index], seen.gradients[index], positive=False)
        attended, stayed = r.new_zeros(layer.n_keys), torch.zeros_like(r)
        for some in layer.chunks(r.nonzero()[:, 0]):
            fused = layer.rows(some).mean(0).clamp_min(0).to(r.dtype)
            stayed[some] = r[some] / (1 + fused.sum(-1))
            attended += stayed[some] @ fused
        return attended, stayed

    return follow_back(trace, query, step, start=start_layer)
