"""Input x gradient under a set of rules: relevance of pixels, summed patch by patch, and how much of the score it is."""

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.signals.gradients import differentiated
from vizapp.core.signals.lrp import Rules, Start
from vizapp.core.signals.patches import cells_of
from vizapp.core.signals.precision import computed_in, device_and_dtype, note_of
from vizapp.core.target import Target
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text


def relevance_of_pixels(
    model: VisionModel, pixels: Tensor, target: Target, trace: AttentionTrace, rules: Rules, dtype: str, rest: Text
) -> tuple[Tensor, TokenLayout, tuple[Text, ...]]:
    """(patch,): sum over its pixels of value x gradient, the pass back by `rules`; its layout; notes.

    pixels  (1, channels, height, width), which `trace` was made from
    dtype   of the pass: "network", as the network computes itself, or "float64"
    rest    where the rules leave what no patch gets, said in the first note, which compares the sum of all patches with the logit
    Rules end where the network does: of a function of the output, each output times the function's slope there is handed back.
    """
    cells = cells_of(model, pixels, trace)
    pixels = pixels.detach().to(*device_and_dtype(model, dtype)).requires_grad_(True)
    with differentiated(model):
        with torch.enable_grad(), computed_in(model, dtype):
            with rules:
                output = model.net(pixels)
            start = Start.of(model, output, target)
        # The rules are in the graph by now: the pass back needs no mode.
        (gradient,) = torch.autograd.grad(start.given, pixels, start.slopes)
    found, layout = cells.summed((gradient * pixels.detach())[0].sum(0))
    kept = Text(
        "All patches together have {total}; outputs times the target's slopes are {logit}. {rest}"
        if callable(target)
        else "All patches together have {total}; the class's logit is {logit}. {rest}",
        total=f"{float(found.sum()):.3g}",
        logit=f"{start.linear:.3g}",
        rest=rest,
    )
    return found, layout, (kept, *note_of(model, dtype))
