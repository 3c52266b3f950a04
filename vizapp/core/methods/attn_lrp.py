"""AttnLRP: relevance propagated from the class's logit to the pixels by rules made for attention."""

from typing import Annotated, Literal

import torch

from vizapp.core.context import ExplainContext
from vizapp.core.methods import Found, method, within
from vizapp.core.setting import Setting
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.core.signals.lrp.pixels import relevance_of_pixels
from vizapp.core.signals.precision import Precision
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
    through: Annotated[
        Literal["attention", "values"],
        Setting("Back through", "Attention and values (AttnLRP), or values only, attention being a constant (CP-LRP)."),
    ] = "attention",
    dtype: Precision = "network",
) -> Found:
    """(patch,): relevance of its pixels, summed. A positive value adds to the class's logit, a negative one takes from it.

    linear_gamma, conv_gamma  extra weight of the contributions that agree with the sign of an output, in linear maps and in
                              the patch embedding; 0 makes them plain shares, with more noise
    Softmax has its gradient. A product of two activations gives half to each. Norms (layer, RMS, group, x / |x|) and activation
    functions hand relevance on. Any other function has its gradient. If a norm is spelt out (a quotient, rsqrt or a negative
    power), its divisor is held fixed. A softmax that is spelt out is recognised only as exp over its sum.
    through  "values" is CP-LRP inside of attention (Ali et al. 2022, arXiv 2202.07304): attention is a constant, and its
             values get all. The recipe for ViTs in the authors' package, lxt 2, does the same; its maps differ much
    dtype    of the pass: "network", as the network computes itself, or "float64"
    Values do not sum to the logit. Biases, positions and learned tokens (CLS, registers) take relevance that no patch gets back,
    and through="attention" loses some in each softmax: its rule hands on x_i (R_i - s_i sum_j R_j), which keeps no sum. A note
    with the map says how near the sum comes. If the target is a function of the output, the pass back begins with each output
    times the function's slope there; the rules are for the network alone.
    """
    within(0, 1000, linear_gamma=linear_gamma, conv_gamma=conv_gamma)
    rules = attention_aware(linear_gamma, conv_gamma, through)
    rest = {
        "attention": Text("The rest is in biases, positions and learned tokens, or was lost in softmaxes."),
        "values": Text("The rest is in biases, positions and learned tokens."),
    }
    return relevance_of_pixels(seen.model, seen.pixels, seen.explained, seen.trace, rules, dtype, rest[through])
