"""A network as one file for browsers, "VZN1": what vizapp/browser/engine/network.js reads.

    bytes = pack_network(vizapp.load("toy"))

    "VZN1", the length of the header (uint32, little-endian), the header (JSON, padded with spaces), then tensors, each at a
    multiple of 16 bytes from the end of the header. header["tensors"][name] = [offset, "f16" or "f32", shape], by the names
    of model/vit.py's `state_dict`.

Matrices travel in half precision, all that has one number per channel (norms, biases, CLS) in full: it is some
hundredths of the file, and the outliers of trained networks sit there.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from vizapp.browser.plain import plain_vit, refused
from vizapp.errors import VizError
from vizapp.model.crate import CRATE
from vizapp.model.spec import VisionModel, refuse_unready
from vizapp.model.vit import ViT
from vizapp.wording import Text

MAGIC = b"VZN1"
VERSION = 1
ALIGNED = 16
# Rounding to half precision changes a matrix of ordinary numbers by 2^-12.6 of its length (L2). Where it changes it by more
# than this, many of its numbers are too small for half precision (below 6e-5), and the matrix stays as it is.
ROUNDING = 2**-11


def pack_network(model: VisionModel, *, half: bool = True, head_means: Sequence[Tensor] | None = None) -> bytes:
    """Pack the network of `model` for the browser.

    half         matrices in half precision, but those that would overflow or lose much; False: everything in full
    head_means   per layer, (heads, tokens, head_dim): what each head writes on average at each position. With it, the browser
                 can switch heads off by their mean
    Raises `VizError` for a network that is no plain ViT, and no CRATE, and for weights that are no numbers.
    """
    refuse_unready(model)
    net = model.net if isinstance(model.net, CRATE) else plain_vit(model)
    about = _of_crate(net) if isinstance(net, CRATE) else _of_vit(net)
    tensors = {name: value.detach().float().cpu().numpy() for name, value in net.state_dict().items()}
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            raise refused(model, Text("{name} has values that are no numbers", name=name))
    if head_means is not None:
        tensors |= {f"means.{layer}": means.float().cpu().numpy() for layer, means in enumerate(head_means)}
        _check_means(about, tensors, len(head_means))
    places: dict[str, list[Any]] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, values in tensors.items():
        travels = _as_half(values) if half and not name.startswith("means.") else values
        block = np.ascontiguousarray(travels).astype(travels.dtype.newbyteorder("<")).tobytes()
        places[name] = [offset, "f16" if travels.dtype == np.float16 else "f32", list(values.shape)]
        blocks.append(block + bytes(-len(block) % ALIGNED))
        offset += len(blocks[-1])
    header = json.dumps(_of_model(model, net) | about | {"tensors": places}, separators=(",", ":")).encode()
    header += b" " * (-(len(header) + 8) % ALIGNED)
    return MAGIC + struct.pack("<I", len(header)) + header + b"".join(blocks)


def _as_half(values: np.ndarray) -> np.ndarray:
    """In half precision, if that keeps them; numbers per channel as they are."""
    if values.squeeze().ndim < 2:
        return values
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    lost = np.linalg.norm(half.astype(np.float64) - values)
    return half if np.isfinite(half).all() and lost <= ROUNDING * np.linalg.norm(values.astype(np.float64)) else values


def _of_model(model: VisionModel, net: ViT | CRATE) -> dict[str, Any]:
    """What is not in the weights: names, and how a picture becomes pixels."""
    fit = model.preprocess
    return {
        "version": VERSION,
        "name": model.name,
        "title": model.name.partition(":")[2] or model.name,
        "labels": list(model.labels),
        "activation": model.activation,
        "readout": _readout(model, net),
        "subject": model.subject,
        "notes": [str(note) for note in model.notes],
        "preprocess": {
            "size": list(fit.size),
            "mean": list(fit.mean or ()),
            "std": list(fit.std or ()),
            "interpolation": fit.interpolation,
            "crop": fit.crop,
            "fit": fit.fit,
        },
    }


def _readout(model: VisionModel, net: ViT | CRATE) -> str:
    """What the classifier reads, by the names that the file has for prefix tokens: those of a described network are numbered."""
    if not model.readout:
        return "mean" if net.global_pool == "avg" else "cls+dist" if "dist" in net.prefix else "cls"
    called = {f"extra{at}": name for at, name in enumerate(net.prefix)}
    if len(net.prefix) == 1:
        called["cls"] = net.prefix[0]
    parts = [called.get(part, part) for part in model.readout.split("+")]
    if parts != ["mean"] and not set(parts) <= set(net.prefix):
        raise refused(model, Text("what its classifier reads ({readout}) is none of its tokens", readout=model.readout))
    return "+".join(parts)


def _of_both(net: ViT | CRATE, attention: Any, classes: int) -> dict[str, Any]:
    embed = net.patch_embed
    return {
        "size": list(net.img_size),
        "patch": embed.patch_size,
        "channels": embed.proj.in_channels,
        "dim": embed.proj.out_channels,
        "depth": len(net.blocks),
        "heads": attention.num_heads,
        "headDim": attention.head_dim,
        "eps": net.blocks[0].norm1.eps,  # type: ignore[union-attr]
        "prefix": list(net.prefix),
        "positions": "all" if net.n_embed_prefix else "patches",
        "classes": classes,
        "pool": net.global_pool,
    }


def _of_vit(net: ViT) -> dict[str, Any]:
    block: Any = net.blocks[0]
    names = net.state_dict().keys()
    width = net.pre_logits.fc.out_features if "pre_logits.fc.weight" in names else None  # type: ignore[union-attr]
    return _of_both(net, block.attn, net.num_classes) | {
        "kind": "vit",
        "hidden": block.mlp.fc1.out_features,
        "preNorm": "norm_pre.weight" in names,
        "qkNorm": "blocks.0.attn.q_norm.weight" in names,
        "layerScale": "blocks.0.ls1.gamma" in names,
        "distilled": net.dist_token is not None,
        "representation": width,
    }


def _of_crate(net: CRATE) -> dict[str, Any]:
    block: Any = net.blocks[0]
    step = {"step": block.ista.step, "sparsity": block.ista.sparsity}
    return _of_both(net, block.attn, net.head.out_features) | {"kind": "crate"} | step


def _check_means(about: dict[str, Any], tensors: dict[str, np.ndarray], given: int) -> None:
    tokens = len(about["prefix"]) + math.prod(side // about["patch"] for side in about["size"])
    shape = (about["heads"], tokens, about["headDim"])
    wrong = [tensors[f"means.{layer}"].shape for layer in range(given) if tensors[f"means.{layer}"].shape != shape]
    if given != about["depth"] or wrong:
        raise VizError(
            "Means of heads are one tensor {shape} for each of {depth} layers, but got {given}: {wrong}.",
            "Average what the heads of each layer write over many pictures.",
            shape=shape,
            depth=about["depth"],
            given=given,
            wrong=wrong,
        )
