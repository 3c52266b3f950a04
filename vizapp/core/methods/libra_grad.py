"""LibraGrad: input x gradient, the backward pass balanced so that nothing of the score is made or lost on the way.

The rules are those of the authors' code: timm/night/decomposition.py of NightMachinery/pytorch-image-models-libragrad-v1, with
its settings "LX1" and, for gated MLPs, "DU". Paths are cut where a factor depends on the input:

- attention: nothing goes back through queries and keys (fair_qkv)
- GELU and SiLU, x times a gate: nothing goes back through the gate (GELUDecomposed, FairSiLU)
- layer norm: nothing through the variance (LayerNormDecomposed); CLIP's x / |x|: nothing through the length

and scaled where both factors stay: of the product in a gated MLP each has half (fair_gated_mlp).
"""

import torch

from vizapp.core.context import ExplainContext
from vizapp.core.methods import Found, method
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.core.signals.lrp.pixels import relevance_of_pixels
from vizapp.core.signals.precision import Precision
from vizapp.wording import Text


@method(
    title="LibraGrad",
    sentence="Each pixel times its gradient, with the paths cut that would count something twice.",
    paper="Mehri et al. 2025, LibraGrad, by the rules of the authors' code (arXiv 2411.16760)",
    unit=lambda settings: Text("part of the class's logit"),
    class_specific=True,
    signed=True,
    by_query=False,
    needs=("gradient",),
)
def libra_grad(seen: ExplainContext, query: torch.Tensor, *, dtype: Precision = "network") -> Found:
    """(patch,): sum over its pixels of pixel value x balanced gradient of the class's logit.

    Nothing goes back through queries and keys, the gates of GELU and SiLU, or the deviation of a norm. In a gated MLP, each
    factor of the product has half. Any other function has its gradient. The result equals `attn_lrp` with both gammas 0 and
    through="values", which was derived in another way. The authors of LibraGrad take the product at the tokens that enter
    the first block.
    dtype  of the pass: "network", as the network computes itself, or "float64"
    Without biases, positions and learned tokens, values sum to the logit; a note with the map says how near they come. If the
    target is a function of the output, the pass back begins with each output times the function's slope there; the rules are
    for the network alone. The paper also puts the same backward pass under other methods, and its FullGrad gives biases a part.
    """
    # Attention, gates, norms and products have the same rules as in CP-LRP with gamma 0: that the two are one for input x
    # gradient is tested. An identity rule, y = x (y / x) with y / x held, is a gate held.
    rules = attention_aware(0.0, 0.0, "values")
    rest = Text("The rest is in biases, positions and learned tokens.")
    return relevance_of_pixels(seen.model, seen.pixels, seen.explained, seen.trace, rules, dtype, rest)
