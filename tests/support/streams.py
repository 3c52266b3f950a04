"""Networks whose residual stream runs in other ways than a plain ViT's."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from support.networks import pixels_for
from support.slow_replicas import context
from vizapp.core.context import ExplainContext
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

    def entered(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        return torch.cat([self.cls.expand(len(x), -1, -1), x], 1)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.entered(pixels)
        for attention, mlp in self.layers:
            x = self.step(x, attention, mlp)
        return self.head(self.norm(x)[:, 0])


def plain(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    x = attention(x) + x
    return mlp(x) + x


def parallel(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    return x + attention(x) + mlp(x)


def vit_pytorch() -> nn.Module:
    whole = pytest.importorskip("vit_pytorch", reason="vit-pytorch is not installed")
    return whole.ViT(image_size=32, patch_size=8, num_classes=5, dim=16, depth=DEPTH, heads=2, mlp_dim=32, dim_head=8)


class ReadsAll(Own):
    """Its classifier reads the mean of what all layers give."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        every = []
        for attention, mlp in self.layers:
            x = plain(x, attention, mlp)
            every.append(x)
        return self.head(self.norm(torch.stack(every).mean(0)).mean(1))


class Block(nn.Module):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.attention, self.mlp = Spelled(width), Own.mlp(width)

    def forward(self, x: Tensor) -> Tensor:
        return plain(x, self.attention, self.mlp)


class Tied(Own):
    """One block for all layers, as in ALBERT."""

    def __init__(self) -> None:
        super().__init__(plain)
        self.layers = Block()

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.entered(pixels)
        for _ in range(3):
            x = self.layers(x)
        return self.head(self.norm(x)[:, 0])
