"""What one forward pass left behind: an immutable `AttentionTrace`, lazy in its maps, with no reference to the network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from model.spec import TokenLayout
from vizapp.errors import VizError

CHUNK_ELEMENTS = 4_000_000  # attention values computed at a time: 16 MB of float32, whatever the picture's size

Query = str | int | tuple[int, int] | torch.Tensor | np.ndarray


class LayerAttention(ABC):
    """The attention of one layer, (head, query, key), softmaxed. Rows are made on demand.

    Everything that is wanted of a layer is a sum over some of its rows, so a subclass only says how to make rows.
    """

    name: str  # dotted name of the module in the network
    n_heads: int
    n_queries: int
    n_keys: int

    @abstractmethod
    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): how each query token spreads its attention. `queries` (n,) are indices of tokens."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes kept for this layer."""

    @property
    @abstractmethod
    def device(self) -> torch.device: ...

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """Of the rows: float32, or float64 where the network ran in float64."""

    def chunks(self, queries: torch.Tensor) -> Iterator[torch.Tensor]:
        """`queries`, cut so that the rows of one piece stay small in memory."""
        return iter(queries.split(max(1, CHUNK_ELEMENTS // (self.n_heads * self.n_keys))))

    def attend(self, query: torch.Tensor) -> torch.Tensor:
        """(head, key): what a weighted set of query tokens (n_queries,) attends to; row `i` counts `query[i]` times."""
        used = query.nonzero()[:, 0]
        total = torch.zeros(self.n_heads, self.n_keys, device=self.device, dtype=query.dtype)
        for chunk in self.chunks(used):
            total += torch.einsum("q,hqk->hk", query[chunk], self.rows(chunk).to(query.dtype))
        return total

    def attended_by(self, target: torch.Tensor) -> torch.Tensor:
        """(head, query): what each token gives to a weighted set of key tokens (n_keys,); a column for one-hot weights."""
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.rows(chunk).to(target.dtype) @ target for chunk in self.chunks(every)], dim=1)

    def map(self, head: int | None = None) -> torch.Tensor:
        """(query, key) of one head, or (head, query, key): everything, so only when somebody really asks for it."""
        every = self.rows(torch.arange(self.n_queries, device=self.device))
        return every if head is None else every[head]


class FactoredAttention(LayerAttention):
    """softmax(q k^T + bias), kept as its factors: O(N * D) instead of O(heads * N^2).

    q     (head, query, d), already multiplied by the scale, after q/k norm and rotary embedding
    k     (head, key, d)
    bias  None, or additive and broadcastable to (head, query, key)
    """

    def __init__(self, name: str, q: torch.Tensor, k: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        self.name, self.q, self.k, self.bias = name, q, k, bias
        self.n_heads, self.n_queries, self.n_keys = q.shape[0], q.shape[1], k.shape[1]

    def scores(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): the scores before the softmax, in float32 or better."""
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        scores = self.q[:, queries].to(self.dtype) @ self.k.to(self.dtype).transpose(1, 2)
        if self.bias is not None:
            bias = self.bias.expand(*self.bias.shape[:-2], self.n_queries, self.n_keys)
            scores = scores + bias[..., queries, :].to(self.dtype)
        return scores

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        return self.scores(queries).softmax(-1)

    def logsumexp(self) -> torch.Tensor:
        """(head, query): log of each row's softmax denominator. With it one column costs no more than one row."""
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.scores(chunk).logsumexp(-1) for chunk in self.chunks(every)], dim=1)

    @property
    def nbytes(self) -> int:
        return sum(t.untyped_storage().nbytes() for t in (self.q, self.k, self.bias) if t is not None)

    @property
    def device(self) -> torch.device:
        return self.q.device

    @property
    def dtype(self) -> torch.dtype:
        return torch.promote_types(self.q.dtype, torch.float32)


class DenseAttention(LayerAttention):
    """Attention that is no softmax of two factors that we saw: what came out of the softmax itself, (head, query, key)."""

    def __init__(self, name: str, matrix: torch.Tensor) -> None:
        self.name, self.matrix = name, matrix
        self.n_heads, self.n_queries, self.n_keys = matrix.shape

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        return self.matrix[:, queries].to(self.dtype)

    @property
    def nbytes(self) -> int:
        return self.matrix.untyped_storage().nbytes()

    @property
    def device(self) -> torch.device:
        return self.matrix.device

    @property
    def dtype(self) -> torch.dtype:
        return torch.promote_types(self.matrix.dtype, torch.float32)


@dataclass(frozen=True)
class AttentionTrace:
    """The attention of every layer and head for one picture, and what the network said about it.

    layers   first layer first; each (head, token, token)
    layout   what the tokens stand for
    logits   (classes,) float32, or None for a network without a classifier
    readout  what the classifier reads, as a query: "cls", "cls+dist", "mean" (of all patches) or "pool"
    pool     the attention pooling that ends a network without CLS, (head, 1, token); else None
    """

    layers: tuple[LayerAttention, ...]
    layout: TokenLayout
    logits: torch.Tensor | None
    readout: str
    pool: LayerAttention | None = None

    @property
    def nbytes(self) -> int:
        return sum(layer.nbytes for layer in (*self.layers, *([self.pool] if self.pool else [])))

    @property
    def device(self) -> torch.device:
        return self.layers[0].device

    @property
    def dtype(self) -> torch.dtype:
        """Of the numbers made from this trace."""
        return self.layers[0].dtype

    @property
    def queries(self) -> tuple[str, ...]:
        """The named queries that `query` understands, besides "row,col"."""
        named = (*self.layout.prefix, "mean")
        return ("pool", *named) if self.pool is not None else named

    def query(self, query: Query | None = None) -> torch.Tensor:
        """A query is a weight on tokens, (token,), that sums to one.

        None is the readout. Names: "cls", "dist", "reg0", ..., "mean" (all patches alike), "pool" (as the attention
        pooling weighs the tokens, mean over its heads), "row,col" of a patch, from 0, or several alike, "cls+dist".
        A pair (row, col) is a patch, an int a token of the sequence. Weights are scaled to sum to one.
        """
        query = self.readout if query is None else query
        if isinstance(query, np.ndarray):
            query = torch.from_numpy(np.ascontiguousarray(query))
        if isinstance(query, torch.Tensor):
            return self._weights(query)
        if isinstance(query, str):
            return self._named(query)
        if isinstance(query, tuple) and len(query) == 2 and all(isinstance(part, int) for part in query):
            return self._one(self.layout.token_of(*query))
        if isinstance(query, int) and not isinstance(query, bool):
            return self._one(query)
        raise VizError(
            f"{query!r} is no query.", "Give a name, a pair (row, col), the index of a token, or weights on all tokens."
        )

    def name_of(self, query: Query | None) -> str:
        """What to call a query: "cls", "3,4", or "weights" for weights without a name."""
        if query is None:
            return self.readout
        if isinstance(query, int):
            in_grid = divmod(query - self.layout.n_prefix, self.layout.grid[1])
            query = self.layout.prefix[query] if query < self.layout.n_prefix else in_grid
        if isinstance(query, tuple):
            return f"{query[0]},{query[1]}"
        return query if isinstance(query, str) else "weights"

    def layer(self, index: int) -> LayerAttention:
        """A layer by its index from 0; negative counts from the end."""
        if not -len(self.layers) <= index < len(self.layers):
            raise VizError(
                f"There is no layer {index}: this model has {len(self.layers)}.",
                f"In code layers go from 0 to {len(self.layers) - 1} (the page counts from 1).",
            )
        return self.layers[index]

    def _named(self, name: str) -> torch.Tensor:
        if "+" in name:
            return self._weights(sum((self._named(part) for part in name.split("+")), torch.zeros(())))
        if name == "mean":
            return self._weights(torch.arange(self.layout.n_tokens) >= self.layout.n_prefix)
        if name == "pool" and self.pool is not None:
            one = torch.ones(self.pool.n_queries, device=self.device, dtype=self.dtype)
            return self._weights(self.pool.attend(one).mean(0))
        if name in self.layout.prefix:
            return self._one(self.layout.prefix.index(name))
        try:
            row, col = (int(part) for part in name.split(","))
        except ValueError:
            raise VizError(
                f"'{name}' is no query of this model.",
                f"Say one of: {', '.join(self.queries)}, or 'row,col' of a patch, such as '0,0'.",
            ) from None
        return self._one(self.layout.token_of(row, col))

    def _one(self, token: int) -> torch.Tensor:
        if not 0 <= token < self.layout.n_tokens:
            raise VizError(f"There is no token {token}: this model has {self.layout}.")
        return torch.nn.functional.one_hot(torch.tensor(token, device=self.device), self.layout.n_tokens).to(self.dtype)

    def _weights(self, weights: torch.Tensor) -> torch.Tensor:
        weights = weights.detach().to(self.device, self.dtype)
        if weights.shape != (self.layout.n_tokens,) or not bool((weights >= 0).all()) or not float(weights.sum()) > 0:
            raise VizError(
                f"A query must hold one weight >= 0 for each of {self.layout}, not all zero; got {tuple(weights.shape)}."
            )
        return weights / weights.sum()


@dataclass(frozen=True)
class Relevance:
    """One number per patch for a query: what every method returns and every picture shows.

    scores     (rows, cols) float: for attention and rollout, the share of the query's attention that the patch gets
    on_prefix  the share that stayed on each prefix token, so that `scores.sum() + sum(on_prefix)` is the whole
    asked      the query's name: "cls", "3,4", ... ; "weights" for weights without a name
    query      (token,) its weights
    method     the method's name; `settings` the values of its parameters
    """

    scores: np.ndarray
    on_prefix: dict[str, float]
    asked: str
    query: np.ndarray
    method: str
    settings: dict[str, Any]

    @classmethod
    def from_tokens(
        cls,
        tokens: torch.Tensor,
        layout: TokenLayout,
        *,
        asked: str,
        query: torch.Tensor,
        method: str,
        settings: dict[str, Any],
    ) -> Relevance:
        """From one value per token, (token,)."""
        values = tokens.detach().cpu().numpy()
        prefix = {name: float(value) for name, value in zip(layout.prefix, values, strict=False)}
        scores = values[layout.n_prefix :].reshape(layout.grid)
        return cls(scores, prefix, asked, query.detach().cpu().numpy(), method, settings)
