"""Raw attention: one row, or one column, of one layer's attention."""

from __future__ import annotations

from typing import Any, Literal

import torch

from model.spec import TokenLayout
from vizapp.core.fusion import Fusion, fuse_heads
from vizapp.core.methods import method
from vizapp.core.trace import AttentionTrace
from vizapp.errors import VizError

SHARE = "share of the query's attention"


def _unit(settings: dict[str, Any]) -> str:
    share = "share of each token's attention to the query" if settings["direction"] == "to" else SHARE
    over = {"max": "largest ", "min": "smallest "} if settings["head"] is None else {}
    return over.get(settings["fusion"], "") + share


@method(paper="Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, eq. 2 and appendix A, eq. 6", unit=_unit)
def attention(
    trace: AttentionTrace,
    query: torch.Tensor,
    *,
    layer: int = -1,
    head: int | None = None,
    fusion: Fusion = "mean",
    direction: Literal["from", "to"] = "from",
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): how the query token spreads its attention in one layer (`from`), or how much each token gives it (`to`).

    layer      from 0; negative counts from the end
    head       from 0; None fuses all heads by `fusion`
    direction  "from": the query's row, shares that sum to one (unless fused by max or min);
               "to": its column, each value the share of *that* token's attention that goes to the query
    It sees neither values, nor norms, nor other layers: it is where the layer looked, not why the class was chosen.
    """
    if direction == "to" and int(query.count_nonzero()) != 1:
        raise VizError('direction="to" needs a query of one token.', "A mean of tokens has no column of its own.")
    chosen, (own, keys) = trace.layer(layer), trace.layouts(layer)
    if direction == "to" and own != keys:
        raise VizError(
            f"In this layer {own} look at {keys}, so there is no column of a patch.", 'Ask with direction="from".'
        )
    layout = keys if direction == "from" else own
    heads = chosen.attend(query) if direction == "from" else chosen.attended_by(query)  # (head, token)
    if head is None:
        return fuse_heads(heads, fusion), layout
    return heads[trace.head(layer, head)], layout
