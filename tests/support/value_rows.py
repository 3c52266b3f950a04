"""Lengths of value vectors, by a loop."""

from __future__ import annotations

import numpy as np

from vizapp.core.context import ExplainContext


def lengths(seen: ExplainContext, layer: int) -> np.ndarray:
    """Kobayashi et al. 2020: |sum_h A_h,ij f_h(x_j)|, one pair of tokens after the other."""
    a, f = seen.trace.layers[layer].map().numpy(), seen.written[layer].vectors.numpy()
    n = a.shape[-1]
    return np.array(
        [[np.linalg.norm(sum(a[h, i, j] * f[h, j] for h in range(len(a)))) for j in range(n)] for i in range(n)]
    )
