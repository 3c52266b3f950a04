"""The attention of one layer, lazy in its maps: kept as the factors q and k, or as a matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import torch

from model.spec import TokenLayout

BLOCK_ROWS = 128  # of one head, on a processor with caches; measured, see docs/lab-notes.md
BLOCK_ELEMENTS = 1_700_000  # of one head, where the denominators are known: a buffer that is used again and again
CHUNK_ELEMENTS = 4_000_000  # attention values computed at a time: 16 MB of float32, whatever the picture's size


class LayerAttention(ABC):
    """The attention of one layer, (head, query, key), softmaxed. Rows are made on demand.

    Everything that is wanted of a layer is a sum over some of its rows, so a subclass only says how to make rows.
    """

    name: str  # dotted name of the module in the network, "#1" added to the second call of one module
    layout: TokenLayout | None = None  # what the queries stand for, and the keys; None: as in the whole trace
    key_layout: TokenLayout | None = None
    n_heads: int
    n_queries: int
    n_keys: int

    @abstractmethod
    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): how each query token spreads its attention. `queries` (n,) are indices of tokens."""

    @abstractmethod
    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        """(n, m, key): for each of `queries` (n,) its rows in its own `heads` (n, m)."""

    @abstractmethod
    def only(self, heads: torch.Tensor) -> LayerAttention:
        """The same with these heads (n,), which may repeat."""

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
        if len(used) == 1:  # what is asked most
            return self.rows(used)[:, 0].to(query.dtype) * query[used]
        total = torch.zeros(self.n_heads, self.n_keys, device=self.device, dtype=query.dtype)
        for chunk in self.chunks(used):
            total += query[chunk] @ self.rows(chunk).to(query.dtype)
        return total

    def attended_by(self, target: torch.Tensor) -> torch.Tensor:
        """(head, query): what each token gives to a weighted set of key tokens (n_keys,); a column for one-hot weights."""
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.rows(chunk).to(target.dtype) @ target for chunk in self.chunks(every)], dim=1)

    def push(self, r: torch.Tensor) -> torch.Tensor:
        """(key,): r @ A, A the mean of the heads: one step of rollout. `r` (query,) are shares."""
        return self.attend(r).mean(0)

    def map(self, head: int | None = None) -> torch.Tensor:
        """(query, key) of one head, or (head, query, key): everything, so only when somebody really asks for it."""
        every = self.rows(torch.arange(self.n_queries, device=self.device))
        return every if head is None else every[head]


class FactoredAttention(LayerAttention):
    """softmax(q k^T + bias), kept as its factors: O(N * D) instead of O(heads * N^2).

    q     (head, query, d), already multiplied by the scale, after q/k norm and rotary embedding
    k     (head, key, d)
    bias  None, or additive and broadcastable to (head, query, key)
    lse   None, or log of each row's softmax denominator, (head, query), where the network's own kernel gave it
    """

    def __init__(
        self,
        name: str,
        q: torch.Tensor,
        k: torch.Tensor,
        bias: torch.Tensor | None = None,
        layout: TokenLayout | None = None,
        key_layout: TokenLayout | None = None,
        lse: torch.Tensor | None = None,
    ) -> None:
        self.name, self.q, self.k, self.bias, self.layout, self.key_layout = name, q, k, bias, layout, key_layout
        self.lse = lse
        self.n_heads, self.n_queries, self.n_keys = q.shape[0], q.shape[1], k.shape[1]

    def scores(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): the scores before the softmax, in float32 or better."""
        queries, dtype = torch.as_tensor(queries, device=self.device).reshape(-1), self.dtype
        scores = self.q[:, queries].to(dtype) @ self.k.to(dtype).transpose(1, 2)
        if self.bias is not None:
            bias = self.bias.expand(*self.bias.shape[:-2], self.n_queries, self.n_keys)
            scores = scores + bias[..., queries, :].to(self.dtype)
        return scores

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        return self._shares(self.scores(queries))

    def _shares(self, scores: torch.Tensor) -> torch.Tensor:
        """Softmax; a row that a mask hides altogether is zero, as the kernels of PyTorch have it."""
        shares = scores.softmax(-1)
        return shares if self.bias is None else shares.where(scores.amax(-1, keepdim=True) != -torch.inf, 0)

    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        q, k = self.q[heads, queries[:, None]].to(self.dtype), self.k[heads].to(self.dtype)
        scores = (k @ q[..., None])[..., 0]
        if self.bias is not None:
            bias = self.bias.expand(self.n_heads, self.n_queries, self.n_keys)
            scores = scores + bias[heads, queries[:, None]].to(self.dtype)
        return self._shares(scores)

    def only(self, heads: torch.Tensor) -> FactoredAttention:
        bias = None if self.bias is None else self.bias.expand(self.n_heads, -1, -1)[heads]
        return FactoredAttention(self.name, self.q[heads], self.k[heads], bias)

    def push(self, r: torch.Tensor) -> torch.Tensor:
        """As in the base class; faster where the denominators are known. For many rows a part of one head at a time, which
        stays in the cache.
        """
        used = r.nonzero()[:, 0]
        is_small = len(used) * self.n_keys < CHUNK_ELEMENTS // 16
        if self.lse is not None and self.bias is None:
            push = self._push_at_once if is_small else self._push_by_blocks
            return push(self.q[:, used].to(r.dtype), self.lse[:, used].to(r.dtype), r[used])
        if is_small:
            return super().push(r)
        q, weight = self.q[:, used].to(r.dtype), r[used]
        total = torch.zeros(self.n_keys, device=self.device, dtype=r.dtype)
        step = BLOCK_ROWS if self.device.type == "cpu" else max(BLOCK_ROWS, 16 * CHUNK_ELEMENTS // self.n_keys)
        for head in range(self.n_heads):
            k = self.k[head].to(r.dtype).T
            for start in range(0, len(used), step):
                rows = slice(start, start + step)
                scores = q[head, rows] @ k
                if self.bias is not None:
                    bias = self.bias.expand(self.n_heads, self.n_queries, self.n_keys)
                    scores += bias[head, used[rows]].to(r.dtype)
                total += weight[rows] @ self._shares(scores)
        return total / self.n_heads

    def _push_at_once(self, q: torch.Tensor, lse: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """For few rows whose denominators are known: all heads together."""
        shares = torch.baddbmm(-lse[..., None], q, self.k.to(q.dtype).transpose(1, 2)).exp_()
        weights = weight / shares.sum(-1)  # each sum is one but for the rounding of large scores
        return torch.bmm(weights[:, None], shares).mean((0, 1))

    def _push_by_blocks(self, q: torch.Tensor, lse: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """For many rows: none is looked at twice, so blocks are of keys, each finished at once.

        Sum over i of weight_i exp(q_i k_j - lse_i), where -lse_i is one more feature of q_i, and 1 that of each k_j.
        """
        n_rows = len(weight)
        step = min(1024, max(BLOCK_ROWS, BLOCK_ELEMENTS // n_rows))
        if self.device.type != "cpu":
            step = max(step, 16 * CHUNK_ELEMENTS // n_rows)
        total = torch.zeros(self.n_keys, device=self.device, dtype=q.dtype)
        buffer = torch.empty(min(step, self.n_keys), n_rows, device=self.device, dtype=q.dtype)
        for head in range(self.n_heads):
            more = torch.cat([q[head], -lse[head, :, None]], 1).T
            k = self.k[head].to(q.dtype)
            k = torch.cat([k, torch.ones_like(k[:, :1])], 1)
            for start in range(0, self.n_keys, step):
                keys = slice(start, start + step)
                part = k[keys]
                shares = torch.mm(part, more, out=buffer[: len(part)]).exp_()
                total[keys].addmv_(shares, weight)
        return total / self.n_heads

    def logsumexp(self) -> torch.Tensor:
        """(head, query): log of each row's softmax denominator. With it one column costs no more than one row."""
        if self.lse is not None:
            return self.lse
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.scores(chunk).logsumexp(-1) for chunk in self.chunks(every)], dim=1)

    @property
    def nbytes(self) -> int:
        return sum(t.untyped_storage().nbytes() for t in (self.q, self.k, self.bias, self.lse) if t is not None)

    @property
    def device(self) -> torch.device:
        return self.q.device

    @property
    def dtype(self) -> torch.dtype:
        return torch.promote_types(self.q.dtype, torch.float32)


class DenseAttention(LayerAttention):
    """Attention that is no softmax of two factors that we saw: the matrix that was applied, (head, query, key)."""

    def __init__(
        self,
        name: str,
        matrix: torch.Tensor,
        layout: TokenLayout | None = None,
        key_layout: TokenLayout | None = None,
    ) -> None:
        self.name, self.matrix, self.layout, self.key_layout = name, matrix, layout, key_layout
        self.n_heads, self.n_queries, self.n_keys = matrix.shape

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        return self.matrix[:, queries].to(self.dtype)

    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        return self.matrix[heads, queries[:, None]].to(self.dtype)

    def only(self, heads: torch.Tensor) -> DenseAttention:
        return DenseAttention(self.name, self.matrix[heads])

    @property
    def nbytes(self) -> int:
        return self.matrix.untyped_storage().nbytes()

    @property
    def device(self) -> torch.device:
        return self.matrix.device

    @property
    def dtype(self) -> torch.dtype:
        return torch.promote_types(self.matrix.dtype, torch.float32)
