"""From an attention call as a network makes it to (window, head, query, key), with a token of the picture for each.

Networks fold heads and windows into the axes that suit them: (batch, head, token), (window, head, token), (window, head,
window token), (batch * head, ...). Which axis is which is told by where tokens stand (`TokenCoordinates`): along windows places
change, along heads they do not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import torch
from torch import Tensor

from vizapp.core.attention.trace import UNNAMED
from vizapp.core.capture.apart import STEP
from vizapp.core.capture.call import Call
from vizapp.core.capture.learned import hold_more
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text

Kind = Literal[
    "tokens", "pool", "channels", "scattered", "unplaced", "frames", "moving", "repeated", "carriers", "pieces"
]
WHY_NOT = {
    "channels": Text("it weighs channels, not patches"),
    "scattered": Text("its tokens stand on no grid of patches that covers the picture"),
    "unplaced": Text("where its tokens stand on the picture could not be followed"),
    "frames": Text("several of its tokens stand on one patch, as those of a video or of a volume do"),
    "pieces": Text("it is computed in pieces, some of its queries or of its keys at a time"),
    "repeated": Text(
        "several of its windows or heads ask for the same patches, each in an order or among keys of its own"
    ),
    "carriers": Text("tokens that stand for no patch lie in its windows"),
    "moving": Text("which patches its tokens stand for changes with the picture or by chance"),
}


@dataclass(frozen=True, eq=False)
class AxisLayout:
    """How the axes of a call, and the tokens on them, are to be read.

    kind     "tokens": between tokens of the picture; "pool": a few learned queries that look at all tokens; "channels":
             between features (cross-covariance, linear attention); "scattered": between tokens that form no grid;
             "unplaced": between tokens that were lost sight of, such as those made by an operation that places cannot follow;
             "frames": several tokens stand on one patch, be it side by side or where others have heads (`features.copied`);
             "pieces": some of the queries, or of the keys, of an attention that several calls compute (see `survey`);
             "moving": between tokens that stand elsewhere on another picture or in another run (see `survey`);
             "repeated": one patch is a query of several windows, which may be heads with places of their own, or the same
             picture once more; "carriers": windows that hold learned tokens
    heads    axes (of those before the last two) along which places do not change; `windows` those along which they do
    folded   heads that are folded into the windows' axes: how many, and how many windows lie between two heads of one
    queries  (window, query) index of the token in `layout`, -1 for one that stands nowhere (padding)
    keys     (window, key) the same in `key_layout`
    from_picture  see `Call`
    covers   (height, width) in pixels of what its query tokens stand for, by the distance of neighbours; None: not known
    begins   (y, x) in pixels of the middle of the first of them
    number   of the call, and the calls that it is `built_on`, see `Call`; None: each on the one before
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
    folded: tuple[int, int] = (1, 1)
    covers: tuple[float, float] | None = None
    begins: tuple[float, float] | None = None

    @cached_property
    def is_whole(self) -> bool:
        """Is there one window only, which holds every token and no padding?"""
        one = len(self.queries) == 1 and bool((self.keys >= 0).all())
        return one and (self.kind == "pool" or bool((self.queries >= 0).all()))

    @cached_property
    def order(self) -> tuple[Tensor, Tensor] | None:
        """Of a whole one: what puts its queries and its keys in the order of their layouts; None if they are in it."""
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
        """How many heads a call with the axes `lead` has, those included that are folded into the windows' axes."""
        return math.prod([lead[axis] for axis in self.heads]) * self.folded[0]


NO_GRID = TokenLayout((), (0, 0))


@lru_cache(maxsize=16)
def plain(layout: TokenLayout, n_queries: int, n_keys: int) -> AxisLayout | None:
    """For a call (batch, head, query, key) that needs no places: all tokens of `layout` in their order, or a pooling."""
    if n_keys != layout.n_tokens or n_queries not in {1, n_keys}:
        return None
    every = torch.arange(n_keys)[None]
    if n_queries == n_keys:
        return AxisLayout("tokens", (0, 1), (), every, every, layout, layout)
    nowhere = torch.full((1, 1), -1)
    return AxisLayout("pool", (0, 1), (), nowhere, every, NO_GRID, layout)


def check_expected(model: VisionModel, found: TokenLayout) -> None:
    """Raise `VizError` if the owner of `model` said that its last layer has another layout than the one `found`."""
    expected = model.expected
    if expected is None or expected == found:
        return
    hint = "Leave out layout= to see what was found."
    if expected.grid == found.grid:
        hint = "Name each token before the patches, in their order, in vizapp.describe(net, layout=...)."
    raise VizError(
        "In {name} expected {expected}, but found {found}.", hint, name=model.name, expected=expected, found=found
    )


def arrange(call: Call, prefix: tuple[str, ...] = ()) -> AxisLayout:
    """Read a call that was made while places were followed. `prefix` names the tokens of a whole sequence that stand nowhere."""
    axes = _arranged(call, prefix)
    return replace(axes, number=call.number, built_on=call.built_on, from_picture=call.from_picture)


def _arranged(call: Call, prefix: tuple[str, ...]) -> AxisLayout:
    # The one thing that tells heads from windows: two heads look from the same places, two windows from different ones. Sizes
    # tell nothing; 12 may be heads, windows, or a batch.
    queries, keys = call.query_places, call.key_places
    lead = call.output.ndim - 2
    every = tuple(range(lead))
    none = torch.zeros(1, 0, dtype=torch.long)
    if queries is None or keys is None or _are_features(keys):
        return AxisLayout("channels", every, (), none, none, NO_GRID, NO_GRID)
    if not bool(keys.isfinite().any()) or bool(queries.isinf().any() | keys.isinf().any()):
        return AxisLayout("unplaced", every, (), none, none, NO_GRID, NO_GRID)
    queries, keys = _at_least(queries, lead), _at_least(keys, lead)
    windows = tuple(axis for axis in every if _changes(queries, axis) or _changes(keys, axis))
    heads = tuple(axis for axis in every if axis not in windows)
    queries, keys = (_fold_places(places, windows, heads) for places in (queries, keys))
    n_windows = max(queries.shape[0], keys.shape[0])
    queries, keys = (places.expand(n_windows, *places.shape[1:]) for places in (queries, keys))
    # As many object queries as patches are no patches; of a map that was found whole, nothing tells what its rows are.
    are_placed = call.q is None or bool(queries.isfinite().any())
    if are_placed and queries.shape == keys.shape and not _changes(queries, 1) and _changes(keys, 1):
        # Queries made from the whole picture, or from the middle of a window: theirs are the keys' tokens.
        queries = keys
    elif are_placed and queries.shape == keys.shape and not _changes(queries, 0) and _changes(keys, 0):
        queries = keys
    # Read apart: in networks that reduce their keys (PVT, MViT), queries and keys stand on grids of different sizes.
    values = _fold_values(call.v, call.output.shape[:-2], windows, heads)
    same = queries.shape == keys.shape and torch.equal(queries.isnan(), keys.isnan())
    asked = values if same or call.q is None else _fold_values(call.q, call.output.shape[:-2], windows, heads)
    layout, query_tokens = _tokens(queries, prefix, call.extent, asked)
    key_layout, key_tokens = _tokens(keys, prefix, call.extent, values)
    if _twice(query_tokens) or _twice(key_tokens):
        return AxisLayout("frames", every, (), none, none, NO_GRID, NO_GRID)
    if not bool(queries.isfinite().any()):
        return AxisLayout("pool", heads, windows, query_tokens, key_tokens, NO_GRID, key_layout)
    if NO_GRID in (layout, key_layout):
        return AxisLayout("scattered", heads, windows, query_tokens, key_tokens, layout, key_layout)
    folded = more, apart = _folded_heads(query_tokens, key_tokens)
    if more > 1:
        query_tokens, key_tokens = (
            t.unflatten(0, (-1, more, apart))[:, 0].flatten(0, 1) for t in (query_tokens, key_tokens)
        )
    why_not: Kind | None = None
    # Windows that overlap at some patches ask for these again, not for all patches equally often.
    often = query_tokens[query_tokens >= 0].unique(return_counts=True)[1]
    if bool((often > 1).all()) and bool((often == often[0]).all()):
        why_not = "repeated"
    elif len(key_tokens) > 1 and hold_more(values, ~keys.isfinite().all(-1)):
        why_not = "carriers"
    if why_not is not None:
        return AxisLayout(why_not, every, (), none, none, NO_GRID, NO_GRID)
    covers, begins = _covered(queries, layout)
    tokens = query_tokens, key_tokens, layout, key_layout
    return AxisLayout("tokens", heads, windows, *tokens, folded=folded, covers=covers, begins=begins)


def _folded_heads(queries: Tensor, keys: Tensor) -> tuple[int, int]:
    """Windows that come again, token by token, are heads of one window: how many of them, and how far apart they lie.

    A network may put windows first in that axis (window 0 head 0, window 0 head 1, ...), heads first, or heads in between; in
    each case the copies of the first window lie evenly, and how far apart tells which.
    """
    tokens = torch.cat([queries, keys], 1)
    again = (tokens == tokens[0]).all(1).nonzero()[:, 0].tolist()
    if len(again) == 1:
        return 1, 1
    more, apart = len(again), again[1]
    if len(tokens) % (more * apart):
        return 1, 1
    each = tokens.unflatten(0, (-1, more, apart))
    return (more, apart) if bool((each == each[:, :1]).all()) else (1, 1)


def _are_features(keys: Tensor) -> bool:
    """Several keys, all in one place: features of a sum over all tokens, as linear attention has them."""
    placed = keys.isfinite().all(-1)
    # Tokens that differ stand in different places; features of a mean over the picture all stand in its middle.
    several = keys.shape[-2] > 1 and bool(placed.all())
    return several and not any(_changes(keys, axis) for axis in range(keys.ndim - 1))


def _at_least(places: Tensor, lead: int) -> Tensor:
    """(..., token, 2) with `lead` axes before the tokens; missing ones are broadcast."""
    return places.reshape(*(1,) * (lead + 2 - places.ndim), *places.shape)


def _changes(places: Tensor, axis: int) -> bool:
    """Do places differ along an axis? Nowhere is like nowhere."""
    first = places.narrow(axis, 0, 1)
    close = (places - first).abs() < STEP
    return not bool((close | (places.isnan() & first.isnan())).all())


def _fold_places(places: Tensor, windows: tuple[int, ...], heads: tuple[int, ...]) -> Tensor:
    """(..., token, 2) -> (window, token, 2)."""
    for axis in heads:
        places = places.narrow(axis, 0, 1)
    return places.permute(*windows, *heads, -2, -1).reshape(-1, *places.shape[-2:])


def _fold_values(values: Tensor, lead: torch.Size, windows: tuple[int, ...], heads: tuple[int, ...]) -> Tensor:
    """(..., token, e) -> (window, token, head x e)."""
    every = values.expand(*lead, *values.shape[-2:]).permute(*windows, -2, *heads, -1)
    return every.reshape(math.prod([lead[axis] for axis in windows]), values.shape[-2], -1)


def _tokens(
    places: Tensor, prefix: tuple[str, ...], extent: tuple[int, int] | None, values: Tensor
) -> tuple[TokenLayout, Tensor]:
    """(window, token, 2) -> the layout, and for each token its index in it; `NO_GRID` where they form no grid.

    values  (window, token, feature): of tokens without a place that stand among the others, they tell whether it is padding
    """
    there = places.isfinite().all(-1)
    if not bool(there.any()):
        return NO_GRID, torch.full(there.shape, -1)
    # Whole numbers, since means of coordinates come out a hair apart and would make a column of its own each.
    steps = (places[there] / STEP).round().long()
    (rows, row), (cols, col) = (_ranks(steps[:, axis]) for axis in range(2))
    if extent is not None and not all(_covers(steps[:, axis] * STEP, extent[axis]) for axis in range(2)):
        return NO_GRID, torch.full(there.shape, -1)
    # Learned tokens are those without a place in a sequence that has a place for each patch, once; others are padding.
    n_learned = int((~there).sum()) if there.shape[0] == 1 and int(there.sum()) == rows * cols else 0
    if n_learned and not _side_by_side(there[0]) and not hold_more(values, ~there):
        n_learned = 0
    if len(torch.unique(row * cols + col)) != rows * cols:
        return NO_GRID, torch.full(there.shape, -1)
    named = prefix if len(prefix) == n_learned else _names(n_learned)
    tokens = torch.full(there.shape, -1)
    tokens[there.cpu()] = (n_learned + row * cols + col).cpu()
    if n_learned:
        tokens[0, ~there[0].cpu()] = torch.arange(n_learned)
    return TokenLayout(named, (rows, cols)), tokens


Pair = tuple[float, float] | None


def _covered(places: Tensor, layout: TokenLayout) -> tuple[Pair, Pair]:
    """(height, width) of all patches and (y, x) of the first, from places (window, token, 2) of their middles."""
    if min(layout.grid) < 2:
        return None, None
    there = places[places.isfinite().all(-1)]
    apart = (there.amax(0) - there.amin(0)) / (torch.tensor(layout.grid, device=there.device) - 1)
    rows, cols = (apart.cpu() * torch.tensor(layout.grid)).tolist()
    y, x = there.amin(0).tolist()
    return (rows, cols), (y, x)


def _twice(tokens: Tensor) -> bool:
    """Does a window hold a token more than once?"""
    ordered = tokens.sort(-1).values
    return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())


def _ranks(steps: Tensor) -> tuple[int, Tensor]:
    """How many different values there are, and the rank of each; neighbours closer than two steps are one."""
    values = steps.unique()
    starts = torch.cat([torch.ones(1, dtype=torch.bool, device=values.device), values.diff() > 2])
    rank = starts.cumsum(0) - 1
    return int(starts.sum()), rank[torch.searchsorted(values, steps.contiguous())]


def _covers(places: Tensor, extent: int) -> bool:
    """Do rows (or columns) of patches stand evenly all over the picture? Not if some were dropped: a map would be stretched.

    Patches that overlap end one step before the border, and a picture that is no multiple of a patch loses less than one.
    """
    values = places.unique()
    values = values[torch.cat([values[:1] > -torch.inf, values.diff() > 2 * STEP])]  # as `_ranks` tells them apart
    if len(values) < 2:
        return True
    gaps = values.diff()
    step = float(gaps.max())
    # Kernels of even length leave the first patch, or the last, half a step from the next.
    even = bool((gaps > 0.4 * step).all()) and bool((gaps[1:-1] > 0.75 * step).all())
    inside = float(values[0]) < 1.3 * step and extent - float(values[-1]) < 1.49 * step
    return even and inside and len(values) * step - extent < 0.6 * step


def _side_by_side(there: Tensor) -> bool:
    """Do all tokens without a place stand before or behind those that have one?"""
    placed = there.nonzero()[:, 0]
    return int(placed[-1]) - int(placed[0]) + 1 == len(placed)


def _names(count: int) -> tuple[str, ...]:
    return ("cls",) if count == 1 else tuple(f"{UNNAMED}{i}" for i in range(count))
