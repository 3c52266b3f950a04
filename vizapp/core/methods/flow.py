"""Attention flow: attention as the capacity of pipes, and how much can flow from the query to each patch through all layers."""

import numpy as np
import torch

from vizapp.core.attention.chain import check_start
from vizapp.core.attention.grids import indices, joined
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method, same_patches, within
from vizapp.core.pauses import may_pause
from vizapp.core.setting import SkipWeight, StartLayer
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text

WHOLE = 10_000_000  # the capacity of an attention of 1, as scipy wants whole numbers
LARGEST = 4_000_000  # attention values in all layers: beyond this it takes much more than a minute


@method(
    title="Attention flow",
    sentence="The most that could flow from a patch to the answer, with attention as pipes.",
    paper="Abnar & Zuidema 2020, Quantifying Attention Flow in Transformers, section 3, attention flow (arXiv 2005.00928)",
    unit=lambda settings: Text("largest flow from the query"),
    why_not=same_patches,
    cost="slow",
    package="scipy",
)
def attention_flow(
    trace: AttentionTrace, query: torch.Tensor, *, skip_weight: SkipWeight = 0.5, start_layer: StartLayer = 0
) -> tuple[torch.Tensor, TokenLayout]:
    """(token,): the maximum flow from the query in the last layer to each token of the first, one token at a time.

    skip_weight  the share of the skip connection, 0 to 1; 0.5 in the paper
    start_layer  layers before it are left out
    A pipe from token i of a layer to token j of the one before holds skip_weight [i = j] + (1 - skip_weight) mean_h A_ij. Unlike
    in rollout, nothing is multiplied: a path is as wide as its narrowest pipe. The result has no fixed sum and
    is at most 1. In networks of many layers many patches reach 1, and then the map says little about their differences.
    What flows to a learned token that is new in a layer goes no further.
    Values, norms and MLPs are not considered, and the result does not depend on the class.
    """
    from scipy.sparse import csr_array  # an extra; `Method` says so where it is missing
    from scipy.sparse.csgraph import maximum_flow

    check_start(start_layer, len(trace.layers) - 1)
    within(0, 1, skip_weight=skip_weight)
    layers = trace.layers[start_layer:]
    # A learned token that a layer does not have waits: what flows to it flows on to itself.
    layouts = [trace.layouts(index)[0] for index in range(start_layer, len(trace.layers))]
    whole = joined(*layouts)
    n = whole.n_tokens
    if len(layers) * n * n > LARGEST:
        raise VizError(
            "{layers} layers of {n} tokens are too many for the maximum flow of each.",
            "Choose a smaller picture, or a later start_layer.",
            layers=len(layers),
            n=n,
        )
    rows, columns, capacities = [], [], []
    for depth, (layer, layout) in enumerate(zip(reversed(layers), reversed(layouts), strict=True)):
        own, pipes = indices(layout, whole), np.eye(n)
        map_ = layer.map().mean(0).cpu().double().numpy()
        pipes[np.ix_(own, own)] = skip_weight * np.eye(len(own)) + (1 - skip_weight) * map_
        i, j = np.nonzero(pipes)
        rows.append(depth * n + i)
        columns.append((depth + 1) * n + j)
        capacities.append(np.round(pipes[i, j] * WHOLE))
    # The query is a source of its own, whose pipes are as wide as its weights.
    source, sink, weights = (len(layers) + 1) * n, (len(layers) + 1) * n + 1, np.zeros(n)
    weights[indices(layouts[-1], whole)] = query.cpu().double().numpy()
    asked = np.flatnonzero(weights)
    rows.append(np.full(len(asked), source))
    columns.append(asked)
    capacities.append(np.round(weights[asked] * WHOLE))
    graph = csr_array(
        (np.concatenate(capacities).astype(np.int32), (np.concatenate(rows), np.concatenate(columns))),
        shape=(sink + 1, sink + 1),
    )
    first = len(layers) * n
    flows = []
    for token in range(n):
        may_pause()
        flows.append(maximum_flow(graph, source, first + token).flow_value / WHOLE)
    return torch.tensor(flows, dtype=trace.dtype, device=trace.device), whole
