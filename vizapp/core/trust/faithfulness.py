"""Deletion and insertion: take patches away in the order of a map, or put them back, and watch the class.

Petsiuk et al. 2018, RISE, https://arxiv.org/abs/1806.07421, section 4. A faithful map has a small area under the curve
of deletion and a large one under that of insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core.checkpoint import checkpoint
from vizapp.core.measure import Measure
from vizapp.core.network import dtype_of
from vizapp.core.target import Target, measured
from vizapp.errors import VizError

Empty = Literal["mean", "blur"]
AT_ONCE = 18  # pictures in one pass
# Shares of the patches for `steps`, as many as 8 even steps have: a class often falls with the first patches, and in even steps
# the first point comes after an eighth of them, when most methods have reached the same.
FINE = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0)

PAPER = "Petsiuk et al. 2018, https://arxiv.org/abs/1806.07421"
DELETION = Measure(
    name="deletion",
    title="Deletion",
    sentence="area under the class\u2019s probability while patches go, most important first.",
    short="deletion",
    choice="deletion",
    direction="lower",
    format="share",
    paper=PAPER,
    uninformed="as patches taken away from the top of the picture to the bottom",
    order=0,
    main=True,
)
INSERTION = Measure(
    name="insertion",
    title="Insertion",
    sentence="area under the class\u2019s probability while patches come back, most important first.",
    short="insertion",
    choice="insertion",
    direction="higher",
    format="share",
    paper=PAPER,
    uninformed="as patches put back from the top of the picture to the bottom",
    order=1,
    main=True,
)


@dataclass(frozen=True)
class Curves:
    """The probability of a class, or the score of another target, while patches go, and while they come.

    share      (points,) of patches that are gone, or there: 0 to 1
    deletion   (points,) probability with that share of the most important patches gone
    insertion  (points,) probability with that share of them there, and nothing else
    """

    share: np.ndarray = field(repr=False)
    deletion: np.ndarray = field(repr=False)
    insertion: np.ndarray = field(repr=False)

    @property
    def areas(self) -> tuple[float, float]:
        """Areas under deletion and under insertion, by the trapezoid rule from 0 to all patches; of probabilities in [0, 1]."""
        widths = np.diff(self.share)  # numpy has a function for it, whose name is another one before numpy 2
        deletion, insertion = (
            float((widths * (one[1:] + one[:-1]) / 2.0).sum()) for one in (self.deletion, self.insertion)
        )
        return deletion, insertion


@torch.no_grad()
def curves(
    net: nn.Module,
    pixels: Tensor,
    scores: np.ndarray,
    target: Target,
    steps: int | Sequence[float] = 8,
    empty: Empty = "mean",
    activation: str = "",
    ends: tuple[float, float] | None = None,
) -> Curves:
    """Measure both curves for one map of one picture.

    target  index of the class whose probability is watched; a function of the output (see core/target.py), whose score is
            watched instead, as is that of a class of a network without probabilities (`activation`, see `VisionModel`)
    pixels  (1, 3, h, w), as the network takes them; scores (rows, cols), the most important patch first to go or come
    steps   points of a curve beside its start, evenly apart; or the shares of the patches themselves, from 0 to 1, as `FINE`.
            Each takes one picture's forward pass; points that are the same number of patches are one
    empty   what is in the place of what is missing: the picture's "mean" colour, or the picture under a strong "blur"
    ends    the values of the whole picture and of the empty one, which are the same for every map, where they are known
    """
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers, so its patches have no order.")
    if empty not in get_args(Empty):
        raise VizError(
            "empty='{empty}' is not possible.", "Choose one of: {names}.", empty=empty, names=", ".join(get_args(Empty))
        )
    rows, cols = scores.shape
    height, width = pixels.shape[-2:]
    if height % rows or width % cols:
        raise VizError(
            "A map of {rows} x {cols} patches does not fit {height} x {width} pixels.",
            "Use the pixels and the map of one analysis.",
            rows=rows,
            cols=cols,
            height=height,
            width=width,
        )
    shares = _shares(steps)
    pixels = pixels.to(dtype_of(net))
    order = np.argsort(-scores.ravel(), kind="stable")  # equal patches in reading order, the same in every run
    rank = np.empty(order.size, int)
    rank[order] = np.arange(order.size)
    chosen = np.unique(np.round(shares * order.size).astype(int))
    inner = slice(None) if ends is None else slice(1, -1)
    first = torch.from_numpy(rank.reshape(1, rows, cols) < chosen[inner, None, None]).to(
        pixels.device
    )  # (steps + 1, ...)
    first = first.repeat_interleave(height // rows, 1).repeat_interleave(width // cols, 2)[:, None]
    nothing = pixels.mean((2, 3), keepdim=True) if empty == "mean" else blurred(pixels)
    # Pixels are normalised, so their mean is not black but the picture's own mean colour.
    pictures = torch.cat([torch.where(first, nothing, pixels), torch.where(first, pixels, nothing)])
    passes = [pixels.new_empty(0).cpu()]
    for some in pictures.split(AT_ONCE) if len(pictures) else ():  # of one step, both points may be known
        checkpoint()
        passes.append(measured(net, some, target, activation).cpu())
    values = torch.cat(passes).detach().numpy()
    if not np.isfinite([*values, *(ends or ())]).all():
        raise VizError(
            "The score is no number (NaN or infinity) where patches are missing, so its curves have no area.",
            "Choose a target that is a number for any picture.",
        )
    deletion, insertion = values.reshape(2, -1)
    if ends is not None:
        deletion, insertion = (
            np.r_[a, one, b] for a, one, b in ((ends[0], deletion, ends[1]), (ends[1], insertion, ends[0]))
        )
    return Curves(chosen / order.size, deletion, insertion)


def _shares(steps: int | Sequence[float]) -> np.ndarray:
    """(points,) shares of the patches, from 0 to 1."""
    if isinstance(steps, int):
        if steps < 1:
            raise VizError("At least one step is needed; got {steps}.", steps=steps)
        return np.linspace(0, 1, steps + 1)
    shares = np.asarray(steps, float)
    if len(shares) < 2 or shares[0] != 0 or shares[-1] != 1 or not (np.diff(shares) > 0).all():
        raise VizError(
            "The steps {steps} are no shares of the patches.",
            "Begin with 0, grow, and end with 1: (0, 0.1, 1).",
            steps=tuple(shares.tolist()),
        )
    return shares


def blurred(pixels: Tensor) -> Tensor:
    """Blur (1, 3, h, w) by a Gaussian of a tenth of the shorter side, edges repeated: colours stay, things do not."""
    # A Gaussian is a product of one along rows and one along columns: two thin convolutions instead of a large one.
    deviation = min(pixels.shape[-2:]) / 10
    reach = int(2.5 * deviation)
    at = torch.arange(-reach, reach + 1, device=pixels.device, dtype=pixels.dtype)
    weights = torch.exp(-(at**2) / (2 * deviation**2))
    weights = (weights / weights.sum()).expand(pixels.shape[1], 1, 1, -1)
    wide = F.pad(pixels, (reach,) * 4, mode="replicate")
    groups = pixels.shape[1]
    return F.conv2d(F.conv2d(wide, weights, groups=groups), weights.transpose(2, 3), groups=groups)
