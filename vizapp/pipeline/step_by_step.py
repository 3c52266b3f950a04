"""Follows one number of a map step by step: pixels, tokens, q and k, the softmax, the value, and its effect on the answer."""

from vizapp.analysis import Analysis
from vizapp.core.attention.trace import Query
from vizapp.core.signals.embedding import Embedding, embedding_of
from vizapp.core.signals.steps import Steps, steps_to
from vizapp.errors import VizError


def steps(
    seen: Analysis, key: tuple[int, int] | int, *, layer: int = -1, query: tuple[int, int] | int | str | None = None
) -> Steps:
    """Follow one token's attention to another through a layer: each vector as the network computed it, in float32.

    Takes one forward pass.

    Parameters
    ----------
    key
        the patch looked at, (row, col) from 0, or the index of a token of the layer
    layer
        from 0; negative ones count from the last
    query
        the token that looks: (row, col), an index, or a name such as "cls"; None: the one that the classifier reads

    Raises
    ------
    VizError
        for several queries at once ("mean", "cls+dist"), for an unknown token, and for a key outside the query's window

    Examples
    --------
    >>> found = vizapp.steps(vizapp.analyse("toy", "example"), (4, 5), layer=1)
    """
    context = seen.with_network()
    seen.trace.layer(layer)  # raises `VizError` for an unknown layer
    index = range(len(seen.trace.layers))[layer]
    _, keys = seen.trace.layouts(index)
    at = keys.token_of(*key) if isinstance(key, tuple) else key
    return steps_to(context.ready().model, context.pixels, seen.trace, index, _one(seen, query, index), at)


def embedding(seen: Analysis, patch: tuple[int, int], *, number: int | None = None) -> Embedding:
    """Follow the pixels of a patch, (row, col) from 0, into its token: weights, bias and position, in float32.

    Takes two forward passes up to the first layer.

    Parameters
    ----------
    number
        one of the token's numbers whose weights to include, besides those of the twelve largest

    Raises
    ------
    VizError
        for an unknown patch or number, and for a network that makes a token by more than one linear map (a stem of several
        layers, overlapping patches)

    Examples
    --------
    >>> found = vizapp.embedding(vizapp.analyse("toy", "example"), (4, 5))
    """
    context = seen.with_network()
    return embedding_of(context.ready().model, context.pixels, seen.trace, *patch, number)


def _one(seen: Analysis, query: Query | None, layer: int) -> int:
    weights = seen.trace.query(query, layer)
    (tokens,) = weights.nonzero(as_tuple=True)
    if len(tokens) != 1:
        raise VizError(
            "{query} is {n} tokens at once, and a number has one.",
            "Name one token.",
            query=seen.trace.name_of(query, layer),
            n=len(tokens),
        )
    return int(tokens[0])
