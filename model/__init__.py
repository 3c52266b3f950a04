"""What the network is: Vision Transformers, where they come from, and how they see a picture. Knows nothing of vizapp."""

from __future__ import annotations

import torch

from model.device import choose_device
from model.errors import VizError
from model.spec import VisionModel
from model.zoo import ModelName, sources

DEFAULT = "toy"


def names() -> tuple[str, ...]:
    """The models to offer in a list: the bundled ones first, then well-known ones that are downloaded on first use."""
    modules = list(dict.fromkeys(sources().values()))
    modules.sort(key=lambda module: "bundled" not in module.PREFIXES)
    return tuple(name for module in modules for name in module.names())


def load(name: str = DEFAULT, device: str | torch.device | None = None) -> VisionModel:
    """The model called `name`, in eval mode, on `device` (by default the best one there is).

    "toy"                                   a bundled model, no network needed
    "timm:vit_base_patch16_224"             any network of timm that attends, pretrained; "?pretrained=no" for random weights,
                                            "?size=384" for another input size
    "hf-hub:timm/vit_small_patch16_224.dino"  the same, from the Hugging Face hub
    "hf:google/vit-base-patch16-224"        a model of Hugging Face transformers, or a folder that it saved
    "torchvision:vit_b_16"                  of torchvision
    "open_clip:ViT-B-32?pretrained=TAG"     the vision tower of an open_clip model
    "file:PATH.safetensors?arch=deit_tiny_patch16_224"  weights of your own
    Raises `VizError` for everything that can go wrong on the way.
    """
    asked = ModelName.parse(name)
    if asked.source not in sources():
        known = ", ".join(f"{source}:" for source in sources())
        raise VizError(f"'{name}' starts with an unknown source '{asked.source}:'.", f"Model names start with {known}.")
    chosen = choose_device(str(device) if device is not None else None)
    model: VisionModel = sources()[asked.source].load(asked)
    model.net.to(chosen).eval().requires_grad_(False)
    return model
