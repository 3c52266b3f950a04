"""AttnLRP: relevance propagated from the class's logit to the pixels by rules made for attention."""

from __future__ import annotations

import torch

from model.spec import TokenLayout
from vizapp.core.capture import dtype_of
from vizapp.core.gradients import differentiated, score_of
from vizapp.core.grids import in_patches
from vizapp.core.lrp.attention_aware import attention_aware
from vizapp.core.methods import method, within
from vizapp.core.specimen import Specimen


@method(
    paper="Achtibat et al. 2024, AttnLRP: Attention-Aware Layer-Wise Relevance Propagation, section 3 (arXiv 2402.05602)",
    unit=lambda settings: "part of the class's logit",
    class_specific=True,
    signed=True,
    by_query=False,
)
def attn_lrp(
    seen: Specimen, query: torch.Tensor, *, linear_gamma: float = 0.05, conv_gamma: float = 0.25
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
