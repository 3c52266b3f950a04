"""The keys of a layer that a query cannot see: a mask hides them, or its windows leave them out."""

from collections.abc import Sequence

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention


def closed(layer: LayerAttention) -> Tensor | None:
    """(window or 1, slot, key slot) bool: what a mask hides in all heads inside each window, or in a layer without windows.

    None if it hides nothing.
    """
    shut = layer.parts.shut(torch.arange(layer.parts.n_queries, device=layer.device))
    hidden = None if shut is None else shut if len(shut) == 1 else shut.unflatten(0, (layer.n_windows, -1)).all(1)
    return hidden if hidden is not None and bool(hidden.any()) else None


def hidden_keys(layer: LayerAttention, queries: Sequence[int] | Tensor | None = None) -> Tensor | None:
    """(len(queries), key) bool: the keys that no head of each query can see; None if each query sees all keys.

    queries  indices of tokens; None: all of the layer
    """
    every = torch.arange(layer.n_queries) if queries is None else torch.as_tensor(queries).reshape(-1)
    shut = [layer.shut(some) for some in layer.chunks(every.to(layer.device))]
    hidden = torch.cat([one.all(0) for one in shut if one is not None] or [torch.zeros(1, 1, dtype=torch.bool)])
    return hidden.cpu() if bool(hidden.any()) else None


def seen_by(layer: LayerAttention, queries: Sequence[int]) -> Tensor:
    """(len(queries),) int: the keys among which each query's attention is shared, without those that are hidden."""
    hidden = hidden_keys(layer, queries)
    return torch.full((len(queries),), layer.n_keys) if hidden is None else (~hidden).sum(-1)


def seen_together(layer: LayerAttention, queries: Sequence[int]) -> int:
    """The number of keys that at least one of several queries may look at."""
    hidden = hidden_keys(layer, queries)
    return layer.n_keys if hidden is None else int((~hidden.all(0)).sum())


def hidden_from(layer: LayerAttention, weights: Tensor) -> Tensor | None:
    """(key,) bool: the keys that no token sees of a weighted set of query tokens (n_queries,); None if all are seen."""
    hidden = hidden_keys(layer, weights.nonzero()[:, 0])
    return None if hidden is None or not bool(hidden.all(0).any()) else hidden.all(0)


def hidden_to(layer: LayerAttention, key: int) -> Tensor | None:
    """(query,) bool: the queries that cannot see a key; None if all see it."""
    hidden = hidden_keys(layer)
    return None if hidden is None or not bool(hidden[:, key].any()) else hidden[:, key]
