"""What each layer hands on: LeGrad beside autograd where blocks or sums are no modules; parts that a network checkpoints."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

import vizapp
from support.networks import hooks_of, pixels_for, sharpen, small_vit
from support.slow_replicas import context, tokens_of
from support.streams import TARGET, Own, ReadsAll, parallel, plain, seen_by, vit_pytorch
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.methods import method_named
from vizapp.core.signals.stream import stream_of
from vizapp.core.trust.randomisation import randomised
from vizapp.errors import VizError


def layers_of(net: nn.Module) -> tuple[nn.Module, nn.ModuleList]:
    holder = net.transformer if hasattr(net, "transformer") else net
    return holder, holder.layers


def by_autograd(net: nn.Module, pixels: Tensor) -> np.ndarray:
    """(token,): the paper's formula, the list of layers cut after each, on matrices that autograd itself gives."""
    holder, layers = layers_of(net)
    maps: list[Tensor] = []
    hooks = [
        module.register_forward_hook(lambda module, args, output: maps.append(output))
        for module in net.modules()
        if isinstance(module, nn.Softmax)
    ]
    total = 0
    for depth in range(1, len(layers) + 1):
        holder.layers = layers[:depth]
        maps.clear()
        with torch.enable_grad():
            logit = net(pixels.clone().requires_grad_(True))[0, TARGET]
            (gradient,) = torch.autograd.grad(logit, maps[-1])
        total = total + gradient[0].clamp_min(0).mean((0, 1)).numpy()
    holder.layers = layers
    for hook in hooks:
        hook.remove()
    return total / len(layers)


NETWORKS = {
    "vit-pytorch": vit_pytorch,
    "sums in no module": lambda: Own(plain),
    "attention and MLP side by side": lambda: Own(parallel),
}


@pytest.mark.parametrize("make", NETWORKS.values(), ids=NETWORKS)
def test_legrad_reads_what_each_layer_hands_on(make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    net = sharpen(make()).double()
    seen = seen_by(net)
    expected = by_autograd(net, seen.pixels)
    found = method_named("legrad")(seen)
    np.testing.assert_allclose(tokens_of(found), expected, rtol=1e-9, atol=1e-15)
    assert hooks_of(net) == 0


def norm_last(x: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    x = nn.functional.layer_norm(x + attention(x), x.shape[-1:])
    return nn.functional.layer_norm(x + mlp(x), x.shape[-1:])


@pytest.mark.parametrize("make", [lambda: ReadsAll(plain), lambda: Own(norm_last)], ids=["reads all", "norm last"])
def test_where_layers_hand_on_nothing_that_can_be_named_legrad_is_refused(make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    seen = seen_by(sharpen(make()).double())
    with pytest.raises(VizError, match="residual stream between the layers"):
        method_named("legrad")(seen)
    assert hooks_of(seen.model.net) == 0


def test_blocks_that_are_modules_go_on_being_left_out(small: object) -> None:
    """So maps stay what they were, bit by bit."""
    seen = context(small, pixels_for(small), 0)
    assert stream_of(small, seen.pixels, seen.trace, 0).blocks == ("blocks.0", "blocks.1", "blocks.2")


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
