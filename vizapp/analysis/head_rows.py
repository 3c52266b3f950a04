"""What each head of one analysis does, in numbers: one row per layer and head."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from vizapp.analysis import Analysis
from vizapp.core.head_statistics import head_statistics as of_trace
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, leaving
from vizapp.core.trust.sinks import norms
from vizapp.errors import VizError


def head_statistics(seen: Analysis, mask: np.ndarray | None = None) -> list[dict[str, Any]]:
    """One dict per layer and head, both from 0: layer, head, entropy, distance, cls_share, sink_share, on_mask.

    mask  (H, W) bool, in pixels of the picture: the object; None: all objects that the analysis knows of
    What each column is: `vizapp.core.head_statistics.COLUMNS`; NaN where it is not known. Sinks take a forward pass of their own;
    for many pictures, `vizapp.measure` does all in one.
    """
    own: list[Tensor] | None = None
    if (context := seen.context) is not None:
        try:
            blocks = blocks_of(context.model.net, seen.trace)
            with torch.no_grad(), leaving(context.model.net, blocks) as left:
                context.model.net(context.pixels.to(context.model.device, dtype_of(context.model.net)))
            own = norms(context.model, context.pixels, seen.trace, blocks, left)
        except VizError:  # layers with grids of their own, blocks that cannot be told apart: no norm of a patch
            own = None
    return rows_of(seen, own, mask)


def rows_of(seen: Analysis, own: list[Tensor] | None, mask: np.ndarray | None = None) -> list[dict[str, Any]]:
    """The same with norms that are known, (patch,) for each layer; None: sinks are not known."""
    masks = [one.mask for one in seen.truth if one.is_object] if mask is None else [mask]
    truth = seen.frame.mask_of(np.any(masks, axis=0)) if masks else None
    columns = of_trace(seen.trace, seen.frame.input, norms=own, mask=truth)
    return [
        {"layer": layer, "head": head, **{name: float(values[head]) for name, values in found.items()}}
        for layer, found in enumerate(columns)
        for head in range(len(next(iter(found.values()))))
    ]
