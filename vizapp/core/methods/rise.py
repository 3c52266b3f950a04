"""RISE: the class's probability under many random masks tells which patches it needs."""

from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from vizapp.core.capture.memory import explained
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method, within
from vizapp.core.network import dtype_of
from vizapp.core.pauses import may_pause
from vizapp.core.setting import Seed, Setting
from vizapp.core.signals.patches import cells_of
from vizapp.core.target import measured
from vizapp.model.spec import TokenLayout
from vizapp.vocabulary import RISE_AT_ONCE
from vizapp.wording import Text


@method(
    title="RISE",
    sentence="The class\u2019s mean probability when the patch is seen, over many random masks.",
    paper="Petsiuk et al. 2018, RISE: Randomized Input Sampling for Explanation of Black-box Models, eq. 6 (arXiv 1806.07421)",
    unit=lambda settings: Text("mean probability of the class where the patch is seen"),
    class_specific=True,
    by_query=False,
    cost="slow",
)
def rise(
    seen: ExplainContext,
    query: Tensor,
    *,
    masks: Annotated[int, Setting("Masks", "How many; more are slower and less noisy.")] = 256,
    cells: Annotated[int, Setting("Cells", "Of a mask, along each side.")] = 7,
    keep: Annotated[float, Setting("Kept", "Share of the picture that a mask leaves, 0 to 1.")] = 0.5,
    seed: Seed = 0,
) -> tuple[Tensor, TokenLayout]:
    """(patch,): mean of the class's probability over random masks, each weighted by how much it shows of the patch.

    masks  how many; fewer give more noise
    cells  along each side of the picture. One more is drawn, and the mask is cut at random out of the enlarged grid. The
           paper draws the named number and enlarges the grid to the size of one more: its 7 are about 6 here
    keep   the share of cells that stay
    seed   of the masks
    Hidden pixels are zero after preprocessing: the mean colour of the training pictures, or mid-grey.
    """
    within(1, 100_000, masks=masks)
    within(1, 64, cells=cells)
    within(0.01, 0.99, keep=keep)
    within(0, 2**63 - 1, seed=seed)
    model, grid = seen.model, seen.trace.layout.grid
    lying = cells_of(model, seen.pixels, seen.trace)
    pixels = seen.pixels.detach().to(model.device, dtype_of(model.net))
    height, width = pixels.shape[-2:]
    generator = torch.Generator().manual_seed(seed)
    total = torch.zeros(grid, dtype=torch.float64)
    with explained(model, model.device), torch.no_grad():
        for start in range(0, masks, RISE_AT_ONCE):
            may_pause()
            some = random_masks(min(RISE_AT_ONCE, masks - start), (height, width), cells, keep, generator)
            probability = measured(model.net, pixels * some.to(pixels), seen.explained, model.activation).cpu().double()
            total += (probability[:, None, None] * lying.mean(some)[:, 0]).sum(0)
    return (total / (masks * keep)).flatten().to(seen.trace.dtype), TokenLayout((), grid)


def random_masks(count: int, size: tuple[int, int], cells: int, keep: float, generator: torch.Generator) -> Tensor:
    """(count, 1, h, w) in 0..1: as section 3.2, from small binary grids of one cell more than needed, cropped at random."""
    height, width = (-(-side // cells) for side in size)  # of a cell
    coarse = (torch.rand(count, 1, cells + 1, cells + 1, generator=generator) < keep).float()
    large = F.interpolate(coarse, (height * (cells + 1), width * (cells + 1)), mode="bilinear", align_corners=False)
    down = torch.randint(0, height, (count,), generator=generator).tolist()
    right = torch.randint(0, width, (count,), generator=generator).tolist()
    crops = [one[:, y : y + size[0], x : x + size[1]] for one, y, x in zip(large, down, right, strict=True)]
    return torch.stack(crops)
