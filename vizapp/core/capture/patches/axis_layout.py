"""The layout of a call's axes and tokens: which axes are heads, which are windows, which slot holds which token."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

import torch
from torch import Tensor

from vizapp.core.attention.sides import Sides
from vizapp.core.capture.patches.planes import STEP
from vizapp.core.capture.patches.token_grid import NO_GRID
from vizapp.model.spec import TokenLayout

Kind = Literal[
    "tokens",
    "pool",
    "channels",
    "mixtures",
    "alone",
    "scattered",
    "unplaced",
    "frames",
    "moving",
    "disordered",
    "carriers",
]
NO_TOKENS = frozenset({"channels", "alone"})  # what weighs no patches leaves no gap between the layers


@dataclass(frozen=True, eq=False)
class AxisLayout:
    """The axes of a call, and the tokens on them, as they are read.

    kind     "tokens": between tokens of the picture; "pool": a few learned queries that look at all tokens; "channels":
             between features (cross-covariance, linear attention); "mixtures": each key is of the whole picture, as where a
             learned matrix mixes the tokens before they are looked at (Linformer);
             "alone": of one key, over pictures of a batch (csatv2);
             "scattered": between tokens that form no grid;
             "unplaced": between tokens that were lost sight of, such as those made by an operation that places cannot follow;
             "frames": several tokens stand on one patch, side by side or where others have heads (`frames.copied`);
             "moving": between tokens that stand elsewhere on another picture or in another run (see `survey`);
             "disordered": its keys, values and output do not stand for the same patches, one for each; or one patch asks in
             several windows; or it has only some of the queries, or keys, of an attention that several calls compute;
             "carriers": windows that hold learned tokens
    heads    axes (of those before the last two) along which places do not change; `windows` those along which they do
    folded   heads that are folded into the windows' axes: how many, and how many windows lie between two heads of one
    queries  (window, query) index of the token in `layout`, -1 for one that stands nowhere (padding)
    keys     (window, key) the same in `key_layout`
    stream   (1, token) the same of the stream that the output is added to, where the call is one window of it, -1 where it is
             not known; None: it is all of it
    sides    how far queries, keys, values and output were followed
    spots    (token, 2) y and x of each token of `layout`, NaN for one that stands nowhere; None: not known
    key_spots  the same of `key_layout`, where its queries are no patches
    from_picture  see `Call`
    covers   (height, width) in pixels of what its query tokens stand for, by the distance of neighbours; None: not known
    begins   (y, x) in pixels of the middle of the first of them
    number   of the call, and the calls that it is `built_on`, see `Call`; None: each on the one before
    weighs   the calls whose output, as it is, are its values: bit i for call i
    is_part  is it one window of a layer, whose other windows are calls of their own?
    merges   see `Call`
    """

    kind: Kind
    heads: tuple[int, ...]
    windows: tuple[int, ...]
    queries: Tensor
    keys: Tensor
    layout: TokenLayout
    key_layout: TokenLayout
    from_picture: bool = False
    number: int = -1
    built_on: int | None = None
    weighs: int = 0
    folded: tuple[int, int] = (1, 1)
    covers: tuple[float, float] | None = None
    begins: tuple[float, float] | None = None
    stream: Tensor | None = None
    sides: Sides = field(default_factory=Sides)
    spots: Tensor | None = None
    is_part: bool = False
    key_spots: Tensor | None = None
    merges: int = 0

    @property
    def stream_tokens(self) -> Tensor:
        """(window, token) index in `layout` of each token of the stream that this call adds to, as it lies there."""
        return self.queries if self.stream is None else self.stream

    def goes_on_with_some(self, below: "AxisLayout") -> bool:
        """Tell whether its patches are some of those of the layer `below`, picked out, and none was made of several.

        Merged patches stand between those that they were made of, or went through what merged them. Where the keys are all
        patches of the layer below, those that do not ask are looked at (LeViT, a halo with a stride).
        """
        if self.layout.n_patches >= below.layout.n_patches or self.spots is None or below.spots is None:
            return False
        if self.merges & ~below.merges or self.key_layout.n_patches >= below.layout.n_patches:
            return False
        own, others = self.spots[self.layout.n_prefix :], below.spots[below.layout.n_prefix :]
        return bool(((own[:, None] - others).abs().amax(-1).amin(1) <= 2 * STEP).all())

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether there is one window only, which holds every token and no padding."""
        return self.asks_once and self.keys.shape[1] == self.key_layout.n_tokens and bool((self.keys >= 0).all())

    @cached_property
    def asks_once(self) -> bool:
        """Tell whether there is one window only, and no padding among its queries. Its keys may be some of the tokens."""
        return len(self.queries) == 1 and (self.kind == "pool" or bool((self.queries >= 0).all()))

    @cached_property
    def order(self) -> tuple[Tensor, Tensor] | None:
        """Indices that put the queries and the keys of a whole one in the order of their layouts; None if they are in it."""
        queries = torch.arange(self.queries.shape[1]) if self.kind == "pool" else self.queries[0].argsort()
        order = queries, self.keys[0].argsort()
        return None if all(torch.equal(one, torch.arange(len(one), device=one.device)) for one in order) else order

    def fold(self, tensor: Tensor) -> Tensor:
        """(..., a, b) as the network has it, all axes there -> (window, head, a, b)."""
        axes, shape = (*self.windows, *self.heads), tensor.shape
        n_windows = math.prod([shape[axis] for axis in self.windows])
        n_heads = math.prod([shape[axis] for axis in self.heads])
        ordered = tensor if axes == tuple(range(len(axes))) else tensor.permute(*axes, -2, -1)
        maps = ordered.reshape(n_windows, n_heads, *shape[-2:])
        more, apart = self.folded
        if more == 1:
            return maps
        # (outer windows, head, inner windows, head, ...) -> (window, head, ...)
        return maps.unflatten(0, (-1, more, apart)).transpose(1, 2).flatten(2, 3).flatten(0, 1)

    def unfold(self, maps: Tensor, lead: Sequence[int]) -> Tensor:
        """(window, head, a, b) -> (*lead, a, b) as the network has it: the inverse of `fold`."""
        more, apart = self.folded
        if more > 1:
            maps = maps.unflatten(1, (more, -1)).unflatten(0, (-1, apart)).transpose(1, 2).flatten(0, 2)
        axes = (*self.windows, *self.heads)
        ordered = maps.reshape(*(lead[axis] for axis in axes), *maps.shape[-2:])
        # Where each axis of the network stands among `axes`; the last two are where they were.
        return ordered.permute(*(axes.index(axis) for axis in range(len(axes))), -2, -1)

    def n_heads(self, lead: Sequence[int]) -> int:
        """Count the heads of a call with the axes `lead`, those included that are folded into the windows' axes."""
        return math.prod([lead[axis] for axis in self.heads]) * self.folded[0]


# The same for each layer of a network and for each picture: a few networks at a time have one each.
@lru_cache(maxsize=16)
def plain(layout: TokenLayout, n_queries: int, n_keys: int) -> AxisLayout | None:
    """Read a call (batch, head, query, key) that needs no places: all tokens of `layout` in their order, or a pooling of them."""
    if n_keys != layout.n_tokens or n_queries not in {1, n_keys}:
        return None
    every = torch.arange(n_keys)[None]
    if n_queries == n_keys:
        return AxisLayout("tokens", (0, 1), (), every, every, layout, layout)
    nowhere = torch.full((1, 1), -1)
    return AxisLayout("pool", (0, 1), (), nowhere, every, NO_GRID, layout)
