"""Does the class stand on what the map calls important? Take patches away in its order, or put them back, and see.

Petsiuk et al. 2018, RISE, https://arxiv.org/abs/1806.07421, section 4.3, with the picture's mean colour in the place of
what is missing. A faithful map has a small deletion and a large insertion score.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from vizapp.errors import VizError


@torch.no_grad()
def deletion_and_insertion(
    net: nn.Module, pixels: torch.Tensor, scores: np.ndarray, target: int, steps: int = 8
) -> tuple[float, float]:
    """Area under the target's probability while patches go (deletion) and while they come (insertion), both in [0, 1].

    pixels  (1, 3, h, w), as the network takes them; scores (rows, cols), the most important patch first to go or come
    steps   points of a curve beside its start; each takes one forward pass
    """
    rows, cols = scores.shape
    height, width = pixels.shape[-2:]
    if height % rows or width % cols:
        raise VizError(
            f"A map of {rows} x {cols} patches does not fit {height} x {width} pixels.",
            "Use the pixels and the map of one analysis.",
        )
    order = np.argsort(-scores.ravel(), kind="stable")
    rank = np.empty(order.size, int)
    rank[order] = np.arange(order.size)
    chosen = np.round(np.linspace(0, order.size, steps + 1)).astype(int)
    first = torch.from_numpy(rank.reshape(1, rows, cols) < chosen[:, None, None]).to(pixels.device)  # (steps + 1, ...)
    first = first.repeat_interleave(height // rows, 1).repeat_interleave(width // cols, 2)[:, None]
    empty = pixels.mean((2, 3), keepdim=True)
    pictures = torch.cat([torch.where(first, empty, pixels), torch.where(first, pixels, empty)])
    probability = net(pictures).float().softmax(-1)[:, target].cpu().numpy()
    share = chosen / order.size
    deletion, insertion = (float(np.trapezoid(curve, share)) for curve in np.split(probability, 2))
    return deletion, insertion
