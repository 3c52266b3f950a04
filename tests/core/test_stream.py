"""What each layer hands on: LeGrad beside autograd where blocks are no modules, and where sums stand outside of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from conftest import sharpen
from slow_replicas import context
from test_capture import hooks_of, pixels_for
from torch import Tensor, nn

from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.stream import stream_of
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

TARGET, DEPTH = 2, 3


def seen_by(net: nn.Module, size: int = 32) -> ExplainContext:
    model = describe(net, preprocess=Preprocess(size=(size, size)), labels=tuple("abcde"))
    return context(model, pixels_for(model), TARGET)


class Spelled(nn.Module):
    """Attention with its softmax as a module of its own, `attend`, and a projection."""

    def __init__(self, width: int, heads: int = 2) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.attend, self.heads = nn.Softmax(-1), heads

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return self.out((self.attend(q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5) @ v).transpose(1, 2).flatten(2))


class Own(nn.Module):
    """A small ViT whose blocks are written as `step` says, each of them (attention, MLP) in a ModuleList."""

    def __init__(self, step: Callable[..., Tensor], width: int = 16) -> None:
        super().__init__()
        self.patches, self.cls = nn.Conv2d(3, width, 8, 8), nn.Parameter(torch.randn(1, 1, width))
        self.layers = nn.ModuleList([nn.ModuleList([Spelled(width), self.mlp(width)]) for _ in range(DEPTH)])
        self.norm, self.head, self.step = nn.LayerNorm(width), nn.Linear(width, 5), step

    @staticmethod
    def mlp(width: int) -> nn.Module:
        return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for attention, mlp in self.layers:
            x = self.step(x, attention, mlp)
        return self.head(self.norm(x)[:, 0])


def plain(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    x = attention(x) + x
    return mlp(x) + x


def in_place(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    y = attention(x)
    y += x
    z = mlp(y)
    z += y
    return z


def parallel(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    return x + attention(x) + mlp(x)


class Outside(nn.Module):
    """A block without its sum: that is written where the block is called."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention, self.mlp = Spelled(width), Own.mlp(width)

    def forward(self, x: Tensor) -> Tensor:
        return self.mlp(self.attention(x))


class SumsOutside(Own):
    def __init__(self) -> None:
        super().__init__(plain)
        self.layers = nn.ModuleList([Outside(16) for _ in range(DEPTH)])

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for block in self.layers:
            x = x + block(x)
        return self.head(self.norm(x)[:, 0])


def vit_pytorch() -> nn.Module:
    whole = pytest.importorskip("vit_pytorch", reason="vit-pytorch is not installed")
    return whole.ViT(image_size=32, patch_size=8, num_classes=5, dim=16, depth=DEPTH, heads=2, mlp_dim=32, dim_head=8)


def layers_of(net: nn.Module) -> tuple[nn.Module, nn.ModuleList]:
    holder = net.transformer if hasattr(net, "transformer") else net
    return holder, holder.layers


def by_autograd(net: nn.Module, pixels: Tensor) -> np.ndarray:
    """(token,): the paper's formula, the list of layers cut after each, on matrices that autograd itself gives."""
    holder, layers = layers_of(net)
    maps: list[Tensor] = []
    hooks = [
        module.register_forward_hook(lambda module, args, output: maps.append(output))
        for module in net.modules()
        if isinstance(module, nn.Softmax)
    ]
    total = 0
    for depth in range(1, len(layers) + 1):
        holder.layers = layers[:depth]
        maps.clear()
        with torch.enable_grad():
            logit = net(pixels.clone().requires_grad_(True))[0, TARGET]
            (gradient,) = torch.autograd.grad(logit, maps[-1])
        total = total + gradient[0].clamp_min(0).mean((0, 1)).numpy()
    holder.layers = layers
    for hook in hooks:
        hook.remove()
    return total / len(layers)


NETWORKS = {
    "vit-pytorch": vit_pytorch,
    "sums in no module": lambda: Own(plain),
    "in place": lambda: Own(in_place),
    "attention and MLP side by side": lambda: Own(parallel),
    "sums outside of blocks": SumsOutside,
}


@pytest.mark.parametrize("make", NETWORKS.values(), ids=NETWORKS)
def test_legrad_reads_what_each_layer_hands_on(make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    net = sharpen(make()).double()
    seen = seen_by(net)
    expected = by_autograd(net, seen.pixels)
    found = method_named("legrad")(seen)
    tokens = np.concatenate([list(found.on_prefix.values()), found.scores.ravel()])
    np.testing.assert_allclose(tokens, expected, rtol=1e-9, atol=1e-15)
    assert hooks_of(net) == 0


class ReadsAll(Own):
    """Its classifier reads the mean of what all layers give."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        every = []
        for attention, mlp in self.layers:
            x = plain(x, attention, mlp)
            every.append(x)
        return self.head(self.norm(torch.stack(every).mean(0)).mean(1))


class Dense(Own):
    """A map of features, as for segmentation: no class has an index."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for attention, mlp in self.layers:
            x = plain(x, attention, mlp)
        return self.norm(x).transpose(1, 2).unflatten(2, (4, 4))


class Pooled(Dense):
    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).mean((2, 3))


def test_legrad_explains_a_function_of_any_output() -> None:
    """It asked for class 0 of an output that has no classes, to see what the classifier reads."""
    torch.manual_seed(0)
    net, pooled = sharpen(Dense(plain)).double(), Pooled(plain).double().eval()
    pooled.load_state_dict(net.state_dict())
    model = describe(net, preprocess=Preprocess(size=(32, 32)))
    seen = context(model, pixels_for(model)).of(lambda output: output[0, TARGET].mean())
    found = method_named("legrad")(seen)
    np.testing.assert_allclose(found.scores.ravel(), by_autograd(pooled, seen.pixels), rtol=1e-9, atol=1e-15)


def norm_last(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    x = nn.functional.layer_norm(x + attention(x), x.shape[-1:])
    return nn.functional.layer_norm(x + mlp(x), x.shape[-1:])


@pytest.mark.parametrize("make", [lambda: ReadsAll(plain), lambda: Own(norm_last)], ids=["reads all", "norm last"])
def test_where_layers_hand_on_nothing_that_can_be_named_legrad_is_refused(make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    seen = seen_by(sharpen(make()).double())
    with pytest.raises(VizError, match="residual stream between the layers"):
        method_named("legrad")(seen)
    assert hooks_of(seen.model.net) == 0


def test_blocks_that_are_modules_go_on_being_left_out(small: object) -> None:
    """So maps stay what they were, bit by bit."""
    seen = context(small, pixels_for(small), 0)
    assert stream_of(small, seen.pixels, seen.trace, 0).blocks == ("blocks.0", "blocks.1", "blocks.2")
