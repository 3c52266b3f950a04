"""Does the class stand on what the map calls important? Take patches away in its order, or put them back, and see.

Petsiuk et al. 2018, RISE, https://arxiv.org/abs/1806.07421, section 4. A faithful map has a small area under the curve
of deletion and a large one under that of insertion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core.capture import dtype_of, output_of, probabilities
from vizapp.errors import VizError

Empty = Literal["mean", "blur"]
AT_ONCE = 18  # pictures in one pass


@dataclass(frozen=True)
class Curves:
    """The class's probability while patches go, and while they come.

    share      (points,) of patches that are gone, or there: 0 to 1
    deletion   (points,) probability with that share of the most important patches gone
    insertion  (points,) probability with that share of them there, and nothing else
    """

    share: np.ndarray = field(repr=False)
    deletion: np.ndarray = field(repr=False)
    insertion: np.ndarray = field(repr=False)

    @property
    def areas(self) -> tuple[float, float]:
        """Under deletion and under insertion, by the trapezoid rule from 0 to all patches; both in [0, 1]."""
        return float(np.trapezoid(self.deletion, self.share)), float(np.trapezoid(self.insertion, self.share))


@torch.no_grad()
def curves(
    net: nn.Module, pixels: Tensor, scores: np.ndarray, target: int, steps: int = 8, empty: Empty = "mean"
) -> Curves:
    """Both curves for one map of one picture.

    pixels  (1, 3, h, w), as the network takes them; scores (rows, cols), the most important patch first to go or come
    steps   points of a curve beside its start; each takes one picture's forward pass
    empty   what is in the place of what is missing: the picture's "mean" colour, or the picture under a strong "blur"
    """
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers, so its patches have no order.")
    if empty not in get_args(Empty):
        raise VizError(f"empty='{empty}' is not possible.", f"Choose {' or '.join(get_args(Empty))}.")
    rows, cols = scores.shape
    height, width = pixels.shape[-2:]
    if height % rows or width % cols:
        raise VizError(
            f"A map of {rows} x {cols} patches does not fit {height} x {width} pixels.",
            "Use the pixels and the map of one analysis.",
        )
    if steps < 1:
        raise VizError(f"At least one step is needed; got {steps}.")
    pixels = pixels.to(dtype_of(net))
    order = np.argsort(-scores.ravel(), kind="stable")
    rank = np.empty(order.size, int)
    rank[order] = np.arange(order.size)
    chosen = np.round(np.linspace(0, order.size, steps + 1)).astype(int)
    first = torch.from_numpy(rank.reshape(1, rows, cols) < chosen[:, None, None]).to(pixels.device)  # (steps + 1, ...)
    first = first.repeat_interleave(height // rows, 1).repeat_interleave(width // cols, 2)[:, None]
    nothing = pixels.mean((2, 3), keepdim=True) if empty == "mean" else blurred(pixels)
    pictures = torch.cat([torch.where(first, nothing, pixels), torch.where(first, pixels, nothing)])
    passes = [probabilities(output_of(net(some)).float())[:, target].cpu() for some in pictures.split(AT_ONCE)]
    deletion, insertion = torch.cat(passes).numpy().reshape(2, -1)
    return Curves(chosen / order.size, deletion, insertion)


def blurred(pixels: Tensor) -> Tensor:
    """(1, 3, h, w) under a Gaussian of a tenth of the shorter side, edges repeated: colours stay, things do not."""
    deviation = min(pixels.shape[-2:]) / 10
    reach = int(2.5 * deviation)
    at = torch.arange(-reach, reach + 1, device=pixels.device, dtype=pixels.dtype)
    weights = torch.exp(-(at**2) / (2 * deviation**2))
    weights = (weights / weights.sum()).expand(pixels.shape[1], 1, 1, -1)
    wide = F.pad(pixels, (reach,) * 4, mode="replicate")
    groups = pixels.shape[1]
    return F.conv2d(F.conv2d(wide, weights, groups=groups), weights.transpose(2, 3), groups=groups)
