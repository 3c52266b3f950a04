"""Small seeded checkpoints of our own ViT on disk, as our own training writes them, so that a test needs no trained model."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from support.networks import sharpen, small_vit
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT

SMALL = {"img_size": 32, "patch_size": 8, "num_classes": 5, "embed_dim": 32, "depth": 3, "num_heads": 4}


def save_vit(
    path: Path,
    *,
    seed: int = 0,
    fit: str = "crop",
    notes: tuple[str, ...] = (),
    sink: int | None = None,
    **changes: Any,
) -> str:
    """Write `ViT(**SMALL | changes)` with random weights to `path` (.safetensors); its name for `vizapp.load`.

    sink  a token that is to swallow attention
    """
    architecture = SMALL | changes
    size = architecture["img_size"]
    about = {
        "architecture": architecture,
        "size": list(size) if isinstance(size, tuple) else size,
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
        "interpolation": "bicubic",
        "crop": 1.0,
        "fit": fit,
        "labels": [f"thing {i}" for i in range(architecture["num_classes"])],
        "subject": "scenes",
        "notes": notes,
        "facts": {"licence": "MIT"},
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # of what `sharpen` leaves as it was made
        net = sharpen(ViT(**architecture), seed)
    for block in net.blocks:
        block.attn.qkv.weight.mul_(0.6)  # scores with a standard deviation between 2 and 3, as in trained networks
    if sink is not None:
        plant_sink(net, sink)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: value.contiguous() for name, value in net.state_dict().items()}, path, {"vizapp": json.dumps(about)}
    )
    return f"file:{path}"


def add_clip(folder: Path, *, context_length: int = 16, vocab_size: int = 49408) -> str:
    """A name that open_clip knows from now on, of two towers small enough for a test."""
    import open_clip  # is an extra

    towers = {
        "embed_dim": 32,
        "vision_cfg": {"image_size": 48, "layers": 2, "width": 64, "head_width": 16, "patch_size": 8},
        "text_cfg": {"context_length": context_length, "vocab_size": vocab_size, "width": 32, "heads": 2, "layers": 1},
    }
    (folder / "vizapp-small.json").write_text(json.dumps(towers))
    open_clip.add_model_config(folder / "vizapp-small.json")
    return "vizapp-small"


@torch.no_grad()
def plant_sink(net: nn.Module, token: int) -> None:
    """Its position embedding becomes far longer than all others, and the queries of every layer like its direction."""
    width = net.pos_embed.shape[-1]
    direction = torch.randn(width, generator=torch.Generator().manual_seed(1))
    net.pos_embed[0, token] = 40 * direction / direction.norm()
    for block in net.blocks:
        k = block.attn.qkv.weight[width : 2 * width] @ block.norm1(net.pos_embed[0, token])
        block.attn.qkv.bias[:width] = 12 * k / k.norm()


def with_a_sink(token: int, **changes: object) -> VisionModel:
    """`small_vit`, in which a token swallows attention."""
    torch.manual_seed(0)
    model = small_vit(**changes)
    plant_sink(model.net, token)
    return model
