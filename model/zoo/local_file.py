"""Weights of your own: file:PATH.safetensors?arch=NAME, where NAME is a timm architecture.

A file that `model.train` wrote names its own architecture and needs no `arch`.
"""

from __future__ import annotations

from pathlib import Path

from model.errors import VizError
from model.labels import imagenet_labels, numbered_labels
from model.spec import VisionModel
from model.weights import load_strictly, own_vit, read_checkpoint
from model.zoo import ModelName, parse_size, timm_models

PREFIXES = ("file",)


def names() -> tuple[str, ...]:
    return ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(arch="", size="")
    state, description = read_checkpoint(asked.name)
    title = Path(asked.name).stem
    if description and not options["arch"]:
        return own_vit(title, state, description)
    if not options["arch"]:
        raise VizError(
            f"'{Path(asked.name).name}' does not say which architecture its weights belong to.",
            "Add it: file:PATH.safetensors?arch=deit_tiny_patch16_224 (a name of timm).",
        )
    n_classes = state["head.weight"].shape[0] if "head.weight" in state else 0
    net = timm_models.create(options["arch"], pretrained=False, size=parse_size(options["size"]), num_classes=n_classes)
    labels = imagenet_labels(n_classes) or numbered_labels(n_classes)
    described = timm_models.describe(net, name=f"{title} ({options['arch']})", labels=labels)
    load_strictly(net, timm_models.fit_state(net, state), options["arch"])
    return described
