"""Generic attention relevance: attention, weighted by what the class gains from it, followed back to the patches."""

import torch

from vizapp.core.attention.chain import follow_back
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, no_chain
from vizapp.core.setting import StartLayer
from vizapp.core.signals.gradients import weighted
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="Chefer",
    sentence="Attention that the class gains from, added up through all layers.",
    paper="Chefer et al. 2021, Generic Attention-model Explainability, eqs. 5 and 6 (arXiv 2103.15679)",
    unit=lambda settings: Text("relevance to the class"),
    class_specific=True,
    why_not=no_chain,
    chosen=True,
    needs=("gradient",),
)
def chefer(
    seen: ExplainContext, query: torch.Tensor, *, start_layer: StartLayer = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): the query's row of R, where R = I at first and each layer does R <- R + A' R, A' = mean_h (dA * A)^+.

    start_layer  layers before it are left out
    dA is the gradient of the class's logit with respect to the attention A, and ^+ keeps what is above zero. Values are not
    shares: a row has no fixed sum, and the query's own 1 is part of it.
    The map sees the attention that the class depends on. It does not see what MLPs and norms do with it.
    """
    trace = seen.trace

    def step(index: int, r: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return weighted(trace.layers[index], seen.gradients[index]).attend(r).mean(0), r

    return follow_back(trace, query, step, start=start_layer)
