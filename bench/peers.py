"""Other libraries' own ways to hand out attention, each beside its own plain forward pass (ViT-B/16, random weights)."""

from collections.abc import Callable
from typing import Any

import torch
from transformers import ViTConfig, ViTModel
from vit_pytorch import ViT
from vit_pytorch.recorder import Recorder

from bench.measure import Result, ratios

Pass = Callable[[torch.Tensor], Any]
SIZES = {
    "image_size": 224,
    "patch_size": 16,
    "num_classes": 1000,
    "dim": 768,
    "depth": 12,
    "heads": 12,
    "mlp_dim": 3072,
}


def measure(repeats: int) -> list[Result]:
    torch.manual_seed(0)
    fused, eager = (ViTModel(ViTConfig(attn_implementation=one)).eval() for one in ("sdpa", "eager"))
    net, recorded = ViT(**SIZES).eval(), Recorder(ViT(**SIZES).eval())
    peers: dict[str, tuple[Pass, Pass]] = {
        "transformers, eager, output_attentions (over its fused pass)": (
            fused,
            lambda pixels: eager(pixels, output_attentions=True).attentions,
        ),
        "vit-pytorch, Recorder (over its own pass, which is not fused)": (net, lambda pixels: recorded(pixels)[1][0]),
    }
    return [Result(f"peer: {what}", "x plain", times(*two, repeats)) for what, two in peers.items()]


@torch.no_grad()
def times(plain: Pass, attentions: Pass, repeats: int) -> tuple[float, ...]:
    """What a pass that hands out attention takes, over the plain one."""
    pixels = torch.randn(1, 3, 224, 224)
    assert len(attentions(pixels)) == 12
    _, (found,) = ratios(lambda: plain(pixels), [lambda: attentions(pixels)], repeats)
    return found
