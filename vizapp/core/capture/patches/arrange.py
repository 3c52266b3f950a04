"""Read the axes of an attention call, as the network has them, from where its tokens stand.

Networks fold heads and windows into the axes that suit them: (batch, head, token), (window, head, token), (window, head,
window token), (batch * head, ...). Places tell which axis is which (`TokenCoordinates`): along windows they change, along heads
they do not.
"""

import math
from dataclasses import replace

import torch
from torch import Tensor

from vizapp.core.attention.sides import Sides
from vizapp.core.capture.call import Call
from vizapp.core.capture.patches.axis_layout import AxisLayout, Kind
from vizapp.core.capture.patches.planes import STEP, changes, places_part
from vizapp.core.capture.patches.token_grid import NO_GRID, covered, grid_of, has_twice, hold_more, spots_of, tokens_at
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel


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
    axes = _arranged(call, prefix, call.key_places)
    if axes.kind in {"tokens", "pool", "scattered"} and _parted(call, axes, prefix):
        axes = replace(axes, kind="disordered")
    axes = replace(axes, sides=Sides(values=call.values_are))
    if axes.kind == "tokens" and _learned_may_differ(axes):
        axes = replace(axes, sides=replace(axes.sides, values="lost"))
    return replace(axes, number=call.number, built_on=call.built_on, from_picture=call.from_picture, merges=call.merges)


def _learned_may_differ(axes: AxisLayout) -> bool:
    """Tell whether keys are in another order than the queries, with several learned tokens among them.

    These stand nowhere, so nothing tells which of the keys is which of the queries.
    """
    n = axes.layout.n_prefix
    if n < 2 or axes.key_layout.n_prefix != n or len(axes.queries) > 1 or len(axes.keys) > 1:
        return False
    queries, keys = axes.queries[0], axes.keys[0]
    moved = queries.shape == keys.shape and not torch.equal(queries, keys)
    return moved or not torch.equal((queries < n).nonzero(), (keys < n).nonzero())


def _parted(call: Call, axes: AxisLayout, prefix: tuple[str, ...]) -> bool:
    """Tell whether keys and values stand for different patches. `axes` are read by the keys."""
    if places_part(call.key_places, call.value_places):
        return True
    # A token that was picked out stands for itself alone. Merged ones may lie half of their distance from others.
    is_picked = axes.kind == "tokens" and axes.key_layout == axes.layout and not axes.is_whole and axes.asks_once
    if not is_picked or call.keys_mix or call.values_are != "followed" or call.value_places is None:
        return False
    by_value = _arranged(call, prefix, call.value_places)
    return by_value.kind != axes.kind or not torch.equal(by_value.keys, axes.keys)


def _arranged(call: Call, prefix: tuple[str, ...], columns: Tensor | None) -> AxisLayout:
    """Read a call whose keys stand at `columns`."""
    # One thing tells heads from windows: two heads look from the same places, two windows from different ones. Sizes tell
    # nothing; 12 may be heads, windows, or a batch.
    queries, keys = call.query_places, columns
    lead = call.output.ndim - 2
    every = tuple(range(lead))
    none = torch.zeros(1, 0, dtype=torch.long)
    if queries is None or keys is None or _are_features(keys):
        kind = _of_features(call, queries, keys)
        return AxisLayout(kind, every, (), none, none, NO_GRID, NO_GRID)
    if not bool(keys.isfinite().any()) or bool(queries.isinf().any() | keys.isinf().any()):
        return AxisLayout("unplaced", every, (), none, none, NO_GRID, NO_GRID)
    queries, keys = _at_least(queries, lead), _at_least(keys, lead)
    windows = tuple(axis for axis in every if changes(queries, axis) or changes(keys, axis))
    heads = tuple(axis for axis in every if axis not in windows)
    queries, keys = (_fold_places(places, windows, heads) for places in (queries, keys))
    n_windows = max(queries.shape[0], keys.shape[0])
    queries, keys = (places.expand(n_windows, *places.shape[1:]) for places in (queries, keys))
    # Object queries are no patches, even where there are as many. Of a map that was found whole nothing tells what its rows are.
    are_placed = call.q is None or bool(queries.isfinite().any())
    if are_placed and queries.shape == keys.shape and not changes(queries, 1) and changes(keys, 1):
        # Queries that were made from the whole picture, or from the middle of a window, ask for the tokens of the keys.
        queries = keys
    elif are_placed and queries.shape == keys.shape and not changes(queries, 0) and changes(keys, 0):
        queries = keys
    # Queries and keys are read apart: in networks that reduce their keys (PVT, MViT) they stand on grids of different sizes.
    values = _fold_values(call.v, call.output.shape[:-2], windows, heads)
    same = queries.shape == keys.shape and torch.equal(queries.isnan(), keys.isnan())
    asked = values if same or call.q is None else _fold_values(call.q, call.output.shape[:-2], windows, heads)
    layout, query_tokens = grid_of(queries, prefix, call.extent, asked)
    key_layout, key_tokens = grid_of(keys, prefix, call.extent, values)
    spots = None if layout == NO_GRID else spots_of(queries, query_tokens, layout)
    if spots is not None and not call.keys_mix and (picked := _picked(keys, spots, layout)) is not None:
        key_layout, key_tokens = layout, picked
    # Two tokens on one patch, in one window: the frames of a film, or slices of a volume.
    if has_twice(query_tokens) or has_twice(key_tokens):
        return AxisLayout("frames", every, (), none, none, NO_GRID, NO_GRID)
    if not bool(queries.isfinite().any()):
        at = None if key_layout == NO_GRID else spots_of(keys, key_tokens, key_layout)
        return AxisLayout("pool", heads, windows, query_tokens, key_tokens, NO_GRID, key_layout, key_spots=at)
    if NO_GRID in (layout, key_layout):
        return AxisLayout("scattered", heads, windows, query_tokens, key_tokens, layout, key_layout)
    # Only now: heads that are folded among windows are told by their tokens, which come again.
    folded = more, apart = _folded_heads(query_tokens, key_tokens)
    if more > 1:
        query_tokens, key_tokens = (
            t.unflatten(0, (-1, more, apart))[:, 0].flatten(0, 1) for t in (query_tokens, key_tokens)
        )
    why_not = _why_not_windows(query_tokens, key_tokens, values, keys)
    if why_not is not None:
        return AxisLayout(why_not, every, (), none, none, NO_GRID, NO_GRID)
    covers, begins = covered(queries, layout)
    tokens = query_tokens, key_tokens, layout, key_layout
    return AxisLayout("tokens", heads, windows, *tokens, folded=folded, covers=covers, begins=begins, spots=spots)


def _why_not_windows(query_tokens: Tensor, key_tokens: Tensor, values: Tensor, keys: Tensor) -> Kind | None:
    """Tell why windows of such tokens are not shown, whose values are (window, token, feature) at `keys`; None if they are."""
    # Windows that overlap ask again for some patches. Where every patch is asked for equally often, whole windows come again.
    often = query_tokens[query_tokens >= 0].unique(return_counts=True)[1]
    if bool((often > 1).all()) and bool((often == often[0]).all()):
        return "disordered"
    # SepViT has a token of each window, which was once dropped from its maps as padding.
    carry = len(key_tokens) > 1 and hold_more(values, ~keys.isfinite().all(-1))
    return "carriers" if carry else None


def _picked(keys: Tensor, spots: Tensor, layout: TokenLayout) -> Tensor | None:
    """Find the tokens of the queries that stand where the keys (window, token, 2) do, if keys are fewer than the patches.

    They were picked out, as by a slice, and are no merged patches: a grid of their own would spread each over its neighbours.
    None where they are as many, or one stands where no query does.
    """
    there = keys.isfinite().all(-1).cpu()
    n_prefix = int((~there).sum())
    # In windows, what stands nowhere is padding, and no learned token.
    is_sequence = not n_prefix or (len(keys) == 1 and n_prefix == layout.n_prefix)
    if not is_sequence or not 0 < int(there.sum()) < layout.n_patches:
        return None
    tokens = torch.full(there.shape, -1)
    tokens[~there] = torch.arange(n_prefix)
    places = keys.cpu().float()[there]
    found = tokens[there] = tokens_at(places, spots, layout)
    is_there = (found >= 0).all() & ((spots[found] - places).abs() <= 2 * STEP).all()
    return tokens if bool(is_there) else None


def _folded_heads(queries: Tensor, keys: Tensor) -> tuple[int, int]:
    """Count the windows that come again, token by token, and how far apart they lie: they are the heads of one window.

    A network may put windows first in that axis (window 0 head 0, window 0 head 1, ...), heads first, or heads in between; in
    each case the copies of the first window lie evenly, and how far apart tells which.
    """
    tokens = torch.cat([queries, keys], 1)
    again = (tokens == tokens[0]).all(1).nonzero()[:, 0].tolist()
    if len(again) == 1:
        return 1, 1
    more, apart = len(again), again[1]
    # Not evenly, so they are no heads: the same patches were asked for twice.
    if len(tokens) % (more * apart):
        return 1, 1
    each = tokens.unflatten(0, (-1, more, apart))
    return (more, apart) if bool((each == each[:, :1]).all()) else (1, 1)


def _of_features(call: Call, queries: Tensor | None, keys: Tensor | None) -> Kind:
    """Tell what a map weighs whose keys have no places of their own."""
    if call.v.shape[-2] == 1:
        return "alone"
    # A map over features is no product of queries and keys, or its queries are features, too.
    if call.q is None or queries is None or keys is None or queries.ndim < 2:
        return "channels"
    # Tokens that a learned matrix mixed ask from one place, too. Channels have no place, as tokens lie along their features.
    stand = bool(queries.isfinite().all(-1).any())
    return "mixtures" if stand or changes(queries, queries.ndim - 2) else "channels"


def _are_features(keys: Tensor) -> bool:
    """Tell whether several keys stand in one place: they are features of a sum over all tokens, as in linear attention.

    Learned tokens among them stand nowhere, and tell nothing.
    """
    placed = keys.isfinite().all(-1)
    # Tokens that differ stand in different places; features of a mean over the picture all stand in its middle.
    there = keys[placed]
    several = bool(placed.any()) and bool(placed.sum(-1).amin() > 1)
    return several and bool(((there - there[0]).abs() < STEP).all())


def _at_least(places: Tensor, lead: int) -> Tensor:
    """Give (..., token, 2) `lead` axes before the tokens; missing ones are broadcast."""
    return places.reshape(*(1,) * (lead + 2 - places.ndim), *places.shape)


def _fold_places(places: Tensor, windows: tuple[int, ...], heads: tuple[int, ...]) -> Tensor:
    """(..., token, 2) -> (window, token, 2)."""
    for axis in heads:
        places = places.narrow(axis, 0, 1)
    return places.permute(*windows, *heads, -2, -1).reshape(-1, *places.shape[-2:])


def _fold_values(values: Tensor, lead: torch.Size, windows: tuple[int, ...], heads: tuple[int, ...]) -> Tensor:
    """(..., token, e) -> (window, token, head x e)."""
    every = values.expand(*lead, *values.shape[-2:]).permute(*windows, -2, *heads, -1)
    return every.reshape(math.prod([lead[axis] for axis in windows]), values.shape[-2], -1)
