"""LibraGrad: beside a forward pass with what the paper prunes detached, and where all of the score must come back."""

from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bench.references.libra import input_gradient
from bench.references.seen import Picture
from support.networks import hooks_of, sharpen, small_vit
from support.slow_replicas import double
from support.together import together
from vizapp.core.methods import method_named
from vizapp.core.signals.lrp.libra import libra
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

TARGET = 2


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


def test_libra_grad_equals_the_authors_detached_pass() -> None:
    seen = double(small_vit(), TARGET)
    expected = input_gradient(Picture(seen.model.net, seen.pixels.double(), TARGET))
    found = method_named("libra_grad")(seen)
    np.testing.assert_allclose(found.scores.ravel(), expected, rtol=1e-9, atol=1e-10 * np.abs(expected).max())
    (kept,) = found.notes
    assert kept.values["total"] == f"{expected.sum():.3g}"
    assert kept.values["logit"] == f"{float(seen.trace.logits[TARGET]):.3g}"


def test_it_is_cp_lrp_with_gamma_0_and_leaves_no_rules() -> None:
    seen = double(small_vit(), TARGET)
    other = method_named("attn_lrp")(seen, linear_gamma=0.0, conv_gamma=0.0, through="values")
    np.testing.assert_allclose(method_named("libra_grad")(seen).scores, other.scores, rtol=1e-9)
    model = small_vit()
    seen = double(model, TARGET)
    before = model.net(seen.pixels.double())
    method_named("libra_grad")(seen)
    torch.testing.assert_close(model.net(seen.pixels.double()), before, rtol=0, atol=0)
    assert hooks_of(model.net) == 0


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
    "layer norm spelt out": lambda x: (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 1e-6).sqrt(),
    "rms norm": lambda x: F.rms_norm(x, (6,)),
    "rms norm spelt out": lambda x: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "normalize spelt out": lambda x: x / x.norm(dim=-1, keepdim=True),
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
    with torch.enable_grad(), libra():
        y = SPELT[name](x * 1.0)
    torch.testing.assert_close(y.detach(), plain, rtol=1e-12, atol=1e-12)
    (gradient,) = torch.autograd.grad((y * weight).sum(), x)
    assert float((gradient * x.detach()).sum()) == pytest.approx(float((plain * weight).sum()), rel=1e-9)
