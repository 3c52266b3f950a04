"""Relevance propagation: rules beside those of their papers, and where all must come back. Whole maps: test_references.py."""

from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bench.references.relevance import relevance_of_maps
from support.networks import OnePatch, hooks_of, pixels_for, sharpen, small_vit, timm_model
from support.slow_replicas import context, double
from support.together import together
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.core.signals.lrp.deep_taylor import _Strict
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

TARGET = 2


@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_the_gamma_rule_is_the_papers(gamma: float) -> None:
    """Unit by unit: where an output is positive, terms above zero count 1 + gamma times; where negative, those below zero."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 6, dtype=torch.float64, generator=generator)
    weight = torch.randn(4, 6, dtype=torch.float64, generator=generator)
    bias = torch.tensor([0.5, -0.3, 0.2, -1.0]).double()
    relevance = torch.randn(4, dtype=torch.float64, generator=generator)
    y = weight @ x[0] + bias
    expected = torch.zeros(6, dtype=torch.float64)
    for i in range(4):
        sign = 1 if y[i] > 0 else -1
        terms = [float(x[0, j] * weight[i, j]) for j in range(6)]
        raised = [term * (1 + gamma) if term * sign > 0 else term for term in [*terms, float(bias[i])]]
        for j in range(6):
            expected[j] += raised[j] / sum(raised) * relevance[i]
    x = x.requires_grad_(True)
    with torch.enable_grad(), attention_aware(gamma, 0.0):
        output = torch.nn.functional.linear(x * 1.0, weight, bias)
    torch.testing.assert_close(output[0], y)
    (gradient,) = torch.autograd.grad(output[0], x, relevance / y)
    torch.testing.assert_close((gradient * x)[0].detach(), expected)


def tiny(fused: bool) -> ExplainContext:
    """A look at a network of timm, the same each time, whose attention is one function or spelt out."""
    torch.manual_seed(0)
    model = timm_model("vit_tiny_patch16_224")
    for module in model.net.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = fused
    return double(model, TARGET)


@pytest.mark.parametrize("fused", [True, False])
def test_rules_change_no_output_and_leave_nothing(fused: bool) -> None:
    seen = tiny(fused)
    model, plain = seen.model, seen.model.net(seen.pixels)
    with torch.enable_grad(), attention_aware(0.1, 0.25):
        ruled = model.net(seen.pixels.clone().requires_grad_(True))
    torch.testing.assert_close(ruled.detach(), plain, rtol=1e-9, atol=1e-9)
    for name in ("attn_lrp", "transformer_attribution", "partial_lrp"):
        method_named(name)(seen)
    torch.testing.assert_close(model.net(seen.pixels), plain, rtol=0, atol=0)
    assert hooks_of(model.net) == 0


def test_fused_and_spelt_out_attention_say_the_same() -> None:
    fused, spelt = tiny(True), tiny(False)
    for name in ("attn_lrp", "transformer_attribution", "partial_lrp"):
        one, other = (method_named(name)(seen).scores for seen in (fused, spelt))
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7 * np.abs(one).max())
    one, other = (method_named("attn_lrp")(seen, through="values").scores for seen in (fused, spelt))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * np.abs(one).max())


# -------------------------------------------------------------------------------------- Chefer et al. 2021 (CVPR)


def test_relevance_of_attention_equals_the_papers_rules() -> None:
    seen = double(small_vit(), TARGET)
    replica = relevance_of_maps(seen.model.net, seen.pixels, TARGET)
    for layer, factor, expected in zip(seen.trace.layers, seen.relevances, replica, strict=True):
        scale = float(expected.abs().max())
        torch.testing.assert_close(layer.map() * factor.map(), expected, rtol=1e-5, atol=1e-6 * scale)
    expected = replica[1].mean(0)[0, 1:].numpy()
    found = method_named("partial_lrp")(seen, layer=1).scores.ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    # The sum of R_A of the last layer: half of what comes through the attention branch goes to A, no more than 1 in all.
    total = float((seen.trace.layers[-1].map() * seen.relevances[-1].map()).sum())
    assert 0 < abs(total) < 0.5


def test_a_mean_is_a_sum_of_its_parts() -> None:
    """Planted: of two tokens with 3 and 1 in a feature, the first gets three quarters of its relevance."""
    x = torch.tensor([[[3.0], [1.0]]]).requires_grad_(True)
    with torch.enable_grad(), _Strict():
        y = x.clone().mean(1)
    (relevance,) = torch.autograd.grad(y, x, torch.ones_like(y))
    torch.testing.assert_close(relevance, torch.tensor([[[0.75], [0.25]]]))


def test_what_the_paper_has_no_rule_for_is_refused() -> None:
    """Gated MLPs multiply two activations."""
    net = timm.create_model("eva02_tiny_patch14_224", depth=1, img_size=42, num_classes=3)
    model = timm_models.describe(sharpen(net), name="eva", labels=tuple("abc"))
    seen = context(model, pixels_for(model), 0)
    with pytest.raises(VizError, match="no relevance rule"):
        method_named("transformer_attribution")(seen)
    assert np.isfinite(method_named("attn_lrp")(seen).scores).all()


def test_a_planted_patch_takes_it_all() -> None:
    torch.manual_seed(0)
    model = describe(
        OnePatch(5, bias=False).double().eval(), preprocess=Preprocess(size=(32, 32)), labels=("a", "b", "c")
    )
    seen = context(model, pixels_for(model), TARGET)
    for gamma in (0.0, 0.3):
        scores = method_named("attn_lrp")(seen, linear_gamma=gamma, conv_gamma=gamma).scores.ravel()
        assert np.flatnonzero(np.abs(scores) > 1e-9).tolist() == [5]
        assert scores[5] == pytest.approx(float(seen.trace.logits[TARGET]), rel=1e-5)


def without_constants(net: nn.Module) -> nn.Module:
    """Nothing but the picture adds anything: no biases, positions, class token."""
    for name, parameter in net.named_parameters():
        if "bias" in name or "pos_embed" in name or "token" in name:
            nn.init.zeros_(parameter)
    return net


def gated() -> VisionModel:
    """EVA02: SwiGLU, rotary positions, a norm inside of the MLP."""
    torch.manual_seed(0)
    net = timm.create_model("eva02_tiny_patch14_224", depth=2, img_size=42, num_classes=3)
    nn.init.normal_(net.head.weight)  # scores that are not all but zero
    return timm_models.describe(sharpen(net), name="eva", labels=tuple("abc"))


def test_it_is_cp_lrp_with_gamma_0_and_leaves_no_rules() -> None:
    seen = double(small_vit(), TARGET)
    other = method_named("attn_lrp")(seen, linear_gamma=0.0, conv_gamma=0.0, through="values")
    net = seen.model.net
    before = net(seen.pixels)
    found = method_named("libra_grad")(seen)
    np.testing.assert_allclose(found.scores, other.scores, rtol=1e-9)
    for one in (found, other):
        (kept,) = one.notes
        assert kept.values["total"] == f"{one.scores.sum():.3g}"
        assert kept.values["logit"] == f"{float(seen.trace.logits[TARGET]):.3g}"
    torch.testing.assert_close(net(seen.pixels), before, rtol=0, atol=0)
    assert hooks_of(net) == 0


@pytest.mark.parametrize("make", [small_vit, gated])
def test_without_constants_all_of_the_logit_comes_back(make: Callable[[], VisionModel]) -> None:
    """Planted: where only the picture adds anything, patches sum to the logit; the plain gradient makes or loses some."""
    model = make()
    without_constants(model.net)
    seen = double(model, TARGET)
    logit = float(seen.trace.logits[TARGET])
    assert abs(logit) > 1e-3
    assert method_named("libra_grad")(seen).scores.sum(dtype=np.float64) == pytest.approx(logit, rel=1e-6)
    with torch.enable_grad():
        pixels = seen.pixels.double().requires_grad_(True)
        (plain,) = torch.autograd.grad(model.net(pixels)[0, TARGET], pixels)
    assert float((plain * pixels.detach()).sum()) != pytest.approx(logit, rel=0.1)


SPELT: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": F.silu,
    "swiglu": lambda x: F.silu(x[:, :3]) * x[:, 3:],
    "layer norm": lambda x: F.layer_norm(x, (6,)),
    "rms norm": lambda x: F.rms_norm(x, (6,)),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "attention spelt out": lambda x: (x @ x.mT).softmax(-1) @ x,
}


@together("name", SPELT)
def test_each_function_hands_on_all_of_its_output(name: str) -> None:
    """x times its gradient sums to the output, weighed at random, which does not change."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 6, dtype=torch.float64, generator=generator).requires_grad_(True)
    plain = SPELT[name](x.detach())
    weight = torch.randn(plain.shape, dtype=torch.float64, generator=generator)
    with torch.enable_grad(), attention_aware(0.0, 0.0, "values"):
        y = SPELT[name](x * 1.0)
    torch.testing.assert_close(y.detach(), plain, rtol=1e-12, atol=1e-12)
    (gradient,) = torch.autograd.grad((y * weight).sum(), x)
    assert float((gradient * x.detach()).sum()) == pytest.approx(float((plain * weight).sum()), rel=1e-9)
