"""AttnLRP: relevance propagated from the class's logit to the pixels by rules made for attention."""

from __future__ import annotations

from typing import Annotated

import torch

from vizapp.core.attention.grids import in_patches
from vizapp.core.capture.forward import dtype_of
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, within
from vizapp.core.setting import Setting
from vizapp.core.signals.gradients import differentiated, score_of
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="AttnLRP",
    sentence="The class\u2019s score handed back layer by layer, down to the pixels.",
    paper="Achtibat et al. 2024, AttnLRP: Attention-Aware Layer-Wise Relevance Propagation, section 3 (arXiv 2402.05602)",
    unit=lambda settings: Text("part of the class's logit"),
    class_specific=True,
    signed=True,
    by_query=False,
    chosen=True,
    needs=("gradient",),
)
def attn_lrp(
    seen: ExplainContext,
    query: torch.Tensor,
    *,
    linear_gamma: Annotated[
        float,
        Setting("\u03b3 of linear layers", "How much more what speaks for the class counts than what speaks against."),
    ] = 0.05,
    conv_gamma: Annotated[
        float, Setting("\u03b3 of the patch embedding", "The same where pixels become tokens.")
    ] = 0.25,
) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): relevance of its pixels, summed: what each adds to the class's logit, or takes from it.

    linear_gamma, conv_gamma  how much more what agrees with the sign of an output counts, in linear maps and in the patch
                              embedding; 0 makes them plain shares, with more noise
    Softmax has its gradient, a product of two activations shares evenly, layer and RMS norms and activation functions hand
    relevance on; any other function has its gradient.
    Biases and positions take relevance that no patch gets back: values do not sum to the logit.
    """
    within(0, 1000, linear_gamma=linear_gamma, conv_gamma=conv_gamma)
    model = seen.model
    pixels = seen.pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)
    with differentiated(model):
        with torch.enable_grad(), attention_aware(linear_gamma, conv_gamma):
            score = score_of(model, pixels, seen.explained)
        (gradient,) = torch.autograd.grad(score, pixels)
    layout = TokenLayout((), seen.trace.layout.grid)
    return in_patches((gradient * pixels.detach())[0].sum(0), layout), layout
