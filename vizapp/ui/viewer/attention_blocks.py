"""The attention of a network as blocks for the browser: of each layer what there is room for, and rows that are shown first."""

import zlib
from dataclasses import dataclass

import numpy as np
import torch

from vizapp.core.attention.compact import Compact
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods.rollout import rollout_through_each_layer
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.ui.viewer.mask_blocks import MaskBlocks
from vizapp.vocabulary import LayerKind

LARGEST_LAYER = 64_000_000  # bytes; the rows of a larger layer are asked for one by one (see answers/maps.py)
SHORT = {"logsumexp": "lse"}  # blocks whose name in the file is another than in Python; the format is older
SHARE, MOST = 0.02, 5e-4  # of a value, and of 1: how far a mean over heads may be rounded, so that it compresses


@dataclass(frozen=True)
class AttentionBlocks:
    """The blocks of a trace that are sent.

    about   what the header says of it
    first   blocks that a first heatmap needs; rest  all others, in the order in which they are wanted
    rows    (head, key) of each layer, by the name of the query
    """

    about: dict[str, object]
    first: dict[str, np.ndarray]
    rest: dict[str, np.ndarray]
    rows: dict[str, list[torch.Tensor]]


def attention_blocks(trace: AttentionTrace, room: int, room_for_means: int = 0) -> AttentionBlocks:
    """Blocks of a trace; `room` and `room_for_means` as for `pack`."""
    trace.layer(-1)  # refuses a network that has none: what is drawn are layers
    # Every plain ViT has one layout. Swin and its like have one for each grid, and a layer may have two (keys of fewer tokens).
    layouts, named = _layouts(trace), _named_queries(trace)
    masks = MaskBlocks()
    layers, numbers, room = _layers(trace, layouts, masks, room, room_for_means)
    rows, rolled = _shown_first(trace, named, {str(layer["kind"]) for layer in layers})
    cross, crossing = _cross(trace, masks, room)
    first = masks.blocks | {key: block for name in named for key, block in _weights_of(trace, name, layouts).items()}
    readout, *others = named
    first[f"rows.{readout}"] = _flat(rows[readout])
    if "mean" in others:  # what tells on which layer a picture opens, before the heads' own rows are here
        first["opening"] = _flat([one.mean(0) for one in rows["mean"]])
    about: dict[str, object] = {
        "layouts": [{"prefix": layout.prefix, "grid": layout.grid} for layout in layouts],
        "layers": layers,
        "prefix": trace.layout.prefix,
        "grid": trace.layout.grid,
        "readout": readout,
        "named": named,
        **({"masks": masks.about} if masks.about else {}),
    }
    rest = {f"rows.{name}": _flat(rows[name]) for name in others} | rolled | numbers | crossing
    return AttentionBlocks(about | cross, first, rest, rows)


def _layers(
    trace: AttentionTrace, layouts: list[TokenLayout], masks: MaskBlocks, room: int, room_for_means: int
) -> tuple[list[dict[str, object]], dict[str, np.ndarray], int]:
    """Describe each layer; also give the numbers of those for which there is room, and how much room is left."""
    layers: list[dict[str, object]] = []
    numbers: dict[str, np.ndarray] = {}
    # Of a large network the first layers, which come last, do not fit.
    for index in reversed(range(len(trace.layers))):
        compact = trace.layers[index].compact(min(room, LARGEST_LAYER))
        sent: dict[str, np.ndarray] = _blocks_of(index, compact)
        kind: LayerKind = compact.kind or "asked"
        room -= sum(block.nbytes for block in sent.values())
        if kind == "asked" and room_for_means > 0 and _is_plain(trace):
            mean = rounded(_array(trace.layers[index].map().float().mean(0)))
            room_for_means -= len(zlib.compress(mean.tobytes()))
            if room_for_means >= 0:
                sent, kind = {f"mean.{index}": mean}, "mean"
        numbers |= sent
        layers.insert(0, _about(trace, index, layouts, kind) | masks.of(trace.layers[index]))
    return layers, numbers, room


def _shown_first(
    trace: AttentionTrace, named: list[str], kinds: set[str]
) -> tuple[dict[str, list[torch.Tensor]], dict[str, np.ndarray]]:
    """Rows of the named queries, and what is rolled out of them, where it has to be.

    kinds  of the layers that are sent
    """
    # Rollout needs every layer, so without these the browser could show none before the last byte. Not with windows or grids,
    # through which `rollout_through_each_layer` does not go, nor with layers that the browser is not sent. From means that come
    # with the file it makes them itself: from exact ones they would change under the eyes.
    if _is_plain(trace) and not trace.no_chain and not kinds & {"asked", "mean"}:
        return _rows_and_rollouts(trace, named)
    return {name: _rows(trace, name) for name in named}, {}


def _layouts(trace: AttentionTrace) -> list[TokenLayout]:
    """The token layouts of a network, each once; a layer names its own by the index in this list."""
    return list(dict.fromkeys(layout for index in range(len(trace.layers)) for layout in trace.layouts(index)))


def _is_plain(trace: AttentionTrace) -> bool:
    """Tell whether all layers look at all tokens, and at the same ones."""
    return len(_layouts(trace)) == 1 and not any(layer.is_windowed for layer in trace.layers)


def _about(trace: AttentionTrace, index: int, layouts: list[TokenLayout], kind: LayerKind) -> dict[str, object]:
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
        # None, not its name: patches of the readout are the last layer's, where others have grids of their own.
        return trace.query(None if name == trace.readout else name, index)
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


def _rows_and_rollouts(
    trace: AttentionTrace, named: list[str]
) -> tuple[dict[str, list[torch.Tensor]], dict[str, np.ndarray]]:
    """Give `_rows` by name, and the named queries rolled out through each layer, to show before all layers have arrived."""
    # All queries at once: the maps of a layer cost more than what is then done with them.
    rolled, attended = rollout_through_each_layer(trace, torch.stack([trace.query(name) for name in named]))
    rows = {name: [one[:, i].cpu() for one in attended] for i, name in enumerate(named)}
    return rows, {f"rollout.{name}": _array(rolled[:, i].float()) for i, name in enumerate(named)}


def _blocks_of(index: int, compact: Compact) -> dict[str, np.ndarray]:
    """The numbers of a layer under the names by which payload.js looks for them."""
    return {f"{SHORT.get(name, name)}.{index}": _array(tensor) for name, tensor in compact.tensors.items()}


def _cross(trace: AttentionTrace, masks: MaskBlocks, room: int) -> tuple[dict[str, object], dict[str, np.ndarray]]:
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
                **masks.of(block),
            }
        )
    return ({"cross": about} if about else {}), numbers


def rounded(values: np.ndarray) -> np.ndarray:
    """Half precision with so few digits that each value stays within `SHARE` of itself and `MOST`: what is left compresses."""
    whole = values.astype(np.float16).view(np.uint16).astype(np.uint32)
    found = whole.astype(np.uint16)
    for bits in range(1, 9):
        fewer = ((whole + (1 << (bits - 1))) >> bits << bits).astype(np.uint16)
        off = np.abs(fewer.view(np.float16).astype(np.float32) - values)
        found = np.where(off <= np.minimum(SHARE * np.abs(values), MOST), fewer, found)
    return found.view(np.float16)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()
