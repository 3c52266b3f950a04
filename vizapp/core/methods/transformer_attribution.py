"""Transformer attribution: relevance of each layer's attention by relevance propagation, weighted by gradients; partial LRP."""

import torch

from vizapp.core.attention.chain import follow_back
from vizapp.core.context import ExplainContext
from vizapp.core.methods import Found, method, no_chain
from vizapp.core.setting import Layer, StartLayer
from vizapp.core.signals.gradients import weighted
from vizapp.core.signals.lrp.deep_taylor import Relevances
from vizapp.core.signals.precision import Precision, note_of, wide
from vizapp.wording import Text

PAPER = "Chefer et al. 2021, Transformer Interpretability Beyond Attention Visualization"


@method(
    title="Transformer attribution",
    sentence="The class\u2019s score handed back to attention, where the class gains.",
    paper=f"{PAPER}, eqs. 13 and 14 (arXiv 2012.09838)",
    unit=lambda settings: Text("relevance to the class"),
    class_specific=True,
    why_not=no_chain,
    chosen=True,
    needs=("gradient", "relevances"),
)
def transformer_attribution(
    seen: ExplainContext, query: torch.Tensor, *, start_layer: StartLayer = 0, dtype: Precision = "float64"
) -> Found:
    """(token,): the query's row of A_L ... A_(start+1) A_start, A_l = I + mean_h (dA * R_A)^+.

    start_layer  layers before it are left out
    dtype        of the pass back: "float64", or "network" as the network computes itself (float32: early layers are noise)
    dA is the gradient of the class's logit with respect to the attention A, R_A its relevance, propagated from that logit
    through all layers above. Rows are not divided by their sums, as in some copies of the authors' code: values are not
    shares, and the query's own 1 is part of its value. If the target is a function of the output, relevance begins with a sum
    of 1, shared by the outputs in proportion to the size of the function's slope there; dA has the signs.
    """
    trace, relevances = seen.trace, seen.relevances_in(dtype)

    def step(index: int, r: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        relevance = weighted(trace.layers[index], relevances.unsigned[index], positive=False)
        return weighted(relevance, seen.gradients[index]).attend(r).mean(0), r

    return *follow_back(trace, wide(query), step, start=start_layer), _said(seen, relevances, dtype)


@method(
    title="Partial LRP",
    sentence="The class\u2019s score handed back as far as the attention of the last layer.",
    paper=f"Voita et al. 2019, Analyzing Multi-Head Self-Attention, as in {PAPER}, section 4 (arXiv 2012.09838)",
    unit=lambda settings: Text("relevance to the class"),
    class_specific=True,
    signed=True,
    needs=("gradient", "relevances"),
)
def partial_lrp(seen: ExplainContext, query: torch.Tensor, *, layer: Layer = -1, dtype: Precision = "float64") -> Found:
    """(token,): the query's row of mean_h R_A in one layer: relevance is propagated that far, and no farther.

    The baseline of section 4, as its authors' code has it, sets negative values of each head to zero before the mean. Here
    relevance against the class keeps its sign. If the target is a function of the output, the map is the relevance to outputs
    that raise the function less the relevance to outputs that lower it, each weighed by its slope.
    layer  from 0; -1 is the last one
    dtype  of the pass back: "float64", or "network" as the network computes itself (float32: early layers are noise)
    """
    relevances = seen.relevances_in(dtype)
    relevance = weighted(seen.trace.layer(layer), relevances[layer], positive=False)
    return relevance.attend(query).mean(0), seen.trace.layouts(layer)[1], _said(seen, relevances, dtype)


def _said(seen: ExplainContext, relevances: Relevances, dtype: str) -> tuple[Text, ...]:
    """Say how much of the relevance is kept down to the first layer, and where it was computed."""
    arrived, notes = relevances.arrived, note_of(seen.model, dtype)
    if arrived is None:
        return notes
    kept = Text(
        "Of the target's relevance {share} arrive at the first layer."
        if callable(seen.explained)
        else "Of the class's relevance {share} arrive at the first layer.",
        share=f"{arrived:.1%}",
    )
    return kept, *notes
