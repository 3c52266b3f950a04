"""Parts that a network checkpoints in each pass: its maps are those without checkpoints, and its owner's passes stay the same."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

import vizapp
from support.networks import pixels_for, small_vit
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.trust.randomisation import randomised


class Kept(nn.Module):
    """A block that is checkpointed, also in eval mode."""

    def __init__(self, block: nn.Module, use_reentrant: bool) -> None:
        super().__init__()
        self.block, self.use_reentrant, self.runs = block, use_reentrant, 0

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.ran, x, use_reentrant=self.use_reentrant)

    def ran(self, x: Tensor) -> Tensor:
        self.runs += 1
        return self.block(x)


def analysed(use_reentrant: bool | None) -> vizapp.Analysis:
    torch.manual_seed(0)
    known = small_vit()
    if use_reentrant is not None:
        known.net.blocks = nn.Sequential(*(Kept(block, use_reentrant) for block in known.net.blocks)).eval()
    return vizapp.analyse(
        vizapp.describe(known.net, preprocess=known.preprocess, labels=known.labels), pixels_for(known)
    )


METHODS = ("chefer", "legrad", "grad_cam", "attn_lrp", "transformer_attribution", "input_gradient")


@pytest.fixture(scope="module")
def expected() -> vizapp.Analysis:
    return analysed(None)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_a_checkpointed_network_has_the_same_maps(expected: vizapp.Analysis, use_reentrant: bool) -> None:
    """A re-entrant one is one function to autograd: that said "does not require grad". The others ran once more without rules."""
    seen = analysed(use_reentrant)
    for method in METHODS:
        found = vizapp.explain(seen, method).scores
        assert np.array_equal(vizapp.explain(expected, method).scores, found), method
    assert seen.trace.readout == "cls", "what it reads is measured as well"
    with run_plainly():
        plain, drawn = (randomised(one.context, 1).net(pixels_for(small_vit())) for one in (expected, seen))
    assert torch.equal(plain, drawn), "so is what lies behind the blocks"


def test_passes_of_others_are_checkpointed_as_before() -> None:
    """Its owner trains it, before and after, and another thread does while a pass of ours runs."""

    def trained() -> int:
        part = Kept(nn.Linear(3, 3), use_reentrant=True)
        part(torch.ones(1, 3, requires_grad=True)).sum().backward()
        assert part.block.weight.grad is not None
        return part.runs

    assert trained() == 2, "once more on the way back"
    with run_plainly(), ThreadPoolExecutor(1) as other:
        assert (trained(), other.submit(trained).result()) == (1, 2)
        parts = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        given = torch.ones(1, 3)  # no warning that nothing requires a gradient
        assert torch.equal(checkpoint_sequential(parts, 2, given, use_reentrant=True), parts(given))
    assert trained() == 2
