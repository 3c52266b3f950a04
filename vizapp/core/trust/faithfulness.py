"""Deletion and insertion: take patches away in the order of a map, or put them back, and watch the class.

Petsiuk et al. 2018, RISE, https://arxiv.org/abs/1806.07421, section 4. A faithful map has a small area under the curve
of deletion and a large one under that of insertion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core.attention.cells import Cells
from vizapp.core.measure import Measure
from vizapp.core.network import dtype_of
from vizapp.core.pauses import may_pause
from vizapp.core.target import Target, measured
from vizapp.errors import VizError
from vizapp.vocabulary import APART, EMPTIES, Empty
from vizapp.vocabulary import FINE as FINE

AT_ONCE = 18  # pictures in one pass

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
    """The probability of a class, or the score of another target, while patches are taken away, and while they are put back.

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
        widths = np.diff(self.share)  # numpy's function for it has another name before numpy 2
        deletion, insertion = (
            float((widths * (one[1:] + one[:-1]) / 2.0).sum()) for one in (self.deletion, self.insertion)
        )
        return deletion, insertion

    @property
    def coarse(self) -> "Curves":
        """Return the curves with only the points of `coarse`."""
        some = _apart(self.share)
        return Curves(self.share[some], self.deletion[some], self.insertion[some])


def coarse(steps: int | Sequence[float], patches: int) -> Sequence[float]:
    """Choose from the steps of `curves` the shares that decide an area. Random orders are measured at these.

    They are shares of whole `patches`, as those of a curve: rounded later, others could be chosen than `Curves.coarse` has.
    """
    shares = _counts(steps, patches) / patches
    return tuple(shares[_apart(shares)].tolist())


def _apart(shares: np.ndarray) -> list[int]:
    """Choose the shares to keep: the first, the last, and each one that is `APART` from the last kept one."""
    kept = [0]
    for number in range(1, len(shares) - 1):
        if shares[number] - shares[kept[-1]] >= APART:
            kept.append(number)
    return [*kept, len(shares) - 1]


def curves(
    net: nn.Module,
    pixels: Tensor,
    scores: np.ndarray,
    target: Target,
    steps: int | Sequence[float] = 8,
    empty: Empty = "mean",
    activation: str = "",
    ends: tuple[float, float] | None = None,
    cells: Cells | None = None,
) -> Curves:
    """Measure both curves for one map of one picture.

    target  index of the class whose probability is measured, or a function of the output (see core/target.py), whose score is
            measured. In a network without probabilities (`activation`, see `VisionModel`), a class has a score, too
    pixels  (1, 3, h, w), as the network takes them; scores (rows, cols), the most important patch first to go or come
    steps   points of a curve beside its start, evenly apart; or the shares of the patches themselves, from 0 to 1, as `FINE`.
            Each takes one picture's forward pass; points that are the same number of patches are one
    empty   the filling for missing patches: the picture's "mean" colour, or the picture under a strong "blur"
    ends    the values of the whole picture and of the empty one, if they are known: they are the same for every map
    cells   where the patches look (`AttentionTrace.cells`); None: they lie evenly on the pixels
    """
    [found] = curves_of(net, pixels, [scores], target, steps, empty, activation, ends, cells)
    return found


@torch.no_grad()
def curves_of(
    net: nn.Module,
    pixels: Tensor,
    maps: Sequence[np.ndarray],
    target: Target,
    steps: int | Sequence[float] = 8,
    empty: Empty = "mean",
    activation: str = "",
    ends: tuple[float, float] | None = None,
    cells: Cells | None = None,
) -> list[Curves]:
    """Measure `curves` for several maps of one picture; their passes share batches."""
    if empty not in EMPTIES:
        raise VizError(
            "empty='{empty}' is not possible.", "Choose one of: {names}.", empty=empty, names=", ".join(EMPTIES)
        )
    pixels = pixels.to(dtype_of(net))
    inner = slice(None) if ends is None else slice(1, -1)
    nothing = pixels.mean((2, 3), keepdim=True) if empty == "mean" else blurred(pixels)
    # Pixels are normalised, so their mean is not black but the picture's own mean colour.
    points = [_first_patches(scores, pixels, steps, cells) for scores in maps]
    pictures = [
        some
        for _, first in points
        for one in [first[inner]]
        for some in (torch.where(one, nothing, pixels), torch.where(one, pixels, nothing))
    ]
    passes = [pixels.new_empty(0).cpu()]
    for some in (
        torch.cat(pictures).split(AT_ONCE) if any(map(len, pictures)) else ()
    ):  # of one step, both points may be known
        may_pause()
        passes.append(measured(net, some, target, activation).cpu())
    values = torch.cat(passes).detach().numpy()
    if not np.isfinite([*values, *(ends or ())]).all():
        raise VizError(
            "The score is no number (NaN or infinity) where patches are missing, so its curves have no area.",
            "Choose a target that is a number for any picture.",
        )
    parts = np.split(values, np.cumsum([len(one) for one in pictures])[:-1])
    found = []
    for (share, _), deletion, insertion in zip(points, parts[::2], parts[1::2], strict=True):
        if ends is not None:
            deletion, insertion = np.r_[ends[0], deletion, ends[1]], np.r_[ends[1], insertion, ends[0]]
        found.append(Curves(share, deletion, insertion))
    return found


def _first_patches(
    scores: np.ndarray, pixels: Tensor, steps: int | Sequence[float], cells: Cells | None
) -> tuple[np.ndarray, Tensor]:
    """Shares of the patches (points,), and for each share which pixels (points, 1, h, w) those first patches are."""
    if not np.isfinite(scores).all():
        raise VizError("The map holds values that are no numbers, so its patches have no order.")
    rows, cols = scores.shape
    height, width = pixels.shape[-2:]
    if cells is None and (height % rows or width % cols):
        raise VizError(
            "A map of {rows} x {cols} patches does not fit {height} x {width} pixels.",
            "Use the pixels and the map of one analysis.",
            rows=rows,
            cols=cols,
            height=height,
            width=width,
        )
    order = np.argsort(-scores.ravel(), kind="stable")  # equal patches in reading order, the same in every run
    rank = np.empty(order.size, int)
    rank[order] = np.arange(order.size)
    chosen = _counts(steps, order.size)
    first = torch.from_numpy(rank < chosen[:, None]).to(pixels.device)
    if cells is not None:
        return chosen / order.size, first[:, cells.of((rows, cols)).owners().to(pixels.device)][:, None]
    first = first.unflatten(1, (rows, cols))
    first = first.repeat_interleave(height // rows, 1).repeat_interleave(width // cols, 2)[:, None]
    return chosen / order.size, first


def _counts(steps: int | Sequence[float], patches: int) -> np.ndarray:
    """(points,) how many of `patches` are gone, or there; points that are the same number are one."""
    return np.unique(np.round(_shares(steps) * patches).astype(int))


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
