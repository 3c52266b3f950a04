"""Methods that weigh attention by gradients: each beside a slow replica of its paper, on maps that autograd itself gives."""

from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

from support import odd
from support.networks import hooks_of, pixels_for, sharpen, small_vit, timm_model
from support.slow_replicas import context, double, maps_and_gradients, tokens_of
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.gradients import attention_gradients
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

TARGET = 3


NETWORKS: dict[str, Callable[[], VisionModel]] = {
    "own": small_vit,
    "registers": lambda: small_vit(reg_tokens=2),
    "vit_tiny_patch16_224": lambda: timm_model("vit_tiny_patch16_224"),
    "vit_small_patch14_reg4_dinov2": lambda: timm_model("vit_small_patch14_reg4_dinov2", num_classes=7),
}


@pytest.fixture(params=NETWORKS)
def seen(request: pytest.FixtureRequest) -> ExplainContext:
    return double(NETWORKS[request.param](), TARGET)


def test_gradients_of_attention_are_autograds(seen: ExplainContext) -> None:
    _, expected = maps_and_gradients(seen.model.net, seen.pixels, TARGET)
    hooks = hooks_of(seen.model.net)
    for found, gradient in zip(seen.gradients, expected, strict=True):
        np.testing.assert_allclose(found.map().numpy(), gradient, rtol=1e-9, atol=1e-13)
    assert hooks_of(seen.model.net) == hooks
    assert all(parameter.grad is None for parameter in seen.model.net.parameters())


def chefer(maps: list, gradients: list, start: int) -> np.ndarray:
    """Chefer et al. 2021 (ICCV), eq. 5: A' = E_h[(dA * A)^+]; eq. 6: R = R + A' R, from R = I, first layer first."""
    n = maps[0].shape[-1]
    relevance = np.eye(n)
    for a, gradient in list(zip(maps, gradients, strict=True))[start:]:
        cam = np.zeros((n, n))
        for h in range(len(a)):
            for i in range(n):
                for j in range(n):
                    cam[i, j] += max(gradient[h, i, j] * a[h, i, j], 0) / len(a)
        relevance = relevance + cam @ relevance
    return relevance


@pytest.mark.parametrize(("query", "start"), [("cls", 0), ("1,2", 0), ("mean", 1)])
def test_chefer_equals_the_paper(seen: ExplainContext, query: str, start: int) -> None:
    whole = chefer(*maps_and_gradients(seen.model.net, seen.pixels, TARGET), start)
    found = tokens_of(method_named("chefer")(seen, query, start_layer=start))
    np.testing.assert_allclose(found, seen.trace.query(query).numpy() @ whole, rtol=1e-9, atol=1e-14)


def test_gradient_rollout_equals_its_definition(seen: ExplainContext) -> None:
    joint = np.eye(seen.trace.layout.n_tokens)
    for a, gradient in zip(*maps_and_gradients(seen.model.net, seen.pixels, TARGET), strict=True):
        step = np.eye(len(joint)) + np.maximum((gradient * a).mean(0), 0)
        joint = (step / step.sum(1, keepdims=True)) @ joint
    found = tokens_of(method_named("gradient_rollout")(seen, "2,0"))
    np.testing.assert_allclose(found, seen.trace.query("2,0").numpy() @ joint, rtol=1e-9)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("head", [None, 1])
def test_gradient_attention_equals_its_definition(seen: ExplainContext, head: int | None) -> None:
    maps, gradients = maps_and_gradients(seen.model.net, seen.pixels, TARGET)
    product = maps[1] * np.maximum(gradients[1], 0)
    expected = (product.mean(0) if head is None else product[head])[0]
    found = method_named("gradient_attention")(seen, seen.trace.layout.prefix[0], layer=1, head=head)
    np.testing.assert_allclose(tokens_of(found), expected, rtol=1e-9, atol=1e-16)


def test_legrad_equals_the_paper(seen: ExplainContext) -> None:
    """Bousselham et al.: E_l = mean over heads and queries of (ds_l/dA_l)^+, s_l read after layer l; mean over layers."""
    total = 0
    for depth in range(1, len(seen.trace.layers) + 1):
        _, gradients = maps_and_gradients(seen.model.net, seen.pixels, TARGET, depth)
        heads, queries = gradients[-1].shape[:2]
        for h in range(heads):
            for i in range(queries):
                total = total + np.maximum(gradients[-1][h, i], 0) / heads / queries
    found = tokens_of(method_named("legrad")(seen))
    np.testing.assert_allclose(found, total / len(seen.trace.layers), rtol=1e-9, atol=1e-16)
    assert hooks_of(seen.model.net) == 0


def cam_replica(seen: ExplainContext, layer: int, plus: bool) -> np.ndarray:
    """Patch by patch and feature by feature, on the output of the norm before the attention."""
    net, n_prefix = seen.model.net, seen.trace.layout.n_prefix
    kept: list[torch.Tensor] = []
    handle = net.blocks[layer].norm1.register_forward_hook(lambda module, args, output: kept.append(output))
    with torch.enable_grad():
        logit = net(seen.pixels.clone().requires_grad_(True))[0, TARGET]
        (gradient,) = torch.autograd.grad(logit, kept[0])
    handle.remove()
    x, g = kept[0][0, n_prefix:].detach().numpy(), gradient[0, n_prefix:].numpy()
    weights = []
    for k in range(x.shape[1]):
        if not plus:
            weights.append(sum(g[i, k] for i in range(len(g))) / len(g))
            continue
        weight = 0
        for i in range(len(g)):
            below = 2 * g[i, k] ** 2 + sum(x[:, k]) * g[i, k] ** 3
            weight += (g[i, k] ** 2 / below if below else 0) * max(g[i, k], 0)
        weights.append(weight)
    return np.array([max(sum(w * value for w, value in zip(weights, row, strict=True)), 0) for row in x])


@pytest.mark.parametrize(("name", "plus"), [("grad_cam", False), ("grad_cam_plus_plus", True)])
def test_grad_cam_equals_the_paper(seen: ExplainContext, name: str, plus: bool) -> None:
    expected = cam_replica(seen, 1, plus)
    assert expected.any()
    np.testing.assert_allclose(method_named(name)(seen, layer=1).scores.ravel(), expected, rtol=1e-8, atol=1e-14)


def swin(depths: tuple[int, ...]) -> VisionModel:
    options = {"img_size": 56, "window_size": 7, "depths": depths, "num_heads": (2, 4)[: len(depths)], "num_classes": 5}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options)).double()
    return timm_models.describe(net, name="swin", labels=tuple("abcde"))


@pytest.mark.parametrize("name", ["chefer", "gradient_rollout"])
def test_windows_and_layers_of_several_grids_are_followed_too(name: str) -> None:
    model = swin((1, 2))
    pixels = pixels_for(model)
    one, other = (method_named(name)(context(model, pixels, target)) for target in (0, 1))
    assert one.scores.shape == (14, 14)
    assert np.isfinite(one.scores).all()
    assert np.abs(one.scores - other.scores).max() > 1e-6 * np.abs(one.scores).max()
    with pytest.raises(VizError, match="grids of their own"):
        method_named("legrad")(context(model, pixels, 0))


@pytest.mark.parametrize("fused", [True, False])
def test_gradients_in_shifted_windows_are_autograds(fused: bool) -> None:
    """Swin spells its attention out if told to, so that autograd sees the matrices."""
    model = swin((2,))
    attention = [block.attn for block in model.net.layers[0].blocks]
    seen = context(model, pixels_for(model), 1)
    maps: list[torch.Tensor] = []
    handles = [module.softmax.register_forward_hook(lambda module, args, out: maps.append(out)) for module in attention]
    for module in attention:
        module.fused_attn = False
    with torch.enable_grad():
        logit = model.net(seen.pixels.clone().requires_grad_(True))[0, 1]
        expected = torch.autograd.grad(logit, maps)
    for handle in handles:
        handle.remove()
    for module in attention:
        module.fused_attn = fused
    for layer, found, gradient in zip(seen.trace.layers, seen.gradients, expected, strict=True):
        torch.testing.assert_close(found.parts.map(), gradient.flatten(0, 1), rtol=1e-9, atol=1e-13)
        torch.testing.assert_close(layer.parts.n_heads, found.parts.n_heads)


def test_a_trace_alone_is_not_enough_and_some_layers_are(small: VisionModel) -> None:
    seen = context(small, pixels_for(small))
    with pytest.raises(VizError, match="needs the network"):
        method_named("chefer")(seen.trace)
    with pytest.raises(VizError, match="no class 7"):
        method_named("chefer")(seen.of(7))
    seen = context(small, pixels_for(small), 0)
    (last,) = attention_gradients(small, seen.pixels, seen.trace, 0, [-1])
    torch.testing.assert_close(last.map(), seen.gradients[-1].map())


def test_daam_takes_the_patch_that_carries_what_the_class_gains_from(small: VisionModel) -> None:
    """Planted: the class gains from one feature of the first head, and one patch alone has it; another has its opposite."""
    small.net.double()
    seen = context(small, pixels_for(small), 0)
    last = seen.gradients[-1].parts
    last.left.zero_()
    last.left[0, 0, 2] = 1  # the gradient at CLS
    last.left[0, 0, 3] = -1
    last.right.zero_()
    last.right[0, 7, 2] = 1  # values: patch 6 has what speaks for the class,
    last.right[0, 8, 3] = -1  # patch 7 has less than nothing of what speaks against it, which does not count,
    last.right[0, 9, 2] = -1  # and patch 8 less than nothing of what speaks for it
    scores = method_named("daam")(seen, start_layer=2).scores.ravel()
    assert np.flatnonzero(scores).tolist() == [6]
    assert scores[6] == pytest.approx(float(seen.trace.layers[-1].map()[0, 0, 7]))


def test_daam_adds_up_layer_by_layer(seen: ExplainContext) -> None:
    each = [
        method_named("daam")(seen, layer=index, start_layer=index).scores for index in range(len(seen.trace.layers))
    ]
    np.testing.assert_allclose(method_named("daam")(seen).scores, sum(each), rtol=1e-9)
    np.testing.assert_allclose(method_named("daam")(seen, layer=1).scores, each[0] + each[1], rtol=1e-9)


class Used(odd.Attention):
    """Its map goes where `more` says, as well as to the values; the map keeps its graph."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(17, 17, 8))
        self.mixing = nn.Parameter(torch.rand(2, 2))

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        self.kept[0], made = self.more((q @ k.transpose(-2, -1) / 2).softmax(-1), v)
        return made

    def more(self, a: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return a, a @ v


class RelativeValues(Used):
    """Shaw et al. 2018, as in AutoFormer and iRPE."""

    def more(self, a: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return a, a @ v + torch.einsum("bhqk,qkd->bhqd", a, self.places)


class Talking(Used):
    def more(self, a: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        a = torch.einsum("bhqk,hg->bgqk", a, self.mixing)
        return a, a @ v


def of_odd(kind: type[nn.Module]) -> tuple[nn.Module, ExplainContext]:
    net = odd.built(type("Net", (odd.Net,), {"attention": kind})).double()
    model = describe(net, preprocess=Preprocess((32, 32)), labels=tuple("abcde"))
    return net, context(model, odd.picture().double(), TARGET)


@pytest.mark.parametrize("kind", [Used, Talking])
def test_a_map_that_weighs_values_alone_has_its_whole_gradient(kind: type[nn.Module]) -> None:
    net, seen = of_odd(kind)
    found = [one.map() for one in seen.gradients]
    score = net(odd.picture().double())[0, TARGET]
    for one, other in zip(found, torch.autograd.grad(score, [block.attn.kept[0] for block in net.blocks]), strict=True):
        torch.testing.assert_close(one, other[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["chefer", "gradient_attention", "gradient_rollout", "legrad"])
def test_a_map_that_is_used_for_more_than_its_values_is_refused(name: str) -> None:
    """A part of its gradient was taken for all of it."""
    _, seen = of_odd(RelativeValues)
    with pytest.raises(VizError, match="for something else besides weighing its values"):
        method_named(name)(seen)
    assert method_named("rollout")(seen).scores.any()
