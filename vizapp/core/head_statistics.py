"""Describe each head in a few numbers: entropy, distance, what goes to CLS and to sinks, what lies on an object.

Every number is of one head of one layer on one picture. Entropy and shares are means over all query tokens; distance is a mean
over the query patches that look at any patch. A layer's rows are made once, a piece at a time, and all numbers are taken from
them then.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.metrics.energy import energy
from vizapp.core.trust.sinks import is_sink
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text

COLUMNS: Mapping[str, Text] = {
    "entropy": Text("mean entropy of a row in nats: 0 looks at one token, ln(tokens) at all alike"),
    "distance": Text(
        "mean distance from the middle of a query patch to the middles of the patches it looks at, in pixels of the network's "
        "input, weighed by its attention to patches; a query that looks at no patch does not count (Dosovitskiy et al. 2021, "
        "appendix D.7)"
    ),
    "cls_share": Text("share of all attention that goes to CLS; empty where the keys hold none"),
    "sink_share": Text(
        "share of all attention that goes to this layer's sinks, patches of outlying norm that swallow attention (Darcet et al. "
        "2024, as vizapp.find_sinks finds them); empty where norms cannot be told"
    ),
    "on_mask": Text(
        "share of the attention to patches, of what the classifier reads, that lies on the object; empty without a mask"
    ),
}
ROOM = 400_000  # attention values made at a time: they stay in the cache of a processor between the sums


def head_statistics(
    trace: AttentionTrace,
    size: tuple[int, int],
    *,
    norms: Sequence[Tensor] | None = None,
    mask: np.ndarray | None = None,
) -> list[dict[str, np.ndarray]]:
    """Measure the heads of each layer: column (see `COLUMNS`) -> (head,) float64, NaN where it is not known.

    Nothing is known of a layer whose weights are no shares (heads mixed after the softmax, as in CaiT; a sigmoid).

    size   (height, width) of the network's input in pixels
    norms  of each layer, (patch,): as `vizapp.core.trust.sinks.norms` gives them; None: sinks are not known
    mask   (height, width) bool in these pixels, or finer ones: the object; None, empty or full: not known
    """
    trace.layer(-1)  # refuses a network that has none
    layouts = [trace.layouts(index)[1] for index in range(len(trace.layers))]
    asked: dict[TokenLayout, Tensor | None] = {}  # what the classifier reads, once for all layers of one layout
    for index in range(len(trace.layers)) if mask is not None else ():
        if (own := trace.layouts(index)[0]) not in asked:
            asked[own] = None
            with suppress(VizError):  # a layer may have no such token
                asked[own] = trace.query(None, index)
    sums = [_sums(trace, index, size, asked) for index in range(len(trace.layers))]
    unknown = [np.full(layer.n_heads, math.nan) for layer in trace.layers]
    cls = [
        one.received[:, keys.prefix.index("cls")] if "cls" in keys.prefix else None
        for one, keys in zip(sums, layouts, strict=True)
    ]
    columns: dict[str, Sequence[Tensor | None]] = {
        "entropy": [one.entropy for one in sums],
        "distance": [one.distance for one in sums],
        "cls_share": cls,
        "sink_share": [None] * len(sums) if norms is None else _sink_shares(sums, layouts, norms),
        "on_mask": [None] * len(sums) if mask is None else _on_mask(sums, layouts, mask),
    }
    filled = {name: _numbers(values, unknown) for name, values in columns.items()}
    return [
        # Weights below zero have no logarithm, and sums to divide by may be nothing.
        {name: values[index] if layer.are_shares else unknown[index] for name, values in filled.items()}
        for index, layer in enumerate(trace.layers)
    ]


def _numbers(values: Sequence[Tensor | None], unknown: Sequence[np.ndarray]) -> list[np.ndarray]:
    """(head,) of each layer; those that are not known as they stand in `unknown`."""
    known = [one for one in values if one is not None]
    if not known:
        return list(unknown)
    every = iter(np.split(torch.cat(known).double().cpu().numpy(), np.cumsum([len(one) for one in known])[:-1]))
    return [other if one is None else next(every) for one, other in zip(values, unknown, strict=True)]


class _Sums(NamedTuple):
    """The sums of each head: `entropy` (head,), `distance` (head,), the mean row `received` (head, key), and that of
    the classifier's query, `asked` (head, key) or None."""

    entropy: Tensor
    distance: Tensor
    received: Tensor
    asked: Tensor | None


def _sums(
    trace: AttentionTrace, index: int, size: tuple[int, int], queries: Mapping[TokenLayout, Tensor | None]
) -> _Sums:
    layer, (own, keys) = trace.layers[index], trace.layouts(index)
    query = queries.get(own)
    far = _distances(own.grid, keys.grid, size).to(layer.device, layer.dtype)
    every = torch.arange(layer.n_queries, device=layer.device)
    entropy = torch.zeros(layer.n_heads, device=layer.device, dtype=layer.dtype)
    reach, counted = torch.zeros_like(entropy), torch.zeros_like(entropy)
    received = torch.zeros(layer.n_heads, layer.n_keys, device=layer.device, dtype=layer.dtype)
    asked = None if query is None else torch.zeros_like(received)
    step = max(1, ROOM // (layer.n_heads * layer.n_keys))
    for start in range(0, layer.n_queries, step):
        rows, logs = layer.rows_and_logs(every[start : start + step])  # (head, query, key)
        entropy -= torch.linalg.vecdot(rows, logs).sum(1)
        received += rows.sum(1)
        if asked is not None and query is not None:
            asked += query[start : start + step].to(rows.dtype) @ rows
        first = max(0, own.n_prefix - start)  # prefix tokens stand nowhere, so they are far from nothing
        if first < rows.shape[1]:
            patches = rows[:, first:, keys.n_prefix :]
            place = start + first - own.n_prefix
            weighed, whole = torch.linalg.vecdot(patches, far[place : place + patches.shape[1]]), patches.sum(-1)
            looks = whole > 0
            reach += (weighed / whole.where(looks, 1)).sum(1)
            counted += looks.sum(1)
    return _Sums(entropy / layer.n_queries, reach / counted, received / layer.n_queries, asked)


@lru_cache(maxsize=16)
def _distances(own: tuple[int, int], keys: tuple[int, int], size: tuple[int, int]) -> Tensor:
    """(query patch, key patch): between their middles, in pixels."""
    one, other = _middles(own, size), _middles(keys, size)
    return torch.cdist(one, other, compute_mode="donot_use_mm_for_euclid_dist")


def _middles(grid: tuple[int, int], size: tuple[int, int]) -> Tensor:
    """(patch, 2)"""
    sides = [(torch.arange(n) + 0.5) * length / n for n, length in zip(grid, size, strict=True)]
    return torch.cartesian_prod(*sides).reshape(-1, 2)


def _sink_shares(sums: Sequence[_Sums], layouts: Sequence[TokenLayout], norms: Sequence[Tensor]) -> list[Tensor | None]:
    """(head,) of each layer: what goes to its sinks. All layers have one grid, or there would be no `norms`."""
    patches = [one.received[:, keys.n_prefix :] for one, keys in zip(sums, layouts, strict=True)]
    shares = torch.stack([one.mean(0) for one in patches])  # (layer, patch)
    sinks = is_sink(torch.stack(list(norms)).to(shares), shares, layouts[0].n_tokens)
    return [(one * own).sum(1) for one, own in zip(patches, sinks, strict=True)]


def _on_mask(sums: Sequence[_Sums], layouts: Sequence[TokenLayout], mask: np.ndarray) -> list[Tensor | None]:
    """The metric `energy` of each head's map; None where the mask is empty, full, or fits no grid, or nothing was asked."""
    found: list[Tensor | None] = [None] * len(sums)
    for grid in {keys.grid for keys in layouts}:
        at = [index for index, keys in enumerate(layouts) if keys.grid == grid and sums[index].asked is not None]
        maps = [
            one[:, keys.n_prefix :]
            for index in at
            if (keys := layouts[index]) and (one := sums[index].asked) is not None
        ]
        try:
            values = energy(torch.cat(maps).unflatten(1, grid).double().cpu().numpy(), mask)
        except VizError:
            continue
        for index, own in zip(at, torch.from_numpy(values).split([len(one) for one in maps]), strict=True):
            found[index] = own
    return found
