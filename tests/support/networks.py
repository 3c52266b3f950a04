"""Small seeded networks that tests share, attention whose answer is known, and what tests ask of them."""

from collections.abc import Callable
from typing import Any

import timm
import torch
from torch import nn

from support.spellings import HEADS, Spelt
from vizapp.core.attention.layers import DenseAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.model.vit import ViT
from vizapp.model.zoo import timm_models

MIDDLE = (0.5, 0.5, 0.5)  # mean and std that bring colours to -1 .. 1
# What makes a network of transformers small, of whichever kind
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}


def sharpen(net: nn.Module, seed: int = 0) -> nn.Module:
    """Random weights under which nothing may be forgotten: biases that are not zero, attention far from uniform."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in net.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            if "qkv.weight" in name:
                parameter.copy_(noise * 2.5 / parameter.shape[-1] ** 0.5)
            elif name.endswith("bias") or parameter.ndim == 1:
                parameter.add_(0.2 * noise)
            elif "pos_embed" in name or "token" in name:
                parameter.copy_(0.5 * noise)
    return net.eval().requires_grad_(False)


def small_vit(**changes: object) -> VisionModel:
    """Our own ViT, 4 x 4 patches of 8 pixels, 3 layers of 4 heads."""
    options: dict = dict(img_size=32, patch_size=8, num_classes=5, embed_dim=32, depth=3, num_heads=4) | changes
    net = sharpen(ViT(**options))
    size = options["img_size"] if isinstance(options["img_size"], tuple) else (options["img_size"],) * 2
    return VisionModel(
        name="small",
        net=net,
        attention=tuple(f"blocks.{i}.attn" for i in range(options["depth"])),
        prefix=net.prefix,
        patch=(8, 8),
        preprocess=Preprocess(size, MIDDLE, MIDDLE),
        labels=tuple(f"class {i}" for i in range(5)),
        readout="mean" if options.get("global_pool") == "avg" else "cls",
    )


def timm_model(name: str, **options: object) -> VisionModel:
    size = 42 if "14" in name else 48
    net = sharpen(timm.create_model(name, depth=2, img_size=size, **options))
    return timm_models.describe(net, name=name, labels=timm_models.labels_of(net))


def described_timm(name: str, **options: object) -> VisionModel:
    """A network of timm with five classes and sharp random weights, as it is described when it is loaded by its name."""
    net = sharpen(timm.create_model(name, num_classes=5, **options))
    return timm_models.describe(net, name=name, labels=tuple("abcde"))


def pixels_for(model: VisionModel, seed: int = 0, batch: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    dtype = next(model.net.parameters()).dtype
    return torch.randn(batch, 3, *model.preprocess.size, generator=generator).to(dtype)


def hooks_of(net: nn.Module) -> int:
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) + len(m._backward_hooks) for m in net.modules())


def heard(
    net: nn.Module, run: Callable[[], object], hooked: Callable[[nn.Module], bool], found: Callable[..., Any]
) -> list[Any]:
    """What `found(module, inputs, output)` makes of each module that is `hooked`, in the order in which `run` comes to them."""
    made: list[Any] = []
    handles = [
        part.register_forward_hook(lambda *ran: made.append(found(*ran))) for part in net.modules() if hooked(part)
    ]
    with torch.no_grad():
        run()
    for handle in handles:
        handle.remove()
    return made


class HeadsFirst(Spelt):
    """Heads are folded into the first axis, before the pictures: (head * picture, token, channel)."""

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (one.transpose(0, 1).flatten(0, 1) for one in self.heads(x))
        return ((q @ k.mT).softmax(-1) @ v).unflatten(0, (HEADS, -1)).transpose(0, 1)


class Encoder(nn.Module):
    """Patches, PyTorch's own encoder (norm first or last; attention is one function of PyTorch), mean, classes."""

    def __init__(self, norm_first: bool, width: int = 16, heads: int = 2, depth: int = 2) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 8, 8)
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, 5)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(self.patches(pixels).flatten(2).transpose(1, 2)).mean(1))


class OnePatch(nn.Module):
    """The class stands on one patch alone, `times` as loud; attention changes nothing."""

    def __init__(self, patch: int, times: float = 1.0, bias: bool = True) -> None:
        super().__init__()
        self.patch, self.times = patch, times
        self.patches = nn.Conv2d(3, 8, 8, 8, bias=bias)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 3, bias=bias)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = x + 0.0 * self.attention(x, x, x, need_weights=False)[0]
        return self.times * self.head(x[:, self.patch])


class Routed(nn.Module):
    """A network and, after it, a softmax that weighs no values."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.router = nn.Sequential(nn.Linear(5, 2), nn.Softmax(-1))

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        logits = self.inner(pixels)
        return logits * self.router(logits).amax(-1, keepdim=True)


def stir(net: nn.Module, seed: int = 0) -> nn.Module:
    """Give every parameter a random value that shows in the output."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in net.named_parameters():
            noise = torch.randn(p.shape, generator=draw)
            if name.endswith("gamma"):
                p.copy_(0.6 + 0.2 * noise)
            elif "norm" in name and name.endswith("weight"):
                p.copy_(1 + 0.3 * noise)
            elif name.endswith("bias"):
                p.copy_(0.3 * noise)
            elif p.ndim > 1 and name.endswith("weight"):
                p.copy_(noise / p[0].numel() ** 0.5)
                if ".qkv." in name:
                    p[: 2 * len(p) // 3] *= 1.7  # q and k: maps with peaks
            else:
                p.copy_(noise)  # tokens and positions
    return net


def off(ours: torch.Tensor, theirs: torch.Tensor, at_least: float = 0.0) -> float:
    """The largest difference, relative to the largest entry."""
    assert ours.shape == theirs.shape
    ours, theirs = ours.detach(), theirs.detach()
    return float((ours - theirs).abs().max() / max(float(theirs.abs().max()), at_least))


def planted(
    *matrices: torch.Tensor, prefix: tuple[str, ...] = ("cls",), grid: tuple[int, int] = (2, 2)
) -> AttentionTrace:
    layers = tuple(DenseAttention(f"layer {i}", matrix) for i, matrix in enumerate(matrices))
    return AttentionTrace(layers, TokenLayout(prefix, grid), None, "cls")
