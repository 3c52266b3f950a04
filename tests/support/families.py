"""Networks of timm of each family that runs in a browser: real shapes, two layers, and weights that are made up but matter."""

from dataclasses import replace
from typing import Any

import timm
import torch
from torch import nn

import vizapp
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

NARROW = {"embed_dim": 192, "num_heads": 3}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "dinov3": ("vit_small_patch16_dinov3", {"num_classes": 7}),
    "dinov3-plus": ("vit_small_plus_patch16_dinov3", {}),
    "eva02": ("eva02_tiny_patch14_224", {"num_classes": 7}),
    "eva02-norm": ("eva02_base_patch14_224", NARROW),
    "rope": ("vit_small_patch16_rope_224", NARROW),
    "deit3": ("deit3_small_patch16_224", {"num_classes": 7}),
    "dinov2-giant": ("vit_giant_patch14_reg4_dinov2", {**NARROW, "img_size": 224}),
    "beit": ("beit_base_patch16_224", {**NARROW, "num_classes": 7}),
    "relpos": ("vit_relpos_base_patch16_224", {**NARROW, "num_classes": 7}),
    "siglip": ("vit_base_patch16_siglip_224", NARROW),
    "pool-registers": ("vit_so150m_patch16_reg4_map_256", {**NARROW, "img_size": 224}),
    "clip-quickgelu": ("vit_base_patch16_clip_quickgelu_224", NARROW),
}


def made_up(net: nn.Module) -> nn.Module:
    """Weights that make every part matter: maps that are not even, layer scales and biases that are not alike."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, value in net.named_parameters():
            noise = torch.randn(value.shape, generator=generator)
            if "gamma" in name:
                value.copy_(0.3 + 0.1 * noise)
            elif name.endswith(("norm.weight", "norm1.weight", "norm2.weight", "norm_pre.weight")):
                value.copy_(1 + 0.1 * noise)
            elif "relative_position" in name or "token" in name or "latent" in name or "pos_embed" in name:
                value.copy_(noise)
            elif value.ndim > 1:
                value.copy_(noise * (3 if ".q" in name else 1) * value[0].numel() ** -0.5)
            else:
                value.copy_(0.1 * noise)
    return net.eval()


def family(name: str, **options: Any) -> VisionModel:
    title, own = FAMILIES[name]
    net = made_up(timm.create_model(title, pretrained=False, depth=2, **own | options))
    model = vizapp.describe(net)
    return replace(model, name=name, preprocess=Preprocess(model.preprocess.size, (0.5,) * 3, (0.5,) * 3))
