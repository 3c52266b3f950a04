"""An `Analysis` as one binary file for the browser. The format stands at the top of payload.js, which reads it."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch

from vizapp.analysis import Analysis
from vizapp.core.attention.compact import Compact
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods.rollout import rollout_through_each_layer
from vizapp.core.trust.sinks import Sink, among
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.ui.places import PER_LESSON, Asked

SinkRow = tuple[int, int, float, int, int]
MAGIC = b"VIZ1"
TOP = 5  # classes in the header
LONGEST_SIDE = 1024  # of the picture on the page; the maps do not depend on it
LARGEST_LAYER = 64_000_000  # bytes; the rows of a larger layer are asked for one by one (see answers/maps.py)
LARGEST_FILE = 256_000_000
SHORT = {"logsumexp": "lse"}  # blocks whose name in the file is another than in Python; the format is older
KIND = {
    np.dtype(np.uint8): "bytes",
    np.dtype(np.float16): "f16",
    np.dtype(np.float32): "f32",
    np.dtype(np.int32): "i32",
}


def pack(
    seen: Analysis,
    lesson: Asked | None = None,
    say: Callable[[str], str] = str,
    caution: str = "",
    *,
    room: int = LARGEST_FILE,
    room_for_means: int = 0,
    file: tuple[bytes, str] | None = None,
) -> bytes:
    """Pack an analysis for the browser, its sentences as `say` says them.

    lesson    what a lesson asks about it
    caution   why the network's labels mean nothing for this picture; "": they may
    room      bytes for what any query is made of; what does not fit is asked for row by row (where nobody can be asked, only
              what the classifier reads is shown of such a layer)
    room_for_means  bytes, compressed, for the mean of the heads of layers that `room` had no place for, of which then any query's
              mean is shown. Each value is within 2 % and 0.0005 of what it is
    file      of the picture, with its type, where it is not to be the usual one

    Header, then the blocks that a first heatmap needs, then the rest, which the browser asks for piece by piece: what it
    shows comes first (see numbers/arrivals.js).
    """
    trace = seen.trace
    picture, picture_type = file or _encode(seen.picture)
    # Every plain ViT has one layout. Swin and its like have one for each grid, and a layer may have two (keys of fewer tokens).
    layouts = _layouts(trace)
    named = _named_queries(trace)
    blocks: dict[str, np.ndarray] = {"picture": np.frombuffer(picture, np.uint8)}
    # One bit per pixel: a mask has as many as the picture, and a scene has a mask for each thing.
    blocks |= {f"truth.{i}": np.packbits(seen.frame.mask_of(one.mask)) for i, one in enumerate(seen.truth)}
    # Kept apart until the end: how many bytes they take decides what else is worth sending, but they come last in the file.
    layers: list[dict[str, object]] = []
    numbers: dict[str, np.ndarray] = {}
    # Of a large network the first layers, which come last, do not fit.
    for index in reversed(range(len(trace.layers))):
        compact = trace.layers[index].compact(min(room, LARGEST_LAYER))
        sent: dict[str, np.ndarray] = _blocks_of(index, compact)
        kind: str = compact.kind or "asked"
        room -= sum(block.nbytes for block in sent.values())
        if kind == "asked" and room_for_means > 0 and _is_plain(trace):
            mean = rounded(_array(trace.layers[index].map().float().mean(0)))
            room_for_means -= len(zlib.compress(mean.tobytes()))
            if room_for_means >= 0:
                sent, kind = {f"mean.{index}": mean}, "mean"
        numbers |= sent
        layers.insert(0, _about(trace, index, layouts, kind))
    kinds = {layer["kind"] for layer in layers}
    # Rollout needs every layer, so without these the browser could show none before the last byte. Not with windows or grids,
    # through which `rollout_through_each_layer` does not go, nor with layers that the browser is not sent. From means that come
    # with the file it makes them itself: from exact ones they would change under the eyes.
    rolled: dict[str, np.ndarray] = {}
    if _is_plain(trace) and not trace.no_chain and not kinds & {"asked", "mean"}:
        rows, rolled = _rows_and_rollouts(trace, named)
    else:
        rows = {name: _rows(trace, name) for name in named}
    for name in named:
        blocks |= _weights_of(trace, name, layouts)
    readout, *others = named
    blocks[f"rows.{readout}"] = _flat(rows[readout])
    if "mean" in others:  # what tells on which layer a picture opens, before the heads' own rows are here
        blocks["opening"] = _flat([one.mean(0) for one in rows["mean"]])
    n_first = len(blocks)
    blocks |= {f"rows.{name}": _flat(rows[name]) for name in others} | rolled | numbers
    cross, sent = _cross(trace, room)
    blocks |= sent
    # The part of the picture that the model saw, in shares of its width and height, so that it holds at any size on the page;
    # below 0 and above 1 where the picture was padded.
    height, width = seen.picture.shape[:2]
    left, top, right, bottom = seen.frame.window
    header: dict[str, object] = {
        "model": seen.model_name,
        **sentences(seen, lesson, say, caution),
        "layouts": [{"prefix": layout.prefix, "grid": layout.grid} for layout in layouts],
        "layers": layers,
        "prefix": trace.layout.prefix,
        "grid": trace.layout.grid,
        "readout": named[0],
        "named": named,
        "sinks": _sinks(seen, rows),
        "picture": {"type": picture_type},
        # The same picture under another model keeps its place, its marks and its outline: told by what it is, not by a name.
        "id": hashlib.sha256(picture).hexdigest(),
        "input": seen.frame.input,
        "film": _film(seen),
        "window": (left / width, top / height, right / width, bottom / height),
    }
    return _assemble(header | cross, blocks, n_first)  # nothing at all of it where there is none


def sentences(
    seen: Analysis, lesson: Asked | None = None, say: Callable[[str], str] = str, caution: str = ""
) -> dict[str, object]:
    """What of the header is said in a language; the arguments as for `pack`."""
    return {
        "notes": [say(note) for note in seen.notes],
        "lesson": lesson and about_lesson(lesson, say),
        "noChain": say(seen.trace.no_chain),
        "aside": [(name, say(reason)) for name, reason in seen.trace.skipped.items()],
        "caution": caution,
        "top": [(say(label), share) for label, share in seen.top(TOP)],
        "truth": [{"name": say(one.name), "object": one.is_object} for one in seen.truth],
    }


def about_lesson(asked: Asked, say: Callable[[str], str]) -> dict[str, object]:
    """The lesson in the header: by what name a link finds its pictures, what it asks, and the labels that are right."""
    return {
        "name": asked.place.name,
        "number": asked.place.number,
        "of": PER_LESSON,
        "isBare": asked.place.is_bare,
        "title": say(asked.lesson.title),
        "question": say(asked.lesson.question),
        "answers": [say(one) for one in asked.answers],
    }


@dataclass(frozen=True)
class Packed:
    """What is told of a packed analysis: asked of its bytes, as packing once more would take as long again.

    first        bytes of the header and the blocks that a first heatmap needs
    is_complete  no layer was too large for the file
    """

    first: int
    is_complete: bool

    @classmethod
    def of(cls, packed: bytes) -> Packed:
        (length,) = struct.unpack("<I", packed[4:8])
        header = json.loads(packed[8 : 8 + length])
        return cls(8 + length + header["first"], all(layer["kind"] != "asked" for layer in header["layers"]))


def _film(seen: Analysis) -> dict[str, object] | None:
    """Of a network that is shown at a step of its training: which steps there are, and what was measured at each."""
    film = seen.context.model.film if seen.context else None
    return film.said() | {"at": film.at, "classes": len(seen.labels)} if film else None


def _layouts(trace: AttentionTrace) -> list[TokenLayout]:
    """The token layouts of a network, each once; a layer names its own by the index in this list."""
    return list(dict.fromkeys(layout for index in range(len(trace.layers)) for layout in trace.layouts(index)))


def _is_plain(trace: AttentionTrace) -> bool:
    """Tell whether all layers look at all tokens, and at the same ones."""
    return len(_layouts(trace)) == 1 and not any(layer.is_windowed for layer in trace.layers)


def _about(trace: AttentionTrace, index: int, layouts: list[TokenLayout], kind: str) -> dict[str, object]:
    """Describe a layer in the header."""
    layer, parts = trace.layers[index], trace.layers[index].parts
    queries, keys = trace.layouts(index)
    return {
        "name": layer.name,
        "heads": layer.n_heads,
        "kind": kind,
        "width": parts.width,
        "queries": layouts.index(queries),
        "keys": layouts.index(keys),
        "windowed": layer.is_windowed,
        "windows": layer.n_windows,
        "slots": parts.n_queries,
        "keySlots": parts.n_keys,
    }


def _named_queries(trace: AttentionTrace) -> list[str]:
    """The queries whose rows are sent ready: what the classifier reads, first, and the weighted ones."""
    # All tokens are queries, too, but the browser makes their rows from the factors; a weighted query would need all rows.
    wanted = dict.fromkeys([trace.readout, *(["pool"] if "pool" in trace.queries else []), "mean"])
    return [
        name for name in wanted if any(_weights(trace, name, index) is not None for index in range(len(trace.layers)))
    ]


def _weights(trace: AttentionTrace, name: str, index: int) -> torch.Tensor | None:
    """Weights of a named query in a layer; None where the layer has no such tokens: CLS may join late, a pooling has one grid."""
    try:
        return trace.query(name, index)
    except VizError:
        return None


def _rows(trace: AttentionTrace, name: str) -> list[torch.Tensor]:
    """(head, key) of each layer for one named query; zeros for a layer that has no such tokens."""
    queries = [_weights(trace, name, index) for index in range(len(trace.layers))]
    return [
        torch.zeros(layer.n_heads, layer.n_keys) if query is None else layer.attend(query).cpu()
        for query, layer in zip(queries, trace.layers, strict=True)
    ]


def _flat(rows: list[torch.Tensor]) -> np.ndarray:
    """Rows of all layers and heads, one after the other, in half precision."""
    # One block and not one per layer: it arrives whole, and the browser finds a layer in it by counting heads and keys. A
    # layer without this query has zeros, so that the counting holds.
    return _array(torch.cat([one.flatten() for one in rows]).half())


def _weights_of(trace: AttentionTrace, name: str, layouts: list[TokenLayout]) -> dict[str, np.ndarray]:
    """The weights of a named query in each layout that has its tokens."""
    weights: dict[str, np.ndarray] = {}
    for index in range(len(trace.layers)):
        if (query := _weights(trace, name, index)) is not None:
            weights[f"weights.{name}.{layouts.index(trace.layouts(index)[0])}"] = _array(query.float())
    return weights


def _sinks(seen: Analysis, rows: dict[str, list[torch.Tensor]]) -> list[SinkRow] | None:
    """The sinks of a picture whose norms are known; None for others, of which the browser asks later (answers/sinks.py)."""
    if seen.context is None or not seen.context.norms:
        return None
    trace, layout, received = seen.trace, seen.trace.layout, []
    # What each token gets of all attention, without making all rows once more: the mean over the patches is there, and of
    # the few tokens that are no patch there is a row each.
    for index, layer in enumerate(trace.layers):
        ready = {name: some[index] for name, some in rows.items()}
        prefix = [
            ready[name] if name in ready else layer.attend(trace.query(name, index)).cpu() for name in layout.prefix
        ]
        weighed = [layout.n_patches * ready["mean"], *prefix]
        received.append(torch.stack(weighed).sum(0).mean(0) / layout.n_tokens)
    return sink_rows(among(layout, seen.context.norms, received))


def sink_rows(found: Sequence[Sink]) -> list[SinkRow]:
    """Sinks as the browser knows them: row, col, the largest share of a layer's attention, first and last layer, from 0."""
    return [(one.row, one.col, one.share, min(one.layers), max(one.layers)) for one in found]


def _rows_and_rollouts(
    trace: AttentionTrace, named: list[str]
) -> tuple[dict[str, list[torch.Tensor]], dict[str, np.ndarray]]:
    """As `_rows`, by name, and the named queries rolled out through each layer, to show before all layers have arrived."""
    # All queries at once: the maps of a layer cost more than what is then done with them.
    rolled, attended = rollout_through_each_layer(trace, torch.stack([trace.query(name) for name in named]))
    rows = {name: [one[:, i].cpu() for one in attended] for i, name in enumerate(named)}
    return rows, {f"rollout.{name}": _array(rolled[:, i].float()) for i, name in enumerate(named)}


def _blocks_of(index: int, compact: Compact) -> dict[str, np.ndarray]:
    """The numbers of a layer under the names by which payload.js looks for them."""
    return {f"{SHORT.get(name, name)}.{index}": _array(tensor) for name, tensor in compact.tensors.items()}


def _cross(trace: AttentionTrace, room: int) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    """Header and numbers of attention whose queries are no patches, in at most `room` bytes; nothing where there is none."""
    about: list[dict[str, object]] = []
    numbers: dict[str, np.ndarray] = {}
    for index, block in enumerate(trace.cross):
        compact, keys = block.compact(min(room, LARGEST_LAYER)), block.key_layout or trace.layout
        sent = {f"cross.{name}": one for name, one in _blocks_of(index, compact).items()}
        room -= sum(one.nbytes for one in sent.values())
        numbers |= sent
        about.append(
            {
                "name": block.name,
                "heads": block.n_heads,
                "kind": compact.kind or "asked",
                "width": block.width,
                "queries": block.query_names,
                "keys": {"prefix": keys.prefix, "grid": keys.grid},
            }
        )
    return ({"cross": about} if about else {}), numbers


def rounded(values: np.ndarray, share: float = 0.02, most: float = 5e-4) -> np.ndarray:
    """Half precision with so few digits that each value stays within `share` of itself and `most`: what is left compresses."""
    whole = values.astype(np.float16).view(np.uint16).astype(np.uint32)
    found = whole.astype(np.uint16)
    for bits in range(1, 9):
        fewer = ((whole + (1 << (bits - 1))) >> bits << bits).astype(np.uint16)
        off = np.abs(fewer.view(np.float16).astype(np.float32) - values)
        found = np.where(off <= np.minimum(share * np.abs(values), most), fewer, found)
    return found.view(np.float16)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def _encode(picture: np.ndarray) -> tuple[bytes, str]:
    """The picture as the page shows it: small ones without loss, photographs as JPEG."""
    scale = LONGEST_SIDE / max(picture.shape[:2])
    if scale < 1:
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    # Scenes of the toy world are small and drawn: JPEG would blur what is one pixel wide, and PNG is smaller there anyway.
    small = picture.shape[0] * picture.shape[1] <= 256 * 256
    options = [] if small else [cv2.IMWRITE_JPEG_QUALITY, 88]
    _, encoded = cv2.imencode(".png" if small else ".jpg", picture[:, :, ::-1], options)  # opencv writes BGR
    return encoded.tobytes(), "image/png" if small else "image/jpeg"


def _assemble(header: dict[str, object], blocks: dict[str, np.ndarray], n_first: int) -> bytes:
    """Put magic number, header and blocks together; the header's table says where each block begins, and where the first
    `n_first` of them end."""
    # Offsets count from the end of the header, whose own length depends on the table.
    table: dict[str, tuple[int, str, tuple[int, ...]]] = {}
    parts: list[bytes] = []
    offset = first = 0
    for name, block in blocks.items():
        table[name] = (offset, KIND[block.dtype], block.shape)
        data = block.tobytes()
        parts.append(data + b"\0" * (-len(data) % 8))
        offset += len(parts[-1])
        first = offset if len(table) <= n_first else first
    text = json.dumps(header | {"first": first, "blocks": table}).encode()
    text += b" " * (-len(text) % 8)  # blocks start at a multiple of 8, as typed arrays need
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *parts])
