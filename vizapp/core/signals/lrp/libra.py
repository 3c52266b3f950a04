"""LibraGrad as rules: a backward pass in which every function is linear, so that no part of the score is made or lost.

Mehri et al. 2025, LibraGrad (CVPR 2025, arXiv 2411.16760), as in the authors' code: timm/night/decomposition.py of
NightMachinery/pytorch-image-models-libragrad-v1, with its settings "LX1" and, for gated MLPs, "DU". Paths are cut where a factor
depends on the input:

- attention: nothing goes back through queries and keys (fair_qkv)
- GELU and SiLU, x times a gate: nothing goes back through the gate (GELUDecomposed, FairSiLU)
- layer norm: nothing through the variance (LayerNormDecomposed); CLIP's x / |x|: nothing through the length

and scaled where both factors stay: of the product in a gated MLP each has half (fair_gated_mlp).
"""

from __future__ import annotations

from vizapp.core.signals.lrp import Rules
from vizapp.core.signals.lrp.attention_aware import attention_aware


def libra() -> Rules:
    """Rules of the paper; a function that it does not name is treated as what it is a spelling of, or has its gradient."""
    # Attention, gates, norms and products have the same rules as in CP-LRP with gamma 0: that the two are one for input x
    # gradient is tested. An identity rule, y = x (y / x) with y / x held, is a gate held.
    return attention_aware(0.0, 0.0, "values")
