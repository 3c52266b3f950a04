"""Raw attention: one row, or one column, of one layer's attention."""

from typing import Annotated, Any

import torch

from vizapp.core.attention.fusion import fuse_heads, unit_of
from vizapp.core.attention.hidden import hidden_from, hidden_to
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method
from vizapp.core.setting import HEADS_COMBINED, Head, Layer, Setting
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.vocabulary import Direction, Fusion
from vizapp.wording import Text

TINY = Text("In half precision a share of zero may be that of a masked patch, or merely small, so none is hatched.")


def _hides(trace: AttentionTrace, query: torch.Tensor, settings: dict[str, Any]) -> torch.Tensor | None:
    layer = trace.layer(settings["layer"])
    return hidden_from(layer, query) if settings["direction"] == "from" else hidden_to(layer, int(query.argmax()))


@method(
    title="Attention",
    sentence="Where the last layer looks, as the mean of its heads.",
    paper="Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, eq. 2 and appendix A, eq. 6",
    unit=unit_of,
    chosen=True,
    shown=lambda trace, settings: trace.layers[settings["layer"]],
    hides=_hides,
)
def attention(
    trace: AttentionTrace,
    query: torch.Tensor,
    *,
    layer: Layer = -1,
    head: Head = None,
    fusion: Annotated[Fusion, HEADS_COMBINED] = "mean",
    direction: Annotated[
        Direction, Setting("Direction", "from: where the query looks; to: which tokens look at it.")
    ] = "from",
) -> tuple[torch.Tensor, TokenLayout, tuple[Text, ...]]:
    """(token,): how the query token spreads its attention in one layer (`from`), or how much each token gives it (`to`).

    layer      from 0; negative counts from the end
    head       from 0; None fuses all heads by `fusion`
    direction  "from": the query's row, shares that sum to one (unless fused by anything but the mean);
               "to": its column, each value the share of *that* token's attention that goes to the query
    What a mask hides from the query, or its window leaves out, is in `Relevance.hidden`.
    Weights that are not shares (heads mixed after the softmax, as in CaiT; a sigmoid) are shown as they are, with a note.
    The map sees no values, no norms and no other layers. It says where the layer looked, not why the class was chosen.
    """
    if direction == "to" and int(query.count_nonzero()) != 1:
        raise VizError('direction="to" needs a query of one token.', "A mean of tokens has no column of its own.")
    chosen, (own, keys) = trace.layer(layer), trace.layouts(layer)
    if direction == "to" and own != keys:
        raise VizError(
            "In this layer {own} look at {keys}, so there is no column of a patch.",
            'Ask with direction="from".',
            own=own,
            keys=keys,
        )
    layout = keys if direction == "from" else own
    heads = chosen.attend(query) if direction == "from" else chosen.attended_by(query)  # (head, token)
    tokens = fuse_heads(heads, fusion) if head is None else heads[trace.head(layer, head)]
    return tokens, layout, () if chosen.parts.zeros_tell or bool(tokens.all()) else (TINY,)
