"""An `Analysis` as one binary file for the browser. The format stands at the top of payload.js, which reads it."""

from __future__ import annotations

import hashlib
import json
import struct

import cv2
import numpy as np
import torch

from vizapp.core.layers import FactoredAttention
from vizapp.core.methods.rollout import rollout_through_each_layer
from vizapp.core.trace import AttentionTrace
from vizapp.pipeline import Analysis

MAGIC = b"VIZ1"
LONGEST_SIDE = 1024  # of the picture on the page; the maps do not depend on it
KIND = {np.dtype(np.uint8): "bytes", np.dtype(np.float16): "f16", np.dtype(np.float32): "f32"}


def pack(seen: Analysis, question: str = "") -> bytes:
    """Header, then the blocks that a first heatmap needs, then q, k and log-sum-exp of each layer, the last one first."""
    trace = seen.trace
    picture, picture_type = _encode(seen.picture)
    named = _named_queries(trace)
    blocks: dict[str, np.ndarray] = {"picture": np.frombuffer(picture, np.uint8)}
    blocks |= {f"truth.{i}": np.packbits(seen.frame.mask_of(one.mask)) for i, one in enumerate(seen.truth)}
    blocks |= _named_blocks(trace, named)
    for index in reversed(range(len(trace.layers))):
        blocks |= _layer_blocks(trace, index)
    height, width = seen.picture.shape[:2]
    left, top, right, bottom = seen.frame.window
    header: dict[str, object] = {
        "model": seen.model,
        "notes": seen.notes,
        "question": question,
        "layers": [
            {
                "heads": layer.n_heads,
                "width": layer.q.shape[-1] if isinstance(layer, FactoredAttention) else 0,
            }
            for layer in trace.layers
        ],
        "prefix": trace.layout.prefix,
        "grid": trace.layout.grid,
        "readout": trace.readout,
        "named": named,
        "top": seen.top(5),
        "picture": {"type": picture_type},
        "id": hashlib.sha256(picture).hexdigest(),
        "input": seen.frame.input,
        "truth": [{"name": one.name, "object": one.is_object} for one in seen.truth],
        "window": (left / width, top / height, right / width, bottom / height),
    }
    return _assemble(header, blocks)


def _named_queries(trace: AttentionTrace) -> list[str]:
    """The queries whose rows are sent ready: what the classifier reads, first, and the weighted ones."""
    return list(dict.fromkeys([trace.readout, *(["pool"] if trace.pool else []), "mean"]))


def _named_blocks(trace: AttentionTrace, named: list[str]) -> dict[str, np.ndarray]:
    """Rows of all layers and heads, rollout through each layer, and the weights, of the named queries."""
    blocks: dict[str, np.ndarray] = {}
    queries = torch.stack([trace.query(name) for name in named])
    rolled = rollout_through_each_layer(trace, queries)  # (layer, query, token)
    for i, name in enumerate(named):
        blocks[f"rows.{name}"] = _array(torch.cat([layer.attend(queries[i]) for layer in trace.layers]).half())
        blocks[f"rollout.{name}"] = _array(rolled[:, i].float())
        blocks[f"weights.{name}"] = _array(queries[i].float())
    return blocks


def _layer_blocks(trace: AttentionTrace, index: int) -> dict[str, np.ndarray]:
    """The factors of a layer's attention where half precision can hold them, else its whole matrices."""
    layer = trace.layers[index]
    if isinstance(layer, FactoredAttention) and layer.bias is None:
        # What all keys have in common moves no softmax, but costs digits. The rows are to sum to one as they are sent,
        # so their denominators are those of the rounded factors.
        q, k = layer.q.float().half(), (layer.k.float() - layer.k.float().mean(1, keepdim=True)).half()
        if bool(q.isfinite().all() and k.isfinite().all()):
            lse = FactoredAttention(layer.name, q, k).logsumexp()
            return {f"q.{index}": _array(q), f"k.{index}": _array(k), f"lse.{index}": _array(lse)}
    return {f"dense.{index}": _array(layer.map().half())}


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def _encode(picture: np.ndarray) -> tuple[bytes, str]:
    """The picture as the page shows it: small ones without loss, photographs as JPEG."""
    scale = LONGEST_SIDE / max(picture.shape[:2])
    if scale < 1:
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    small = picture.shape[0] * picture.shape[1] <= 256 * 256
    options = [] if small else [cv2.IMWRITE_JPEG_QUALITY, 92]
    _, encoded = cv2.imencode(".png" if small else ".jpg", picture[:, :, ::-1], options)  # opencv writes BGR
    return encoded.tobytes(), "image/png" if small else "image/jpeg"


def _assemble(header: dict[str, object], blocks: dict[str, np.ndarray]) -> bytes:
    table: dict[str, tuple[int, str, tuple[int, ...]]] = {}
    parts: list[bytes] = []
    offset = 0
    for name, block in blocks.items():
        table[name] = (offset, KIND[block.dtype], block.shape)
        data = block.tobytes()
        parts.append(data + b"\0" * (-len(data) % 8))
        offset += len(parts[-1])
    text = json.dumps(header | {"blocks": table}).encode()
    text += b" " * (-len(text) % 8)  # blocks start at a multiple of 8, as typed arrays need
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *parts])
