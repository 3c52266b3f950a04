"""Gradient x attention: one layer's attention, weighted by what the class gains from it."""

import torch

from vizapp.core.context import ExplainContext
from vizapp.core.methods import method
from vizapp.core.setting import Head, Layer
from vizapp.core.signals.gradients import weighted
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="Gradient \u00d7 attention",
    sentence="Attention of one layer that the class gains from.",
    paper="Barkan et al. 2021, Grad-SAM: Explaining Transformers via Gradient Self-Attention Maps (arXiv 2204.11073)",
    unit=lambda settings: Text("attention x gradient of the class's logit"),
    class_specific=True,
    needs=("gradient",),
)
def gradient_attention(
    seen: ExplainContext, query: torch.Tensor, *, layer: Layer = -1, head: Head = None
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): the query's row of A * (dA)^+ in one layer, mean over heads unless one is chosen. The paper has the mean over
    all layers and queries; this is one part of it.

    layer, head  from 0; layer -1 is the last one; head None: the mean of all
    dA is the gradient of the class's logit with respect to the attention A; its negative part is dropped. To first
    order, the value of one head is the loss of the logit without this attention. If the classifier reads CLS, the map of a
    query patch in the last layer is empty: no class depends on that patch there.
    """
    heads = weighted(seen.trace.layer(layer), seen.gradients[layer]).attend(query)
    return (heads.mean(0) if head is None else heads[seen.trace.head(layer, head)]), seen.trace.layouts(layer)[1]
