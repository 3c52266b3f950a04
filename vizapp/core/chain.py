"""Back through the layers: shares of a late layer's tokens, handed down to the patches, across grids where they change."""

from __future__ import annotations

from collections.abc import Callable

import torch

from model.spec import TokenLayout
from vizapp.core.grids import indices, joined, refines, spread
from vizapp.core.trace import AttentionTrace
from vizapp.errors import VizError

Step = Callable[[int, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def follow_back(
    trace: AttentionTrace, query: torch.Tensor, step: Step, *, last: int = -1, start: int = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,) on the tokens that layer `start` was made from, and what they stand for.

    query  (token,) of layer `last`, or several, (..., token)
    step   (layer, r (..., its query tokens)) -> what attention hands on (..., its keys), what stays (..., its query tokens)
    A share of a merged patch is spread evenly on the patches it was made of. Raises `VizError` where layers form no chain.
    """
    trace.layer(last)
    last %= len(trace.layers)
    check_start(start, last)
    if trace.no_chain:
        raise VizError(f"Attention cannot be followed through this network: {trace.no_chain}.")
    r, layout = query, trace.layouts(last)[0]
    for index in reversed(range(start, last + 1)):
        own, keys = trace.layouts(index)
        below = _finest(own, keys) if index == start else trace.layouts(index - 1)[0]
        if layout == own == keys == below:
            attended, stayed = step(index, r)
            r = attended + stayed
            continue
        mine, target = indices(own, layout), joined(below, own, keys, layout)
        attended, stayed = step(index, r[..., mine])
        rest = r.clone()
        rest[..., mine] = stayed
        r, layout = spread(attended, keys, target) + spread(rest, layout, target), target
    return r, layout


def check_start(start: int, last: int) -> None:
    """Raises `VizError` if layers from `start` to `last` are none."""
    if not 0 <= start <= last:
        raise VizError(f"start_layer={start} is not possible.", f"It goes from 0 to {last}, the last layer followed.")


def why_no_chain(layouts: list[tuple[TokenLayout, TokenLayout]]) -> str:
    """Why shares cannot be handed from layer to layer, (queries, keys) each; "" if they can."""
    for index, (own, keys) in enumerate(layouts):
        below = layouts[index - 1][0] if index else _finest(own, keys)
        for coarse in (own, keys):
            if not refines(below, coarse):
                return f"layer {index + 1} has {_grid(coarse)} patches over {_grid(below)}, which are no whole blocks"
    return ""


def _grid(layout: TokenLayout) -> str:
    return f"{layout.grid[0]}x{layout.grid[1]}"


def _finest(*layouts: TokenLayout) -> TokenLayout:
    return max(layouts, key=lambda layout: layout.n_patches)
