"""Relevance propagation: each set of rules beside a replica that walks through a small ViT step by step, in relevances."""

from __future__ import annotations

import math

import numpy as np
import pytest
import timm
import torch
from conftest import sharpen, small_vit
from replicas import context, maps_and_gradients
from test_capture import hooks_of, pixels_for, timm_model
from torch import Tensor, nn

from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.lrp.attention_aware import attention_aware
from vizapp.core.signals.lrp.deep_taylor import _Strict
from vizapp.errors import VizError
from vizapp.model.own import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT
from vizapp.model.zoo import timm_models

TARGET = 2


def double(model: VisionModel) -> ExplainContext:
    model.net.double()
    return context(model, pixels_for(model), TARGET)


class Walk:
    """A forward pass of our own ViT that keeps what enters and leaves each step, one picture, no batch axis."""

    def __init__(self, net: ViT, pixels: Tensor) -> None:
        self.blocks: list[dict[str, Tensor]] = []
        patches = net.patch_embed.proj(pixels)[0].flatten(1).T
        self.embedded = patches
        x = torch.cat([net.cls_token[0], patches]) + net.pos_embed[0]
        self.first = x
        for block in net.blocks:
            heads, width = block.attn.num_heads, x.shape[1]
            step = {"x": x, "normed": block.norm1(x)}
            step["qkv"] = step["normed"] @ block.attn.qkv.weight.T + block.attn.qkv.bias
            q, k, v = step["qkv"].reshape(len(x), 3, heads, width // heads).permute(1, 2, 0, 3)
            step |= {"q": q, "k": k, "v": v, "product": q @ k.transpose(1, 2)}
            step["scores"] = step["product"] / math.sqrt(width // heads)
            step["a"] = step["scores"].softmax(-1)
            step["o"] = step["a"] @ v
            step["joined"] = step["o"].transpose(0, 1).reshape(len(x), width)
            step["written"] = step["joined"] @ block.attn.proj.weight.T + block.attn.proj.bias
            step["middle"] = x + step["written"]
            step["normed2"] = block.norm2(step["middle"])
            step["hidden"] = step["normed2"] @ block.mlp.fc1.weight.T + block.mlp.fc1.bias
            step["active"] = torch.nn.functional.gelu(step["hidden"])
            step["second"] = step["active"] @ block.mlp.fc2.weight.T + block.mlp.fc2.bias
            x = step["middle"] + step["second"]
            self.blocks.append(step)
        self.last, self.normed = x, net.norm(x)
        self.logits = self.normed[0] @ net.head.weight.T + net.head.bias


def share(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, a / torch.where(b == 0, 1, b))


def joined_heads(r: Tensor) -> Tensor:
    return r.transpose(0, 1).reshape(r.shape[1], -1)


# -------------------------------------------------------------------------- Achtibat et al. 2024, with gamma 0


def of_linear(x: Tensor, weight: Tensor, y: Tensor, r: Tensor) -> Tensor:
    """Equation 8 with epsilon 0: R_j = sum_i x_j w_ij / y_i R_i, y with its bias."""
    return x * (share(r, y) @ weight)


def of_norm(x: Tensor, norm: nn.LayerNorm, y: Tensor, r: Tensor) -> Tensor:
    """The norm as a linear map with its deviation held fixed: y_i = w_i (x_i - mean) / s + b_i."""
    deviation = (x.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
    n = x.shape[-1]
    matrix = (torch.eye(n, dtype=x.dtype) - 1 / n) * norm.weight[:, None]  # y = matrix x / s + b
    return x * ((share(r, y) / deviation) @ matrix)


def of_sum(a: Tensor, b: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    return a * share(r, a + b), b * share(r, a + b)


def attn_lrp(net: ViT, pixels: Tensor) -> Tensor:
    """(rows, cols) of patches: relevance of pixels, step by step from the logit down."""
    with torch.no_grad():
        walk = Walk(net, pixels)
        start = torch.zeros_like(walk.logits)
        start[TARGET] = walk.logits[TARGET]
        r = torch.zeros_like(walk.last)
        r[0] = of_linear(walk.normed[0], net.head.weight, walk.logits, start)
        r = of_norm(walk.last, net.norm, walk.normed, r)
        for block, step in reversed(list(zip(net.blocks, walk.blocks, strict=True))):
            middle, second = of_sum(step["middle"], step["second"], r)
            hidden = of_linear(step["active"], block.mlp.fc2.weight, step["second"], second)  # gelu: identity
            normed2 = of_linear(step["normed2"], block.mlp.fc1.weight, step["hidden"], hidden)
            r = middle + of_norm(step["middle"], block.norm2, step["normed2"], normed2)
            x, written = of_sum(step["x"], step["written"], r)
            joined = of_linear(step["joined"], block.attn.proj.weight, step["written"], written)
            o = joined.reshape(len(joined), len(step["o"]), -1).transpose(0, 1)
            # Proposition 3.3: each factor of O = A V half, in proportion to its terms.
            per = share(o, step["o"])
            a = step["a"] * (per @ step["v"].transpose(1, 2)) / 2
            v = step["v"] * (step["a"].transpose(1, 2) @ per) / 2
            # Proposition 3.1: softmax, R_i = x_i (R_i - s_i sum_j R_j).
            scores = step["scores"] * (a - step["a"] * a.sum(-1, keepdim=True))
            per = share(scores, step["scores"]) / math.sqrt(step["q"].shape[-1])
            q, k = step["q"] * (per @ step["k"]) / 2, step["k"] * (per.transpose(1, 2) @ step["q"]) / 2
            qkv = torch.cat([joined_heads(q), joined_heads(k), joined_heads(v)], 1)
            normed = of_linear(step["normed"], block.attn.qkv.weight, step["qkv"], qkv)
            r = x + of_norm(step["x"], block.norm1, step["normed"], normed)
        patches = (walk.embedded * share(r[1:], walk.first[1:])).T.reshape(1, -1, 4, 4)
        per = share(patches, net.patch_embed.proj(pixels))
        back = torch.nn.functional.conv_transpose2d(per, net.patch_embed.proj.weight, stride=8)
        return (pixels * back)[0].sum(0).unflatten(0, (-1, 8)).unflatten(2, (-1, 8)).sum((1, 3))


def test_attn_lrp_equals_the_papers_rules() -> None:
    seen = double(small_vit())
    expected = attn_lrp(seen.model.net, seen.pixels).numpy()
    found = method_named("attn_lrp")(seen, linear_gamma=0.0, conv_gamma=0.0).scores
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_the_gamma_rule_is_the_papers(gamma: float) -> None:
    """Unit by unit: where an output is positive, terms above zero count 1 + gamma times; where negative, those below zero."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 6, dtype=torch.float64, generator=generator)
    weight, bias = (
        torch.randn(4, 6, dtype=torch.float64, generator=generator),
        torch.tensor([0.5, -0.3, 0.2, -1.0]).double(),
    )
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


@pytest.mark.parametrize("fused", [True, False])
def test_rules_change_no_output_and_leave_nothing(fused: bool) -> None:
    model = timm_model("vit_tiny_patch16_224")
    for module in model.net.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = fused
    seen = double(model)
    plain = model.net(seen.pixels)
    with torch.enable_grad(), attention_aware(0.1, 0.25):
        ruled = model.net(seen.pixels.clone().requires_grad_(True))
    torch.testing.assert_close(ruled.detach(), plain, rtol=1e-9, atol=1e-9)
    for name in ("attn_lrp", "transformer_attribution", "partial_lrp"):
        method_named(name)(seen)
    torch.testing.assert_close(model.net(seen.pixels), plain, rtol=0, atol=0)
    assert hooks_of(model.net) == 0


def test_fused_and_spelt_out_attention_say_the_same() -> None:
    maps = {}
    model = timm_model("vit_tiny_patch16_224")
    for fused in (True, False):
        for module in model.net.modules():
            if hasattr(module, "fused_attn"):
                module.fused_attn = fused
        seen = double(model)
        maps[fused] = [
            method_named(name)(seen).scores for name in ("attn_lrp", "transformer_attribution", "partial_lrp")
        ]
    for one, other in zip(maps[True], maps[False], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7 * np.abs(one).max())


# -------------------------------------------------------------------------------------- Chefer et al. 2021 (CVPR)


def ratio(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, a / (b + 1e-9 * b.sign()))


def positive_linear(x: Tensor, weight: Tensor, r: Tensor) -> Tensor:
    """Equation 3, output by output: in proportion to the terms x_j w_ij that are above zero."""
    found = torch.zeros_like(x)
    for n in range(len(x)):
        terms = (x[n] * weight).clamp_min(0)  # (output, input)
        found[n] = (terms * ratio(r[n], terms.sum(1))[:, None]).sum(0)
    return found


def normalised(a: Tensor, b: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    """Equations 7 to 9 for a skip connection."""
    of_a, of_b = a * ratio(r, a + b), b * ratio(r, a + b)
    whole = of_a.sum().abs() + of_b.sum().abs()
    return tuple(one * ratio(ratio(one.sum().abs(), whole) * r.sum(), one.sum()) for one in (of_a, of_b))


def relevance_of_maps(net: ViT, pixels: Tensor) -> list[Tensor]:
    """R_A (head, query, key) of each layer, first layer first."""
    found = []
    with torch.no_grad():
        walk = Walk(net, pixels)
        start = torch.zeros_like(walk.logits)
        start[TARGET] = 1
        r = torch.zeros_like(walk.last)
        r[:1] = positive_linear(walk.normed[:1], net.head.weight, start[None])  # norms hand relevance on
        for block, step in reversed(list(zip(net.blocks, walk.blocks, strict=True))):
            middle, second = normalised(step["middle"], step["second"], r)
            hidden = positive_linear(step["active"], block.mlp.fc2.weight, second)
            r = middle + positive_linear(step["normed2"], block.mlp.fc1.weight, hidden)
            x, written = normalised(step["x"], step["written"], r)
            joined = positive_linear(step["joined"], block.attn.proj.weight, written)
            per = ratio(joined.reshape(len(joined), len(step["o"]), -1).transpose(0, 1), step["o"]) / 2
            a = step["a"] * (per @ step["v"].transpose(1, 2))
            found.append(a)
            v = step["v"] * (step["a"].transpose(1, 2) @ per)
            per = ratio(a, step["product"]) / 2
            q, k = step["q"] * (per @ step["k"]), step["k"] * (per.transpose(1, 2) @ step["q"])
            qkv = torch.cat([joined_heads(q), joined_heads(k), joined_heads(v)], 1)
            r = x + positive_linear(step["normed"], block.attn.qkv.weight, qkv)
    return found[::-1]


def test_relevance_of_attention_equals_the_papers_rules() -> None:
    seen = double(small_vit())
    for layer, factor, expected in zip(
        seen.trace.layers, seen.relevances, relevance_of_maps(seen.model.net, seen.pixels), strict=True
    ):
        scale = float(expected.abs().max())
        torch.testing.assert_close(layer.map() * factor.map(), expected, rtol=1e-5, atol=1e-6 * scale)


@pytest.mark.parametrize("query", ["cls", "2,3"])
def test_transformer_attribution_equals_the_paper(query: str) -> None:
    seen = double(small_vit())
    _, gradients = maps_and_gradients(seen.model.net, seen.pixels, TARGET)
    joint = np.eye(seen.trace.layout.n_tokens)
    for gradient, relevance in zip(gradients, relevance_of_maps(seen.model.net, seen.pixels), strict=True):
        joint = (np.eye(len(joint)) + np.maximum(gradient * relevance.numpy(), 0).mean(0)) @ joint
    found = method_named("transformer_attribution")(seen, query)
    expected = seen.trace.query(query).numpy() @ joint
    np.testing.assert_allclose(found.scores.ravel(), expected[1:], rtol=1e-5, atol=1e-7 * expected[1:].max())


def test_partial_lrp_is_the_relevance_of_one_layer() -> None:
    seen = double(small_vit())
    expected = relevance_of_maps(seen.model.net, seen.pixels)[1].mean(0)[0, 1:].numpy()
    found = method_named("partial_lrp")(seen, layer=1).scores.ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_relevance_is_kept_by_the_rules() -> None:
    """The sum of R_A of the last layer: half of what comes through the attention branch goes to A, no more than 1 in all."""
    seen = double(small_vit())
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


class Linear(nn.Module):
    """The class is decided by one patch alone; attention changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 8, 8, bias=False)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = x + 0.0 * self.attention(x, x, x, need_weights=False)[0]
        return self.head(x[:, 5])


def test_a_planted_patch_takes_it_all() -> None:
    torch.manual_seed(0)
    net = Linear().double().eval()
    nn.init.zeros_(net.head.bias)
    model = describe(net, preprocess=Preprocess(size=(32, 32)), labels=("a", "b", "c"))
    seen = context(model, pixels_for(model), TARGET)
    for gamma in (0.0, 0.3):
        scores = method_named("attn_lrp")(seen, linear_gamma=gamma, conv_gamma=gamma).scores.ravel()
        assert np.flatnonzero(np.abs(scores) > 1e-9).tolist() == [5]
        assert scores[5] == pytest.approx(float(seen.trace.logits[TARGET]), rel=1e-5)
