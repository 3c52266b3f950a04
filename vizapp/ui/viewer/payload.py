"""An `Analysis` as one binary file for the browser. The format stands at the top of payload.js, which reads it."""

from __future__ import annotations

import hashlib
import json
import struct

import cv2
import numpy as np
import torch

from vizapp.core.layers import DenseAttention, FactoredAttention, LayerAttention
from vizapp.core.methods.rollout import rollout_through_each_layer
from vizapp.core.trace import AttentionTrace
from vizapp.core.windows import WindowedAttention
from vizapp.errors import VizError
from vizapp.pipeline import Analysis, TokenLayout

MAGIC = b"VIZ1"
LONGEST_SIDE = 1024  # of the picture on the page; the maps do not depend on it
LARGEST_LAYER = 64_000_000  # bytes; the rows of a larger layer are asked for one by one (see asked.py)
LARGEST_FILE = 256_000_000
KIND = {
    np.dtype(np.uint8): "bytes",
    np.dtype(np.float16): "f16",
    np.dtype(np.float32): "f32",
    np.dtype(np.int32): "i32",
}


def pack(seen: Analysis, question: str = "") -> bytes:
    """Header, then the blocks that a first heatmap needs, then the numbers of each layer, the last one first."""
    trace = seen.trace
    picture, picture_type = _encode(seen.picture)
    layouts = _layouts(trace)
    named = _named_queries(trace)
    blocks: dict[str, np.ndarray] = {"picture": np.frombuffer(picture, np.uint8)}
    blocks |= {f"truth.{i}": np.packbits(seen.frame.mask_of(one.mask)) for i, one in enumerate(seen.truth)}
    for name in named:
        blocks |= _named_blocks(trace, name, layouts)
    layers: list[dict[str, object]] = []
    numbers: dict[str, np.ndarray] = {}
    room = LARGEST_FILE
    for index in reversed(range(len(trace.layers))):
        sent = _layer_blocks(trace.layers[index], index, min(room, LARGEST_LAYER))
        room -= sum(block.nbytes for block in sent.values())
        numbers |= sent
        layers.insert(0, _about(trace, index, layouts, sent))
    if _is_plain(trace) and not trace.no_chain and all(layer["kind"] != "asked" for layer in layers):
        blocks |= _rollouts(trace, named)
    blocks |= numbers
    height, width = seen.picture.shape[:2]
    left, top, right, bottom = seen.frame.window
    header: dict[str, object] = {
        "model": seen.model,
        "notes": seen.notes,
        "question": question,
        "layouts": [{"prefix": layout.prefix, "grid": layout.grid} for layout in layouts],
        "layers": layers,
        "prefix": trace.layout.prefix,
        "grid": trace.layout.grid,
        "readout": named[0],
        "named": named,
        "noChain": trace.no_chain,
        "aside": list(trace.aside.items()),
        "top": seen.top(5),
        "picture": {"type": picture_type},
        "id": hashlib.sha256(picture).hexdigest(),
        "input": seen.frame.input,
        "truth": [{"name": one.name, "object": one.is_object} for one in seen.truth],
        "window": (left / width, top / height, right / width, bottom / height),
    }
    return _assemble(header, blocks)


def leaves_out_layers(packed: bytes) -> bool:
    """Were some layers too large for this file?"""
    (length,) = struct.unpack("<I", packed[4:8])
    return any(layer["kind"] == "asked" for layer in json.loads(packed[8 : 8 + length])["layers"])


def _layouts(trace: AttentionTrace) -> list[TokenLayout]:
    """What tokens stand for, each way once; layers tell theirs by its place in this list."""
    return list(dict.fromkeys(layout for index in range(len(trace.layers)) for layout in trace.layouts(index)))


def _is_plain(trace: AttentionTrace) -> bool:
    """Do all layers look at all tokens, and at the same?"""
    return len(_layouts(trace)) == 1 and not any(isinstance(layer, WindowedAttention) for layer in trace.layers)


def _about(
    trace: AttentionTrace, index: int, layouts: list[TokenLayout], sent: dict[str, np.ndarray]
) -> dict[str, object]:
    """What the header says of a layer. One without windows is one window with all tokens in it."""
    layer = trace.layers[index]
    parts = layer.parts if isinstance(layer, WindowedAttention) else layer
    queries, keys = trace.layouts(index)
    kinds = {f"q.{index}": "factors", f"dense.{index}": "dense"}
    return {
        "name": layer.name,
        "heads": layer.n_heads,
        "kind": next((kind for block, kind in kinds.items() if block in sent), "asked"),
        "width": parts.q.shape[-1] if isinstance(parts, FactoredAttention) else 0,
        "queries": layouts.index(queries),
        "keys": layouts.index(keys),
        "windowed": isinstance(layer, WindowedAttention),
        "windows": len(layer.queries) if isinstance(layer, WindowedAttention) else 1,
        "slots": parts.n_queries,
        "keySlots": parts.n_keys,
    }


def _named_queries(trace: AttentionTrace) -> list[str]:
    """The queries whose rows are sent ready: what the classifier reads, first, and the weighted ones."""
    wanted = dict.fromkeys([trace.readout, *(["pool"] if trace.pool else []), "mean"])
    return [
        name for name in wanted if any(_weights(trace, name, index) is not None for index in range(len(trace.layers)))
    ]


def _weights(trace: AttentionTrace, name: str, index: int) -> torch.Tensor | None:
    """A named query in a layer; None where the layer has no such tokens: CLS may join late, a pooling has one grid."""
    try:
        return trace.query(name, index)
    except VizError:
        return None


def _named_blocks(trace: AttentionTrace, name: str, layouts: list[TokenLayout]) -> dict[str, np.ndarray]:
    """Rows of all layers and heads, one after the other, and the weights in each layout that has them."""
    rows: list[torch.Tensor] = []
    weights: dict[str, np.ndarray] = {}
    for index, layer in enumerate(trace.layers):
        query = _weights(trace, name, index)
        rows.append(torch.zeros(layer.n_heads * layer.n_keys) if query is None else layer.attend(query).flatten().cpu())
        if query is not None:
            weights[f"weights.{name}.{layouts.index(trace.layouts(index)[0])}"] = _array(query.float())
    return {f"rows.{name}": _array(torch.cat(rows).half())} | weights


def _rollouts(trace: AttentionTrace, named: list[str]) -> dict[str, np.ndarray]:
    """Rollout of the named queries through each layer, to show before all layers have arrived."""
    rolled = rollout_through_each_layer(trace, torch.stack([trace.query(name) for name in named]))
    return {f"rollout.{name}": _array(rolled[:, i].float()) for i, name in enumerate(named)}


def _layer_blocks(layer: LayerAttention, index: int, room: int) -> dict[str, np.ndarray]:
    """The factors of a layer's attention or its matrices, whichever is smaller; nothing if both are larger than `room`.

    Of windows, those of each window, (window * head, slot, key slot), and which token stands in each slot.
    """
    if not isinstance(layer, WindowedAttention):
        return _part_blocks(layer, index, room)
    blocks = _part_blocks(layer.parts, index, room)
    if blocks:
        blocks |= {f"queries.{index}": _array(layer.queries.int()), f"keys.{index}": _array(layer.keys.int())}
    return blocks


def _part_blocks(parts: LayerAttention, index: int, room: int) -> dict[str, np.ndarray]:
    heads, queries, keys = parts.n_heads, parts.n_queries, parts.n_keys
    dense = 2 * heads * queries * keys
    if isinstance(parts, FactoredAttention) and parts.bias is None:
        factors = heads * (2 * parts.q.shape[-1] * (queries + keys) + 4 * queries)
        if factors <= min(dense, room):
            # What all keys have in common moves no softmax, but costs digits. The rows are to sum to one as they are
            # sent, so their denominators are those of the rounded factors.
            q, k = parts.q.float(), parts.k.float() - parts.k.float().mean(1, keepdim=True)
            if _fits_in_half(q) and _fits_in_half(k):
                q, k = q.half(), k.half()
                lse = FactoredAttention(parts.name, q, k).logsumexp()
                return {f"q.{index}": _array(q), f"k.{index}": _array(k), f"lse.{index}": _array(lse)}
    if dense > room:
        return {}
    matrix = parts.matrix if isinstance(parts, DenseAttention) else parts.map()
    return {f"dense.{index}": _array(matrix.half())}


def _fits_in_half(tensor: torch.Tensor) -> bool:
    low, high = tensor.aminmax()  # NaN if there is any; twenty times as fast as `isfinite` of half precision
    return bool(torch.maximum(-low, high) <= torch.finfo(torch.half).max)


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
