"""Weights of your own: file:PATH.safetensors?arch=NAME, where NAME is a timm architecture.

A file that `vizapp.model.toy.train` wrote names its own architecture and needs no `arch`.
Of a film (vizapp.model.film) `step` names a step of its training.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.named_weights import unnamed
from vizapp.model.spec import VisionModel
from vizapp.model.weights import load_strictly, own_network, read_checkpoint
from vizapp.model.zoo import ModelName, parse_size, parse_step, timm_models

PREFIXES = ("file",)


def names() -> tuple[str, ...]:
    return ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(arch="", size="", step="")
    state, description = read_checkpoint(asked.name)
    title, size = Path(asked.name).stem, parse_size(options["size"])
    if description and not options["arch"]:
        return own_network(title, state, description, size, parse_step(options["step"]))
    if not options["arch"]:
        raise unnamed(Path(asked.name).name)
    shape: dict[str, Any] = {"num_classes": _n_classes(state, options["arch"])}
    if any(name.endswith("fc_norm.weight") for name in state):
        shape["global_pool"] = "avg"  # fine-tuned to read the mean of the patches
    net = timm_models.create(options["arch"], pretrained=False, size=size, **shape)
    labels = imagenet_labels(shape["num_classes"]) or numbered_labels(shape["num_classes"])
    described = timm_models.describe(net, name=f"{title} ({options['arch']})", labels=labels)
    load_strictly(net, timm_models.fit_state(net, state), options["arch"])
    return described


def _n_classes(state: Mapping[str, Tensor], architecture: str) -> int:
    """The rows of the classifier in a checkpoint; 0 of one that has none.

    Its name is "head" in most files; timm says it of the others (head.fc of a Swin, head.0 of a CrossViT).
    """
    # A network in several parts may have several classifiers, each with as many rows.
    names = ["head", *timm_models.classifiers(architecture)]
    rows = (
        tensor.shape[0]
        for own in names
        for name, tensor in state.items()
        if name.endswith(f"{own}.weight") and tensor.ndim
    )
    return next(rows, 0)
