"""Other libraries' own ways to hand out attention, each beside its own plain forward pass (ViT-B/16, random weights)."""

from __future__ import annotations

import torch
from transformers import ViTConfig, ViTModel
from vit_pytorch import ViT
from vit_pytorch.recorder import Recorder

from bench.measure import Result, ratios


def measure(repeats: int) -> list[Result]:
    torch.manual_seed(0)
    pixels = torch.randn(1, 3, 224, 224)
    return [transformers(pixels, repeats), vit_pytorch(pixels, repeats)]


def transformers(pixels: torch.Tensor, repeats: int) -> Result:
    fused = ViTModel(ViTConfig(attn_implementation="sdpa")).eval()
    eager = ViTModel(ViTConfig(attn_implementation="eager")).eval()

    @torch.no_grad()
    def plain() -> object:
        return fused(pixels)

    @torch.no_grad()
    def attentions() -> list[torch.Tensor]:
        return list(eager(pixels, output_attentions=True).attentions)

    assert len(attentions()) == 12
    _, (times,) = ratios(plain, [attentions], repeats)
    return Result("peer: transformers, eager, output_attentions (over its fused pass)", "x plain", times)


def vit_pytorch(pixels: torch.Tensor, repeats: int) -> Result:
    sizes = {
        "image_size": 224,
        "patch_size": 16,
        "num_classes": 1000,
        "dim": 768,
        "depth": 12,
        "heads": 12,
        "mlp_dim": 3072,
    }
    net = ViT(**sizes).eval()
    recorded = Recorder(ViT(**sizes).eval())

    @torch.no_grad()
    def plain() -> object:
        return net(pixels)

    @torch.no_grad()
    def attentions() -> torch.Tensor:
        return recorded(pixels)[1]

    assert attentions().shape[1] == 12
    _, (times,) = ratios(plain, [attentions], repeats)
    return Result("peer: vit-pytorch, Recorder (over its own pass, which is not fused)", "x plain", times)
