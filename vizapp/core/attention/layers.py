"""The attention of one layer, lazy in its maps: kept as the factors q and k, or as a matrix."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import torch

from vizapp.core.attention.compact import Compact, fits_in_half
from vizapp.core.attention.tiles import add_shares, tile_side
from vizapp.core.masks import hidden_by_map, open_by_bias, zeros_tell
from vizapp.core.modes import own_precision
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout

BLOCK_ROWS = 128  # of one head, on a processor with caches
ROUNDING = 0.02  # of a row's sum, in bfloat16
TINY = 1e-30  # its logarithm is finite, and times zero it is zero
CHUNK_ELEMENTS = 4_000_000  # attention values computed at a time: 16 MB of float32, whatever the picture's size


class LayerAttention(ABC):
    """The attention of one layer, (head, query, key), softmaxed. Rows are made on demand.

    Every result about a layer is a sum over some of its rows, so a subclass only has to make rows. The attributes below declare
    the other differences between kinds of layers: code outside never checks which kind it has.
    """

    name: str  # dotted name of the module in the network, "#1" added to the second call of one module
    layout: TokenLayout | None = None  # the tokens of the queries, and of the keys; None: those of the whole trace
    key_layout: TokenLayout | None = None
    n_heads: int
    n_queries: int
    n_keys: int
    query_names: tuple[str, ...] = ()  # of queries that are not tokens of the picture: ("cls",), ("query 0", ...)
    is_windowed: bool = False
    zeros_tell: bool = True  # False where a share of zero may be masked or merely small
    masks_inside: bool = False  # whether a mask hides, from tokens of a window, others of the same window
    n_windows: int = 1  # a layer without windows is one window with all tokens
    width: int = 0  # d of the factors q and k (head, token, d); 0 if there are none

    @property
    def rows_sum_to_one(self) -> bool:
        """Tell whether each row is known to sum to one. A captured matrix may hold anything."""
        return False

    @property
    def below_zero(self) -> bool:
        """Tell whether some weights are negative (heads mixed after the softmax)."""
        return False

    @property
    def are_shares(self) -> bool:
        """Tell whether each row is shares of a whole: no value below zero, the sum 1, or 0 if a mask hides all keys."""
        return True

    def shut(self, queries: torch.Tensor) -> torch.Tensor | None:
        """(head, len(queries), key) bool: keys that a mask hides; one head if it is the same for all; None if there is none."""
        return None

    @property
    def parts(self) -> "LayerAttention":
        """The attention inside the windows, with (window * head) for its heads; for a layer without windows the layer itself."""
        return self

    def with_parts(self, parts: "LayerAttention") -> "LayerAttention":
        """Return the same windows with other attention inside; without windows, return `parts`."""
        return parts

    @abstractmethod
    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): how each query token spreads its attention. `queries` (n,) are indices of tokens."""

    def rows_and_logs(self, queries: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return `rows` and their logarithm, which is finite even if a row is zero."""
        rows = self.rows(queries)
        return rows, rows.clamp_min(TINY).log()

    @abstractmethod
    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        """(n, m, key): for each of `queries` (n,) its rows in its own `heads` (n, m)."""

    @abstractmethod
    def only(self, heads: torch.Tensor) -> "LayerAttention":
        """Return a layer with only these heads (n,), which may repeat."""

    @property
    @abstractmethod
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """What is kept for this layer: first what the rows are made of."""

    @property
    def nbytes(self) -> int:
        """Bytes kept for this layer: whole storages, since a view keeps all of one in memory."""
        return sum(one.untyped_storage().nbytes() for one in self.tensors)

    @property
    def device(self) -> torch.device:
        return self.tensors[0].device

    @property
    def dtype(self) -> torch.dtype:
        """The type of the rows: float32, or float64 if the network ran in float64."""
        return torch.promote_types(self.tensors[0].dtype, torch.float32)

    def head(self, index: int) -> int:
        """Return `index`, from 0, if there is such a head. Raises `VizError` if not."""
        if not 0 <= index < self.n_heads:
            raise VizError(
                "There is no head {index}: this layer has {count}.",
                "Heads are counted from 0, so the last is {last}.",
                index=index,
                count=self.n_heads,
                last=self.n_heads - 1,
            )
        return index

    def query(self, index: int) -> int:
        """Return `index`, from 0, if there is such a query. Raises `VizError` if not."""
        if not 0 <= index < self.n_queries:
            raise VizError(
                "There is no query {index}: {name} has {count}.",
                "Queries are counted from 0, so the last is {last}.",
                index=index,
                name=self.name,
                count=self.n_queries,
                last=self.n_queries - 1,
            )
        return index

    def chunks(self, queries: torch.Tensor) -> Iterator[torch.Tensor]:
        """Cut `queries` into pieces whose rows stay small in memory."""
        return iter(queries.split(max(1, CHUNK_ELEMENTS // (self.n_heads * self.n_keys))))

    def attend(self, query: torch.Tensor) -> torch.Tensor:
        """(head, key): the attention of a weighted set of query tokens (n_queries,); row `i` counts `query[i]` times."""
        used = query.nonzero()[:, 0]
        if len(used) == 1:  # the usual case
            return self.rows(used)[:, 0].to(query.dtype) * query[used]
        total = torch.zeros(self.n_heads, self.n_keys, device=self.device, dtype=query.dtype)
        for chunk in self.chunks(used):
            total += query[chunk] @ self.rows(chunk).to(query.dtype)
        return total

    def attended_by(self, target: torch.Tensor) -> torch.Tensor:
        """(head, query): the attention of each token to a weighted set of key tokens (n_keys,); a column for one-hot weights."""
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.rows(chunk).to(target.dtype) @ target for chunk in self.chunks(every)], dim=1)

    def push(self, r: torch.Tensor) -> torch.Tensor:
        """(key,): r @ A, A the mean of the heads: one step of rollout. `r` (query,) are shares."""
        return self.attend(r).mean(0)

    def map(self, head: int | None = None) -> torch.Tensor:
        """(query, key) of one head, or (head, query, key): O(heads * N^2) memory, which the other methods avoid."""
        every = self.rows(torch.arange(self.n_queries, device=self.device))
        return every if head is None else every[head]

    def compact(self, room: int) -> Compact:
        """Return the smallest form for sending, an empty one if it would take more than `room` bytes."""
        if self._dense_bytes > room:
            return Compact()
        return Compact("dense", {"dense": self.map().half()})

    @property
    def _dense_bytes(self) -> int:
        return 2 * self.n_heads * self.n_queries * self.n_keys  # in half precision

    def without_keys(self, gone: torch.Tensor) -> "LayerAttention":
        """Return a layer in which no query can look at the keys in `gone` (key,) bool: each row is shared among the others.

        Raises `VizError` if rows of this layer cannot be shared so.
        """
        raise VizError("Tokens cannot be left out of the attention of {name}.", name=self.name)


class FactoredAttention(LayerAttention):
    """softmax(q k^T + bias), kept as its factors: O(N * D) instead of O(heads * N^2).

    q          (head, query, d), already multiplied by the scale, after q/k norm and rotary embedding
    k          (head, key, d)
    bias       None, or additive and broadcastable to (head, query, key)
    logsumexp  None, or log of each row's softmax denominator, (head, query), if the network's own kernel gave it
    """

    def __init__(
        self,
        name: str,
        q: torch.Tensor,
        k: torch.Tensor,
        bias: torch.Tensor | None = None,
        layout: TokenLayout | None = None,
        key_layout: TokenLayout | None = None,
        logsumexp: torch.Tensor | None = None,
    ) -> None:
        self.name, self.q, self.k, self.bias, self.layout, self.key_layout = name, q, k, bias, layout, key_layout
        self.logsumexp = logsumexp
        self.n_heads, self.n_queries, self.n_keys, self.width = q.shape[0], q.shape[1], k.shape[1], q.shape[2]

    @cached_property
    def rows_sum_to_one(self) -> bool:
        """Rows of a softmax sum to one, except rows that a mask hides completely: they are zero, as in the kernels of PyTorch."""
        return self.bias is None or not bool((self.bias == -torch.inf).all(-1).any())

    def shut(self, queries: torch.Tensor) -> torch.Tensor | None:
        if self.bias is None:
            return None
        return ~open_by_bias(self.bias.expand(*self.bias.shape[:-2], self.n_queries, self.n_keys)[..., queries, :])

    def scores(self, queries: torch.Tensor) -> torch.Tensor:
        """(head, len(queries), key): the scores before the softmax, in float32 or better."""
        queries, dtype = torch.as_tensor(queries, device=self.device).reshape(-1), self.dtype
        with own_precision(self.device):
            scores = self.q[:, queries].to(dtype) @ self.k.to(dtype).transpose(1, 2)
        if self.bias is not None:
            bias = self.bias.expand(*self.bias.shape[:-2], self.n_queries, self.n_keys)
            scores = scores + bias[..., queries, :].to(self.dtype)
        return scores

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        return self._shares(self.scores(queries))

    def rows_and_logs(self, queries: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the same as the base class. The softmax has the logarithms already."""
        if self.bias is not None:
            return super().rows_and_logs(queries)
        logs = self.scores(queries).log_softmax(-1)
        return logs.exp(), logs

    def _shares(self, scores: torch.Tensor) -> torch.Tensor:
        """Softmax; a row that a mask hides completely is zero, as in the kernels of PyTorch."""
        shares = scores.softmax(-1)
        return shares if self.bias is None else shares.where(scores.amax(-1, keepdim=True) != -torch.inf, 0)

    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        q, k = self.q[heads, queries[:, None]].to(self.dtype), self.k[heads].to(self.dtype)
        scores = (k @ q[..., None])[..., 0]
        if self.bias is not None:
            bias = self.bias.expand(self.n_heads, self.n_queries, self.n_keys)
            scores = scores + bias[heads, queries[:, None]].to(self.dtype)
        return self._shares(scores)

    def only(self, heads: torch.Tensor) -> "FactoredAttention":
        bias = None if self.bias is None else self.bias.expand(self.n_heads, -1, -1)[heads]
        return FactoredAttention(self.name, self.q[heads], self.k[heads], bias)

    def push(self, r: torch.Tensor) -> torch.Tensor:
        """Compute the same as the base class, faster: with the kernel's denominators if any, and by tiles for many rows."""
        used = r.nonzero()[:, 0]
        is_small = len(used) * self.n_keys < CHUNK_ELEMENTS // 16
        if self.logsumexp is not None and self.bias is None:
            push = self._push_at_once if is_small else self._push_by_tiles
            return push(self.q[:, used].to(r.dtype), self.logsumexp[:, used].to(r.dtype), r[used])
        if is_small:
            return super().push(r)
        # A block of one head's rows stays in the processor's cache between its product, its softmax and its sum; all heads
        # at once would go through main memory three times.
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

    def _push_at_once(self, q: torch.Tensor, logsumexp: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Push few rows with known denominators, all heads together."""
        shares = torch.baddbmm(-logsumexp[..., None], q, self.k.to(q.dtype).transpose(1, 2)).exp_()
        weights = weight / shares.sum(-1)  # each sum is one, apart from the rounding of large scores
        return torch.bmm(weights[:, None], shares).mean((0, 1))

    def _push_by_tiles(self, q: torch.Tensor, logsumexp: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Push many rows: none is needed twice, so each tile of some rows and some keys is finished in one step.

        Sum over i of weight_i exp(q_i k_j - lse_i), where -lse_i is one more feature of q_i, and 1 that of each k_j.
        """
        on_processor = self.device.type == "cpu"
        side = tile_side(self.device, q.dtype) if on_processor else int((16 * CHUNK_ELEMENTS) ** 0.5)
        total = torch.zeros(self.n_keys, device=self.device, dtype=q.dtype)
        for head in range(self.n_heads):
            more = torch.cat([q[head], -logsumexp[head, :, None]], 1).T
            k = self.k[head].to(q.dtype)
            add_shares(total, more, torch.cat([k, torch.ones_like(k[:, :1])], 1), weight, side, side)
        return total / self.n_heads

    def in_order(
        self, queries: torch.Tensor, keys: torch.Tensor, layout: TokenLayout | None, key_layout: TokenLayout
    ) -> "FactoredAttention":
        """Reorder: query `i` of the result is query `queries[i]` of this layer, and keys likewise; both get the given layouts."""
        bias = self.bias
        if bias is not None:  # a mask that is the same for all queries or keys has an axis of length 1
            bias = bias.expand(-1, self.n_queries, self.n_keys)[:, queries][:, :, keys]
        logsumexp = None if self.logsumexp is None else self.logsumexp[:, queries]
        return FactoredAttention(self.name, self.q[:, queries], self.k[:, keys], bias, layout, key_layout, logsumexp)

    def without_keys(self, gone: torch.Tensor) -> "FactoredAttention":
        # -inf before the softmax: the softmax itself shares the row. The old denominators no longer hold.
        closed = torch.zeros(1, 1, self.n_keys, device=self.device, dtype=self.dtype).masked_fill(gone, -torch.inf)
        bias = closed if self.bias is None else self.bias + closed
        return FactoredAttention(self.name, self.q, self.k, bias, self.layout, self.key_layout)

    def compact(self, room: int) -> Compact:
        # A bias can be as large as the matrix, so a layer with a bias sends the matrix, which contains both.
        size = self.n_heads * (2 * self.width * (self.n_queries + self.n_keys) + 4 * self.n_queries)
        if self.bias is None and size <= min(self._dense_bytes, room):
            # The part that all keys share adds the same to all scores of a row, which changes no softmax. But it can be
            # large (a bias of the key projection), and half precision has only eleven bits for it and the rest together.
            q, k = self.q.float(), self.k.float() - self.k.float().mean(1, keepdim=True)
            if fits_in_half(q) and fits_in_half(k):
                q, k = q.half(), k.half()
                # The denominators of the rounded factors, not of the exact ones: the received rows must sum to one.
                logsumexp = FactoredAttention(self.name, q, k).row_logsumexp()
                return Compact("factors", {"q": q, "k": k, "logsumexp": logsumexp})
        return super().compact(room)

    def row_logsumexp(self) -> torch.Tensor:
        """(head, query): log of each row's softmax denominator. With it one column costs no more than one row."""
        if self.logsumexp is not None:
            return self.logsumexp
        every = torch.arange(self.n_queries, device=self.device)
        return torch.cat([self.scores(chunk).logsumexp(-1) for chunk in self.chunks(every)], dim=1)

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        return tuple(one for one in (self.q, self.k, self.bias, self.logsumexp) if one is not None)


class DenseAttention(LayerAttention):
    """Attention that is not a softmax of two captured factors: the matrix that was applied, (head, query, key)."""

    # `is_masked`: a key that gets nothing in any head is hidden by a mask. That holds of all its heads, and of no other matrix.

    def __init__(
        self,
        name: str,
        matrix: torch.Tensor,
        layout: TokenLayout | None = None,
        key_layout: TokenLayout | None = None,
        is_masked: bool = False,
    ) -> None:
        self.name, self.matrix, self.layout, self.key_layout = name, matrix, layout, key_layout
        self.is_masked, (self.n_heads, self.n_queries, self.n_keys) = is_masked, matrix.shape

    @cached_property
    def below_zero(self) -> bool:
        return bool((self.matrix < -1e-6).any())  # less may be rounding

    @cached_property
    def are_shares(self) -> bool:
        sums = self.matrix.to(self.dtype).sum(-1)
        return not self.below_zero and bool((((sums - 1).abs() < ROUNDING) | (sums.abs() < ROUNDING)).all())

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        return self.matrix[:, torch.as_tensor(queries, device=self.device).reshape(-1)].to(self.dtype)

    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        return self.matrix[heads, queries[:, None]].to(self.dtype)

    @property
    def zeros_tell(self) -> bool:  # type: ignore[override]
        return not self.is_masked or zeros_tell(self.matrix.dtype)

    def shut(self, queries: torch.Tensor) -> torch.Tensor | None:
        return hidden_by_map(self.matrix[:, queries]) if self.is_masked else None

    def only(self, heads: torch.Tensor) -> "DenseAttention":
        return DenseAttention(self.name, self.matrix[heads])

    def in_order(
        self, queries: torch.Tensor, keys: torch.Tensor, layout: TokenLayout | None, key_layout: TokenLayout
    ) -> "DenseAttention":
        """Reorder as `FactoredAttention.in_order` does."""
        return DenseAttention(self.name, self.matrix[:, queries][:, :, keys], layout, key_layout, self.is_masked)

    def without_keys(self, gone: torch.Tensor) -> "DenseAttention":
        kept = self.matrix.masked_fill(gone, 0)
        total = kept.sum(-1, keepdim=True)
        # A row that looked at nothing else stays zero, like a row that a mask hides completely.
        shares = kept / total.where(total != 0, 1)
        return DenseAttention(self.name, shares, self.layout, self.key_layout, self.is_masked)

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        return (self.matrix,)
