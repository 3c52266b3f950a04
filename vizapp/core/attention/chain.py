"""Hand shares of a late layer's tokens back through the layers to the patches, across changes of the grid."""

from collections.abc import Callable, Sequence

import torch

from vizapp.core.attention.grids import indices, joined, refines, spread
from vizapp.core.attention.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text, listed

Step = Callable[[int, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def follow_back(
    trace: AttentionTrace, query: torch.Tensor, step: Step, *, last: int = -1, start: int = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """Follow shares from layer `last` to layer `start`: (token,) on the tokens that `start` was made from, and their layout.

    query  (token,) of layer `last`, or several, (..., token)
    step   (layer, r (..., its query tokens)) -> shares that attention hands on (..., its keys), and shares that stay (..., its
           query tokens)
    A share of a merged patch is spread evenly on the patches it was made of. A learned token that is new in a layer (prompts, or
    a CLS, of each layer's own) carries nothing from below. Its share ends there and stays with it, under its own name, so
    sums are kept; only the part on patches is less. Raises `VizError` if layers form no chain.

    Every method that walks down the network is this loop with its own step: rollout's step is A_l and its share of the skip
    connection, Chefer's is gradient x attention. The loop carries only vectors, never a product of matrices: (N,) for each
    query instead of (N, N). A layer's rows are made only for tokens that carry a share.
    """
    trace.layer(last)  # refuses a layer that is not there
    last %= len(trace.layers)
    check_start(start, last)
    if trace.no_chain:
        raise VizError("Attention cannot be followed through this network: {why}.", why=trace.no_chain)
    # r (..., token) are the shares so far, on tokens of `layout`: at first the query's own weights.
    r, layout = query, trace.layouts(last)[0]
    for index in reversed(range(start, last + 1)):
        own, keys = trace.layouts(index)
        # The input tokens of this layer are the output tokens of the one before. Nothing is known before the first layer, and
        # there the finer of queries and keys is enough.
        below = _finest(own, keys) if index == start else trace.layouts(index - 1)[0]
        if layout == own == keys == below:  # every layer of a plain ViT
            attended, stayed = step(index, r)
            r = attended + stayed
            continue
        # Three grids may differ: the one of `r` so far (`layout`), of this layer's keys (spatial reduction), and of the layer
        # below (patches merged in between). CaiT's CLS joins late, so prefix tokens may differ, too. All shares go to
        # `target`, the finest of these grids with all prefix tokens. Tokens that this layer does not have (`rest` beyond
        # `mine`) keep their shares.
        mine, target = indices(own, layout), joined(below, own, keys, layout)
        attended, stayed = step(index, r[..., mine])
        rest = r.clone()
        rest[..., mine] = stayed
        r, layout = spread(attended, keys, target) + spread(rest, layout, target), target
    return r, layout  # shares of the input tokens of layer `start`: patches and prefix tokens


def check_start(start: int, last: int) -> None:
    """Raise `VizError` if there are no layers from `start` to `last`."""
    if not 0 <= start <= last:
        raise VizError(
            "start_layer={start} is not possible.",
            "It goes from 0 to {last}, the last layer followed.",
            start=start,
            last=last,
        )


def why_no_chain(names: Sequence[str], layouts: Sequence[tuple[TokenLayout, TokenLayout]], named: bool = False) -> str:
    """The reason why shares cannot be handed from layer to layer; "" if they can.

    names    of the layers, for the reason
    layouts  (queries, keys) of each
    named    learned tokens of two layers are known to be the same if, and only if, they have the same name
    """
    # A coarse patch's share can only be spread on the fine ones under it if it covers whole ones.
    for index, (own, keys) in enumerate(layouts):
        below = layouts[index - 1][0] if index else _finest(own, keys)
        for coarse in (own, keys):
            if not refines(below, coarse):
                return Text(
                    "{name} has {coarse} patches over {fine}, which are no whole blocks",
                    name=names[index],
                    coarse=_grid(coarse),
                    fine=_grid(below),
                )
        # Learned tokens are known by name only, and a CLS has another name if registers stand beside it among the keys.
        for other in (keys,) if named else (keys, below):
            one, another = set(own.prefix), set(other.prefix)
            if not (one <= another or another <= one):
                return Text(
                    "in {name} the tokens {queries} look back on {others}, and it is not known which of them are the "
                    "same",
                    name=names[index],
                    queries=listed(own.prefix),
                    others=listed(other.prefix),
                )
    return ""


def _grid(layout: TokenLayout) -> str:
    return f"{layout.grid[0]}x{layout.grid[1]}"


def _finest(*layouts: TokenLayout) -> TokenLayout:
    return max(layouts, key=lambda layout: layout.n_patches)
