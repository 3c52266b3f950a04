"""Methods that weigh attention by values: beside slow replicas, and held against the network itself."""

import numpy as np
import pytest
import timm
import torch
from torch import nn

from support.networks import Encoder, pixels_for, sharpen, small_vit, timm_model
from support.slow_replicas import alti, context, double, lengths, tokens_of
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.steps import steps_to
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

NETWORKS = {
    "own": lambda: small_vit(),
    "registers": lambda: small_vit(reg_tokens=2),
    "layer scale, timm": lambda: timm_model("vit_small_patch14_reg4_dinov2"),
    "distilled, timm": lambda: timm_model("deit_tiny_distilled_patch16_224"),
}


@pytest.fixture(params=NETWORKS)
def seen(request: pytest.FixtureRequest) -> ExplainContext:
    return double(NETWORKS[request.param]())


def stream_after_attention(seen: ExplainContext) -> list[torch.Tensor]:
    """(token, D) of each block between its two sums, from the network itself: what enters norm2."""
    kept: list[torch.Tensor] = []
    handles = [
        block.norm2.register_forward_pre_hook(lambda module, args: kept.append(args[0][0]))
        for block in seen.model.net.blocks
    ]
    seen.model.net(seen.pixels)
    for handle in handles:
        handle.remove()
    return kept


def test_what_attention_writes_is_what_the_network_adds(seen: ExplainContext) -> None:
    """stream + sum_h A_h v_h W_O + bias is what the second half of the block reads."""
    for layer, parts, expected in zip(seen.trace.layers, seen.written, stream_after_attention(seen), strict=True):
        found = parts.stream + torch.einsum("hqk,hkd->qd", layer.map(), parts.vectors) + parts.bias
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("norm_first", [True, False])
def test_pytorchs_own_encoder(norm_first: bool) -> None:
    torch.manual_seed(0)
    net = sharpen(Encoder(norm_first)).double()
    model = describe(net, preprocess=Preprocess(size=(32, 32)))
    seen = context(model, pixels_for(model))
    written = seen.written
    kept: list[torch.Tensor] = []
    for layer in net.encoder.layers:  # norm2, or norm1 where norms come last, is given the sum after the attention
        norm = layer.norm2 if norm_first else layer.norm1
        norm.register_forward_pre_hook(lambda module, args: kept.append(args[0][0]))
    with torch.enable_grad():  # or PyTorch would take its fast path past the hooks
        net(seen.pixels.requires_grad_(True))
    for layer, parts, expected in zip(seen.trace.layers, written, kept, strict=True):
        found = parts.stream + torch.einsum("hqk,hkd->qd", layer.map(), parts.vectors) + parts.bias
        torch.testing.assert_close(found, expected.detach(), rtol=1e-9, atol=1e-10)


def test_what_is_not_recognised_is_refused() -> None:
    """EVA with a norm between attention and projection; an adapter beside the projection."""
    net = timm.create_model("eva02_tiny_patch14_224", depth=2, img_size=42, scale_attn_inner=True)
    model = timm_models.describe(sharpen(net), name="eva", labels=timm_models.labels_of(net))
    with pytest.raises(VizError, match="no output projection was recognised"):
        method_named("value_attention")(context(model, pixels_for(model)))
    adapted, adapter = small_vit(), nn.Linear(32, 32)
    adapted.net.blocks[1].attn.proj.register_forward_hook(lambda module, given, made: made + adapter(given[0]))
    with pytest.raises(VizError, match=r"blocks.1.attn is not added .* an adapter \(LoRA\) that is not merged"):
        method_named("value_attention")(context(adapted, pixels_for(adapted)))


@pytest.mark.parametrize("query", ["cls", "2,1", "mean"])
def test_value_attention_equals_the_paper(seen: ExplainContext, query: str) -> None:
    found = tokens_of(method_named("value_attention")(seen, query, layer=1))
    np.testing.assert_allclose(found, seen.trace.query(query).numpy() @ lengths(seen, 1), rtol=1e-8, atol=1e-12)


def test_value_attention_of_one_head_and_value_rollout_equal_the_paper(seen: ExplainContext) -> None:
    a, f = seen.trace.layers[0].map()[2, 0].numpy(), seen.written[0].vectors[2].numpy()
    expected = [np.linalg.norm(share * vector) for share, vector in zip(a, f, strict=True)]
    found = tokens_of(method_named("value_attention")(seen, "cls", layer=0, head=2))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    joint = np.eye(seen.trace.layout.n_tokens)
    for layer in range(len(seen.trace.layers)):
        norms = lengths(seen, layer)
        joint = (0.3 * np.eye(len(joint)) + 0.7 * norms / norms.sum(1, keepdims=True)) @ joint
    found = tokens_of(method_named("value_rollout")(seen, "cls", skip_weight=0.3))
    np.testing.assert_allclose(found, joint[0], rtol=1e-7, atol=1e-12)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("query", ["cls", "0,2"])
def test_alti_equals_the_paper(seen: ExplainContext, query: str) -> None:
    found = tokens_of(method_named("alti")(seen, query))
    parts = zip(seen.trace.layers, seen.written, strict=True)
    whole = alti((layer.map(), one.vectors, one.stream, one.bias) for layer, one in parts)
    np.testing.assert_allclose(found, seen.trace.query(query).numpy() @ whole, rtol=1e-8, atol=1e-13)
    assert found.sum() == pytest.approx(1)


class SpeltNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.randn(width)), 1e-6

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (x.pow(2).mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


def test_alti_of_a_post_norm_network_equals_the_paper() -> None:
    """Ferrando et al. 2022, section 3, for y = LN(x + MHA(x)): each part goes through the linear part of its token's norm."""
    torch.manual_seed(0)
    net = sharpen(Encoder(norm_first=False)).double()
    for layer in net.encoder.layers:
        for norm in (layer.norm1, layer.norm2):
            nn.init.normal_(norm.weight)
            nn.init.normal_(norm.bias)
    model = describe(net, preprocess=Preprocess(size=(32, 32)))
    seen = context(model, pixels_for(model))
    given: list[torch.Tensor] = []
    normed: list[torch.Tensor] = []
    for layer in net.encoder.layers:
        layer.register_forward_pre_hook(lambda module, args: given.append(args[0][0].detach()))
        layer.norm1.register_forward_hook(lambda module, args, output: normed.append(output[0].detach()))
    with torch.enable_grad():
        net(seen.pixels.clone().requires_grad_(True))
    joint = np.eye(16)
    for layer, x, y, attention in zip(net.encoder.layers, given, normed, seen.trace.layers, strict=True):
        own, a, c = layer.self_attn, attention.map(), np.zeros((16, 16))
        v = (x @ own.in_proj_weight[32:].T + own.in_proj_bias[32:]).detach().unflatten(-1, (2, 8))
        w = own.out_proj.weight.detach().unflatten(-1, (2, 8))
        for i in range(16):
            parts = [
                sum(a[h, i, j] * (w[:, h] @ v[j, h]) for h in range(2)) + (x[i] if i == j else 0) for j in range(16)
            ]
            z = sum(parts) + own.out_proj.bias.detach()
            centre = torch.eye(16).double() - 1 / 16
            linear = layer.norm1.weight.detach().diag() @ centre / (z.var(correction=0) + layer.norm1.eps).sqrt()
            t = [linear @ part for part in parts]
            whole = sum(t) + linear @ own.out_proj.bias.detach() + layer.norm1.bias.detach()
            torch.testing.assert_close(whole, y[i])
            c[i] = [max(float(y[i].abs().sum() - (y[i] - part).abs().sum()), 0) for part in t]
        joint = c / c.sum(1, keepdims=True) @ joint
    found = tokens_of(method_named("alti")(seen, "1,2"))
    np.testing.assert_allclose(found, joint[6], rtol=1e-8, atol=1e-13)
    step = steps_to(model, seen.pixels, seen.trace, 0, 6, 3)
    assert step.between is not None
    assert step.rest is None, "what the norm does is not what the MLP adds"
    assert "norm changes the whole token" in step.left_out["rest"]

    for layer in net.encoder.layers:
        layer.norm1 = SpeltNorm(16).double()
    with pytest.raises(VizError, match="more than a norm of PyTorch's own"):
        method_named("alti")(context(model, pixels_for(model)), "1,2")


def test_alti_of_a_tiny_layer_scale_holds_in_float32() -> None:
    """|y| - |y - T| of two large numbers left rounding only, where T is a millionth of y."""
    torch.manual_seed(0)
    model = timm_model("vit_small_patch14_reg4_dinov2")
    for block in model.net.blocks:
        block.ls1.gamma.data.fill_(1e-6)
    narrow = tokens_of(method_named("alti")(context(model, pixels_for(model)), "cls"))
    wide = tokens_of(method_named("alti")(double(model), "cls"))
    np.testing.assert_allclose(narrow[1:], wide[1:], rtol=2e-3)
    assert narrow[1:].max() > 0


def test_a_token_without_values_gets_nothing(small: VisionModel) -> None:
    """Planted: all tokens are looked at alike, but the values of all patches except one are zero."""
    small.net.double()
    seen = context(small, pixels_for(small))
    parts = seen.written[-1]
    parts.vectors[:, 1:] = 0
    parts.vectors[:, 7] = 1.0
    scores = method_named("value_attention")(seen, "cls").scores.ravel()
    assert np.flatnonzero(scores > 1e-12).tolist() == [6]


def test_what_alti_loses_is_said(small: VisionModel) -> None:
    """Planted: the bias takes away all that CLS gets, so none of its parts is near to what it becomes."""
    small.net.double()
    seen = context(small, pixels_for(small))
    whole = method_named("alti")(seen, "cls")
    assert whole.notes == ()
    layer, parts = seen.trace.layers[-1], seen.written[-1]
    parts.bias.copy_(-(parts.stream[0] + torch.einsum("hk,hkd->d", layer.map()[:, 0], parts.vectors)))
    lost = method_named("alti")(seen, "cls")
    assert lost.scores.sum() + sum(lost.on_prefix.values()) == pytest.approx(0, abs=1e-9)
    assert lost.notes == ("100.0% is lost on tokens that are far from all of their parts.",)
