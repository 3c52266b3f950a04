"""Measures each head of one analysis: one row per layer and head."""

from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.core.head_statistics import head_statistics as of_trace
from vizapp.core.trust.norms import norms_of_a_pass
from vizapp.errors import VizError


def head_statistics(seen: Analysis, mask: np.ndarray | None = None) -> list[dict[str, Any]]:
    """One dict per layer and head, both from 0: layer, head, entropy, distance, cls_share, sink_share, on_mask.

    `vizapp.core.head_statistics.COLUMNS` describes the columns; NaN if one is not known. Sinks take a further forward pass
    for the first picture that a network is shown.

    Parameters
    ----------
    mask
        (H, W) bool, in pixels of the picture: the object; None: all objects that the analysis knows of

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> sharpest = min(vizapp.head_statistics(seen), key=lambda row: row["entropy"])
    """
    own = None if seen.context is None else seen.context.norms
    if (context := seen.context) is not None and own is None:
        try:
            own = norms_of_a_pass(context.model, context.pixels, seen.trace)
        except VizError:  # layers have different grids, or blocks cannot be told apart: patches have no norm
            own = None
    masks = [one.mask for one in seen.truth if one.is_object] if mask is None else [mask]
    truth = seen.frame.mask_of(np.any(masks, axis=0), seen.trace.layout.grid) if masks else None
    columns = of_trace(seen.trace, seen.frame.input, norms=own or None, mask=truth)
    return [
        {"layer": layer, "head": head, **{name: float(values[head]) for name, values in found.items()}}
        for layer, found in enumerate(columns)
        for head in range(len(next(iter(found.values()))))
    ]
