"""Our ViT loads the checkpoints of timm's architectures, by their names."""

from typing import Any

import pytest
import timm
import torch

from support.networks import off, stir
from vizapp.model.vit import ViT, resize_state_dict

REAL: dict[str, dict[str, Any]] = {
    "vit_tiny_patch16_224": {"embed_dim": 192, "num_heads": 3},
    "deit_tiny_distilled_patch16_224": {"embed_dim": 192, "num_heads": 3, "distilled": True},
    "vit_small_patch16_224.dino": {"embed_dim": 384, "num_heads": 6, "num_classes": 0},
    "deit3_small_patch16_224": {"embed_dim": 384, "num_heads": 6, "no_embed_class": True, "init_values": 1e-6},
    "vit_small_patch14_dinov2": {
        "img_size": 518,
        "patch_size": 14,
        "embed_dim": 384,
        "num_heads": 6,
        "num_classes": 0,
        "init_values": 1e-5,
    },
    "vit_small_patch14_reg4_dinov2": {
        "img_size": 518,
        "patch_size": 14,
        "embed_dim": 384,
        "num_heads": 6,
        "num_classes": 0,
        "init_values": 1e-5,
        "reg_tokens": 4,
        "no_embed_class": True,
    },
}


@pytest.mark.parametrize("name", REAL)
def test_loads_timm_s_own_architecture_by_name(name: str) -> None:
    """A checkpoint of this name loads with nothing missing and nothing left over, and agrees with timm as built."""
    theirs = stir(timm.create_model(name, pretrained=False).eval())
    with torch.device("meta"):  # no time for an initialisation that is overwritten
        ours = ViT(**REAL[name]).eval()
        p = ours.patch_embed.patch_size
        resized = ViT(**REAL[name] | {"img_size": (5 * p, 8 * p)}).eval()
    ours.load_state_dict(theirs.state_dict(), strict=True, assign=True)
    resized.load_state_dict(resize_state_dict(ours.state_dict(), resized), strict=True, assign=True)
    pixels = torch.randn(1, 3, *ours.img_size, generator=torch.Generator().manual_seed(4))
    with torch.inference_mode():
        if ours.img_size == (224, 224):
            assert off(ours(pixels), theirs(pixels)) < 2e-5

        theirs.set_input_size(resized.img_size)
        pixels = pixels[:, :, : 5 * p, : 8 * p]
        assert off(resized(pixels), theirs(pixels)) < 2e-5
