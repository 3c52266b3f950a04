"""Read a call that is one window of a layer: the layer's other windows are calls of their own (`survey/window_groups.py`)."""

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.patches.arrange import arrange
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.row_tangents import Rows, audited
from vizapp.core.capture.patches.token_grid import tokens_at


def arranged_in(call: Call, prefix: tuple[str, ...], window: AxisLayout | None) -> AxisLayout:
    """Read a call as `arrange` does; on the grid of the layer that it is one window of, if it is known to be one.

    window  how it was read in another pass
    """
    axes = arrange(call, prefix)
    places = call.query_places, call.key_places if call.value_places is None else call.value_places
    if window is None or not window.is_part or axes.kind not in {"tokens", "scattered"} or axes.windows:
        return axes
    found = [_tokens(one, window) for one in places]
    # Other patches than in that pass: it stays what it is by itself, and the two passes differ, which is said.
    if any(one is None or one.shape[1] != window.queries.shape[1] for one in found):
        return axes
    queries, keys = found
    assert queries is not None
    assert keys is not None
    return replace(
        axes,
        kind="tokens",
        queries=queries,
        keys=keys,
        layout=window.layout,
        key_layout=window.key_layout,
        covers=window.covers,
        begins=window.begins,
        spots=window.spots,
        stream=torch.full((1, 1), -1),
        is_part=True,
    )


def _tokens(places: Tensor | None, window: AxisLayout) -> Tensor | None:
    """Find the tokens (1, token) that stand at the places of a call; None if there is none at one of them."""
    if places is None or window.spots is None:
        return None
    row = places.reshape(-1, *places.shape[-2:])[0].cpu().float()
    tokens = tokens_at(row, window.spots, window.layout)
    return tokens[None] if bool((tokens >= 0).all()) else None


def in_stream(axes: AxisLayout, rows: Rows | None) -> AxisLayout:
    """Read a call so that each row is that of the token that it is added to (`audited`), if somebody listened."""
    if rows is None:
        return axes
    n = axes.layout.n_tokens
    where = next((one.places for one in rows.heard if one.in_slots and len(one.places) == n), None)
    if not axes.is_part or where is None:
        return audited(axes, rows)
    # One window of a layer: how the tokens of the stream lie is told by all of them.
    assert axes.spots is not None
    tokens = tokens_at(where, axes.spots.cpu(), axes.layout)
    return audited(replace(axes, stream=tokens[None]) if bool((tokens >= 0).all()) else axes, rows)


def one_layer(windows: Sequence[AxisLayout], rank: int) -> AxisLayout:
    """Read the windows of a layer, whose tensors lie `side_by_side` behind `rank` axes, as one call with so many windows."""
    # Smaller windows are filled up with -1, which is padding to all that reads windows.
    size = max(one.queries.shape[1] for one in windows)
    queries = torch.cat([F.pad(one.queries, (0, size - one.queries.shape[1]), value=-1) for one in windows])
    keys = torch.cat([F.pad(one.keys, (0, size - one.keys.shape[1]), value=-1) for one in windows])
    return replace(windows[0], windows=(rank,), queries=queries, keys=keys, is_part=False)
