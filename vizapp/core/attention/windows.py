"""The attention of a layer that looks at the picture window by window (Swin, MaxViT, SAM, Hiera, ...)."""

from functools import cached_property

import torch

from vizapp.core.attention.compact import Compact
from vizapp.core.attention.hidden import closed
from vizapp.core.attention.layers import CHUNK_ELEMENTS, LayerAttention
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout


class WindowedAttention(LayerAttention):
    """Attention inside windows, read as rows over all tokens of its layer: zero outside of the query's window.

    parts    the same attention with (window * head) for its heads: (window * head, slot, key slot)
    queries  (window, slot) index of the token in `layout`, -1 for padding
    keys     (window, key slot) index in `key_layout`, -1 for padding: a row sums to one less what padding gets
    If a token is a query in several overlapping windows, its row is the mean of its rows there.
    """

    is_windowed = True

    def __init__(
        self,
        name: str,
        parts: LayerAttention,
        queries: torch.Tensor,
        keys: torch.Tensor,
        layout: TokenLayout,
        key_layout: TokenLayout,
    ) -> None:
        self.name, self._parts, self.layout, self.key_layout = name, parts, layout, key_layout
        self.queries, self.keys = queries, keys
        self.n_windows, self.n_heads = len(queries), parts.n_heads // len(queries)
        self.n_queries, self.n_keys = layout.n_tokens, key_layout.n_tokens
        # All appearances of tokens among the queries, sorted by token: bisection finds those of one token.
        order = queries.flatten().argsort(stable=True)
        self._order = order[queries.flatten()[order] >= 0]
        self._sorted = queries.flatten()[self._order].contiguous()

    @property
    def parts(self) -> LayerAttention:
        return self._parts

    def compact(self, room: int) -> Compact:
        found = self.parts.compact(room)
        if not found.kind:
            return found
        return Compact(found.kind, found.tensors | {"queries": self.queries.int(), "keys": self.keys.int()})

    def without_keys(self, gone: torch.Tensor) -> LayerAttention:
        # The same token may be a key in some windows, and in another the only key that a query may look at.
        raise VizError(
            "{name} looks at the picture window by window.", "Tokens cannot be left out of windows.", name=self.name
        )

    def _places(self, queries: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(appearance,) each: which of `queries` it belongs to, its window, its slot there."""
        first = torch.searchsorted(self._sorted, queries)
        count = torch.searchsorted(self._sorted, queries, right=True) - first
        # The k-th appearance of each query in turn: `which` query it belongs to, and where it is among the sorted ones.
        which = torch.repeat_interleave(torch.arange(len(queries), device=self.device), count)
        offset = torch.arange(len(which), device=self.device) - (count.cumsum(0) - count)[which]
        at = self._order[first[which] + offset]
        return which, at // self.queries.shape[1], at % self.queries.shape[1]

    def rows(self, queries: torch.Tensor) -> torch.Tensor:
        queries = torch.as_tensor(queries, device=self.device).reshape(-1)
        which, window, slot = self._places(queries)
        inside = (
            self._inside(window, slot) / which.bincount(minlength=1)[which, None, None]
        )  # (appearance, head, key slot)
        # One column beyond the keys collects the attention to padding, and is cut off.
        out = torch.zeros(self.n_heads, len(queries) * self.n_keys + 1, device=self.device, dtype=self.dtype)
        keys = self.keys[window]
        target = torch.where(keys >= 0, which[:, None] * self.n_keys + keys, len(queries) * self.n_keys)
        out.index_add_(1, target.flatten(), inside.transpose(0, 1).flatten(1))
        return out[:, :-1].unflatten(1, (len(queries), self.n_keys))

    def shut(self, queries: torch.Tensor) -> torch.Tensor | None:
        """(1, len(queries), key): what lies outside of each query's windows, and what a mask hides there in all heads."""
        which, window, slot = self._places(queries)
        keys, hidden = self.keys[window], self._closed
        seen = torch.zeros(len(queries), self.n_keys + 1, device=self.device, dtype=torch.bool)
        if hidden is not None:
            keys = keys.where(~hidden.expand(self.n_windows, -1, -1)[window, slot], -1)
        seen[which[:, None].expand_as(keys), keys.where(keys >= 0, self.n_keys)] = True
        return ~seen[None, :, :-1]

    @cached_property
    def masks_inside(self) -> bool:  # type: ignore[override]
        # What fills up a window is hidden in any case.
        there = (self.queries >= 0)[:, :, None] & (self.keys >= 0)[:, None]
        return self._closed is not None and bool((self._closed & there).any())

    @cached_property
    def _closed(self) -> torch.Tensor | None:
        return closed(self)

    def attend(self, query: torch.Tensor) -> torch.Tensor:
        """Compute the same as the base class, but window by window, without a row over all tokens."""
        if query.count_nonzero() < 16:
            return super().attend(query)  # few rows: faster than a pass through every window
        # The row of a token in several windows is the mean of its rows, so its weight is divided by the number of appearances.
        flat = self.queries.flatten()
        count = torch.zeros(self.n_queries, device=self.device, dtype=query.dtype)
        count.index_add_(0, flat[flat >= 0], torch.ones(int((flat >= 0).sum()), device=self.device, dtype=query.dtype))
        weight = torch.where(flat >= 0, (query / count.clamp_min(1))[flat], 0).reshape(self.queries.shape)
        total = torch.zeros(self.n_heads, self.n_keys + 1, device=self.device, dtype=query.dtype)
        heads = self.n_heads
        at_once = max(1, CHUNK_ELEMENTS // (heads * self.parts.n_queries * self.parts.n_keys))
        for windows in torch.arange(len(weight), device=self.device).split(at_once):
            maps = self._maps(windows).to(query.dtype)  # (window, head, slot, key slot)
            got = torch.einsum("wq,whqk->hwk", weight[windows], maps).reshape(heads, -1)
            keys = self.keys[windows].flatten()
            total.index_add_(1, torch.where(keys >= 0, keys, self.n_keys), got)
        return total[:, :-1]

    def _maps(self, windows: torch.Tensor) -> torch.Tensor:
        """(len(windows), head, slot, key slot)"""
        index = (windows[:, None] * self.n_heads + torch.arange(self.n_heads, device=self.device)).flatten()
        return self.parts.only(index).map().unflatten(0, (len(windows), self.n_heads))

    def _inside(self, window: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """(n, head, key slot): the row of each of n appearances inside its window."""
        index = window[:, None] * self.n_heads + torch.arange(self.n_heads, device=self.device)  # (n, head)
        at_once = max(1, CHUNK_ELEMENTS // (self.n_heads * self.parts.n_keys * 64))
        every = torch.arange(len(slot), device=self.device)
        pieces = [self.parts.picked(index[some], slot[some]) for some in every.split(at_once)]
        return torch.cat(pieces) if pieces else torch.zeros(0, self.n_heads, self.parts.n_keys, dtype=self.dtype)

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        return *self.parts.tensors, self.queries, self.keys

    def picked(self, heads: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
        return self.rows(queries).transpose(0, 1)[torch.arange(len(queries), device=self.device)[:, None], heads]

    def only(self, heads: torch.Tensor) -> "WindowedAttention":
        windows = torch.arange(len(self.queries), device=self.device)[:, None] * self.n_heads
        parts = self.parts.only((windows + heads).flatten())
        return self.with_parts(parts)

    @property
    def below_zero(self) -> bool:
        return self.parts.below_zero

    @property
    def are_shares(self) -> bool:
        return self.parts.are_shares

    def with_parts(self, parts: LayerAttention) -> "WindowedAttention":
        assert self.layout is not None
        assert self.key_layout is not None
        return WindowedAttention(self.name, parts, self.queries, self.keys, self.layout, self.key_layout)
