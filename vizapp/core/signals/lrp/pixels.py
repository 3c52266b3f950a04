"""Input x gradient under a set of rules: relevance of pixels, summed patch by patch, and how much of the score it is."""

from __future__ import annotations

import torch
from torch import Tensor

from vizapp.core.attention.grids import in_patches
from vizapp.core.signals.gradients import differentiated, score_of
from vizapp.core.signals.lrp import Rules
from vizapp.core.signals.precision import computed_in, note_of, place_of
from vizapp.core.target import Target
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text


def relevance_of_pixels(
    model: VisionModel, pixels: Tensor, target: Target, grid: tuple[int, int], rules: Rules, dtype: str
) -> tuple[Tensor, TokenLayout, tuple[Text, ...]]:
    """(patch,): sum over its pixels of value x gradient, the pass back by `rules`; its layout; notes.

    pixels  (1, channels, height, width); `grid` of patches: (rows, columns)
    dtype   of the pass: "network", as the network computes itself, or "float64"
    The first note compares the sum of all patches with the logit: biases and positions get a share that no patch has.
    """
    pixels = pixels.detach().to(*place_of(model, dtype)).requires_grad_(True)
    with differentiated(model):
        with torch.enable_grad(), computed_in(model, dtype), rules:
            score = score_of(model, pixels, target)
        (gradient,) = torch.autograd.grad(score, pixels)
    layout = TokenLayout((), grid)
    found = in_patches((gradient * pixels.detach())[0].sum(0), layout)
    kept = Text(
        "All patches together have {total}; the class's logit is {logit}. The rest is in biases and positions.",
        total=f"{float(found.sum()):.3g}",
        logit=f"{float(score.detach()):.3g}",
    )
    return found, layout, (kept, *note_of(model, dtype))
