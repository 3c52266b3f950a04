"""Cross attention: where queries look that are no patches, such as class tokens and the object queries of a detector."""

from typing import Annotated, Any

import torch

from vizapp.core.attention.fusion import fuse_heads, unit_of
from vizapp.core.attention.hidden import hidden_from
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method
from vizapp.core.setting import HEADS_COMBINED, Block, Head, Setting
from vizapp.model.spec import TokenLayout
from vizapp.vocabulary import Fusion
from vizapp.wording import Text


def no_cross(trace: AttentionTrace) -> str:
    """The reason why there is nothing to show, if all queries of a network are its patches and prefix tokens."""
    if not trace.cross:
        return Text("only the tokens of this network look at its patches; there is no cross attention")
    return ""


def _asked(chosen: LayerAttention, query_index: int | None) -> torch.Tensor:
    """(n_queries,) weights: one of the queries, or the mean of all."""
    asked = torch.full((chosen.n_queries,), 1 / chosen.n_queries, device=chosen.device, dtype=chosen.dtype)
    if query_index is not None:
        asked = torch.zeros_like(asked)
        asked[chosen.query(query_index)] = 1
    return asked


def _hides(trace: AttentionTrace, query: torch.Tensor, settings: dict[str, Any]) -> torch.Tensor | None:
    chosen = trace.cross_block(settings["block"])
    return hidden_from(chosen, _asked(chosen, settings["query_index"]))


@method(
    title="Cross attention",
    sentence="Where queries look that are no patches: a late class token, object queries, attention pooling.",
    paper="Carion et al. 2020, End-to-End Object Detection with Transformers (arXiv 2005.12872); "
    "Touvron et al. 2021, Going deeper with Image Transformers (arXiv 2103.17239)",
    unit=unit_of,
    shown=lambda trace, settings: trace.cross[settings["block"]],
    hides=_hides,
    by_query=False,
    why_not=no_cross,
)
def cross_attention(
    trace: AttentionTrace,
    query: torch.Tensor,
    *,
    block: Block = -1,
    head: Head = None,
    query_index: Annotated[
        int | None, Setting("Query", "Counted from 1; empty: the mean of all queries.", counted=True)
    ] = None,
    fusion: Annotated[Fusion, HEADS_COMBINED] = "mean",
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): how one of a block's own queries spreads its attention on the picture.

    block        which attention of `AttentionTrace.cross`, from 0; negative counts from the end
    head         from 0; None fuses all heads by `fusion`
    query_index  from 0, as the network counts them: a class token is 0, object query 17 is 17. None: the mean of all
    The map sees no values, and nothing that the patches had gathered before this attention.
    """
    chosen = trace.cross_block(block)
    heads = chosen.attend(_asked(chosen, query_index))  # (head, token)
    layout = chosen.key_layout or trace.layout
    return (fuse_heads(heads, fusion) if head is None else heads[chosen.head(head)]), layout
