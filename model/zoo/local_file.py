"""Weights of your own: file:PATH.safetensors?arch=NAME, where NAME is a timm architecture; PATH.pth, too (torch_file.py).

A file of our own training names its own architecture and needs no `arch`, and neither does a file that has the
architecture in its name. For a film (vizapp.model.film), `step` names a step of its training.
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.named_weights import architecture_of, words_beside
from vizapp.model.spec import VisionModel
from vizapp.model.timm_names import known
from vizapp.model.torch_file import is_torch_file, read_torch_file
from vizapp.model.weights import load_strictly, network_of_checkpoint, read_checkpoint, weights_at
from vizapp.model.zoo import ModelName, parse_size, parse_step, timm_models
from vizapp.wording import Text

PREFIXES = ("file",)


def names() -> tuple[str, ...]:
    return ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(arch="", size="", step="")
    path, notes = weights_at(asked.name), tuple[Text, ...]()
    description: dict[str, Any] = {}
    if is_torch_file(path):
        state, said, notes = read_torch_file(path)
    else:
        state, description = read_checkpoint(path)
        said = words_beside(path) or {}
    title, size = path.stem, parse_size(options["size"])
    if description and not options["arch"]:
        return network_of_checkpoint(title, state, description, size, parse_step(options["step"]))
    arch = options["arch"]
    if not arch:
        arch = architecture_of(path.name, said, known())
        notes += (Text("The weights were loaded as those of {arch}, because the file or its name says so.", arch=arch),)
    shape: dict[str, Any] = {"num_classes": _n_classes(state, arch)}
    if any(name.endswith("fc_norm.weight") for name in state):
        shape["global_pool"] = "avg"  # fine-tuned to read the mean of the patches
    net = timm_models.create(arch, pretrained=False, size=size, **shape)
    labels = imagenet_labels(shape["num_classes"]) or numbered_labels(shape["num_classes"])
    described = timm_models.describe(net, name=f"{title} ({arch})", labels=labels, notes=notes)
    load_strictly(net, timm_models.fit_state(net, state), arch)
    return described


def _n_classes(state: Mapping[str, Tensor], architecture: str) -> int:
    """Count the rows of the classifier in a checkpoint; 0 if it has none.

    Its name is "head" in most files; timm names the others (head.fc of a Swin, head.0 of a CrossViT).
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
