"""Writes a network as one file for browsers, "VZN1", which vizapp/browser/engine/network.js reads.

    bytes = pack_network(vizapp.load("toy"))

    "VZN1", the length of the header (uint32, little-endian), the header (JSON, padded with spaces), then tensors, each at a
    multiple of 16 bytes from the end of the header. header["tensors"][name] = [offset, kind, shape], by the names of
    model/vit.py's `state_dict`. The kind is "f16", "f32", or "i8": a float32 for each row, then an int8 for each number, which
    is to be multiplied with that of its row.

Matrices are stored in half precision, or without loss in 8 bits if they were rounded to that (quantised.py). Everything with one
number per channel (norms, biases, CLS) is stored in full: it takes a few hundredths of the file, and contains the outliers of
trained networks.
"""

import json
import math
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from vizapp.browser.eight_bits import by_row, from_rows, is_matrix
from vizapp.browser.network_parts import Written, refused
from vizapp.browser.supported_networks import described
from vizapp.errors import VizError
from vizapp.model.crate import CRATE
from vizapp.model.spec import VisionModel, refuse_unready
from vizapp.vocabulary import NETWORK_VERSION
from vizapp.wording import Text

MAGIC = b"VZN1"
ALIGNED = 16
# Rounding to half precision changes a matrix of ordinary numbers by 2^-12.6 of its length (L2). If it changes a matrix by more
# than this, many of its numbers are too small for half precision (below 6e-5), and the matrix is stored in full.
ROUNDING = 2**-11
# Tensors that are stored in full: small tables by which much is computed, and what a network computes of its weights.
EXACT = re.compile(r"means\.|rope\.|relative\.index|.*\.attn\.relative$")


def pack_network(model: VisionModel, *, half: bool = True, head_means: Sequence[Tensor] | None = None) -> bytes:
    """Pack the network of `model` for the browser.

    half         store matrices in half precision, except those that would overflow or lose much, and in 8 bits those that lose
                 nothing; False: everything in full
    head_means   per layer, (heads, tokens, head_dim): each head's average output at each position. With it, the browser can
                 switch heads off by their mean
    Raises `VizError` for a network that is neither a ViT of known parts (written.py) nor a CRATE, and for weights that are not
    finite.
    """
    about, tensors = parts_and_tensors(model)
    if head_means is not None:
        tensors |= {f"means.{layer}": means.float().cpu().numpy() for layer, means in enumerate(head_means)}
        _check_means(about, tensors, len(head_means))
    places: dict[str, list[Any]] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, values in tensors.items():
        kind, block = _stored(values) if half and not EXACT.match(name) else ("f32", _bytes(values))
        places[name] = [offset, kind, list(values.shape)]
        blocks.append(block + bytes(-len(block) % ALIGNED))
        offset += len(blocks[-1])
    header = json.dumps(_of_model(model, about) | about | {"tensors": places}, separators=(",", ":")).encode()
    header += b" " * (-(len(header) + 8) % ALIGNED)
    return MAGIC + struct.pack("<I", len(header)) + header + b"".join(blocks)


def parts_and_tensors(model: VisionModel) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Describe the network of `model` for a file, with its tensors by the file's names, float32. Raises as `pack_network`."""
    refuse_unready(model)
    found = _of_crate(model.net) if isinstance(model.net, CRATE) else described(model)
    tensors = {name: value.detach().float().cpu().numpy() for name, value in found.tensors.items()}
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            raise refused(model, Text("{name} has values that are no numbers", name=name))
    return found.parts, tensors


def _stored(values: np.ndarray) -> tuple[str, bytes]:
    """The kind and the bytes of a tensor: 8 bits if they lose nothing, half precision if that loses little, or all of it."""
    if is_matrix(values):
        scales, numbers = by_row(values)
        if np.array_equal(from_rows(scales, numbers, values.shape), values):
            return "i8", _bytes(scales) + _bytes(numbers)
    travels = as_half(values)
    return "f16" if travels.dtype == np.float16 else "f32", _bytes(travels)


def _bytes(values: np.ndarray) -> bytes:
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()


def as_half(values: np.ndarray) -> np.ndarray:
    """Matrices in half precision if that keeps their values; numbers per channel unchanged."""
    if values.squeeze().ndim < 2:
        return values
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    lost = np.linalg.norm(half.astype(np.float64) - values)
    return half if np.isfinite(half).all() and lost <= ROUNDING * np.linalg.norm(values.astype(np.float64)) else values


def _of_model(model: VisionModel, about: dict[str, Any]) -> dict[str, Any]:
    """The header's fields that the weights do not hold: names, and the preprocessing."""
    fit = model.preprocess
    return {
        "version": NETWORK_VERSION,
        "name": model.name,
        "title": model.name.partition(":")[2] or model.name,
        "labels": list(model.labels),
        "activation": model.activation,
        "readout": _readout(model, about),
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


def _readout(model: VisionModel, about: dict[str, Any]) -> str:
    """The classifier's query, by the file's names for prefix tokens. Those of a user's own network are numbered."""
    prefix = about["prefix"]
    if about["pool"] == "attention":
        return "pool"
    if not model.readout:
        return "mean" if about["pool"] == "avg" else "cls+dist" if "dist" in prefix else "cls"
    called = {f"extra{at}": name for at, name in enumerate(prefix)}
    if len(prefix) == 1:
        called["cls"] = prefix[0]
    parts = [called.get(part, part) for part in model.readout.split("+")]
    if parts != ["mean"] and not set(parts) <= set(prefix):
        raise refused(model, Text("what its classifier reads ({readout}) is none of its tokens", readout=model.readout))
    return "+".join(parts)


def _of_crate(net: CRATE) -> Written:
    block: Any = net.blocks[0]
    embed = net.patch_embed
    parts = {
        "kind": "crate",
        "size": list(net.img_size),
        "patch": embed.patch_size,
        "channels": embed.proj.in_channels,
        "dim": embed.proj.out_channels,
        "depth": len(net.blocks),
        "heads": block.attn.num_heads,
        "headDim": block.attn.head_dim,
        "eps": block.norm1.eps,
        "prefix": list(net.prefix),
        "positions": "all" if net.n_embed_prefix else "patches",
        "classes": net.head.out_features,
        "pool": net.global_pool,
        "step": block.ista.step,
        "sparsity": block.ista.sparsity,
    }
    return Written(parts, dict(net.state_dict()))


def _check_means(about: dict[str, Any], tensors: dict[str, np.ndarray], given: int) -> None:
    tokens = len(about["prefix"]) + math.prod(side // about["patch"] for side in about["size"])
    shape = (about["heads"], tokens, about["headDim"])
    wrong = [tensors[f"means.{layer}"].shape for layer in range(given) if tensors[f"means.{layer}"].shape != shape]
    if given != about["depth"] or wrong:
        raise VizError(
            "Means of heads are one tensor {shape} for each of {depth} layers, but got {given}: {wrong}.",
            "Average the output of each layer's heads over many pictures.",
            shape=shape,
            depth=about["depth"],
            given=given,
            wrong=wrong,
        )
