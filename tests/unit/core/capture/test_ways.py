"""What goes round a layer: the maps are exact, and whatever walks from layer to layer would be that of another network."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from support.gaps import of, plain
from support.networks import pixels_for
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.capture.refusals.reasons import GOES_ROUND, READ_EARLY, WAYS_UNKNOWN
from vizapp.core.methods import ruled_out

WIDTH = 16


class Block(nn.Module):
    """A block that may take values besides its own: `first` are those of the first layer."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.proj = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU())
        self.share = 0.0

    def split(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        return q, k, v

    def forward(self, x: Tensor, kv: tuple[Tensor, Tensor] | None = None, first: Tensor | None = None) -> Tensor:
        q, k, v = self.split(x)
        k, v = (k, v) if kv is None else kv
        v = v if first is None else (1 - self.share) * v + self.share * first
        x = x + self.proj(plain(q, k, v).transpose(1, 2).flatten(2))
        return x + self.mlp(x)


class Net(nn.Module):
    """Four blocks on 4 x 4 patches and CLS; `run` says how tokens go through them."""

    def __init__(self, run: "Callable[[Net, Tensor], Tensor]") -> None:
        super().__init__()
        torch.manual_seed(0)
        self.patches, self.cls = nn.Conv2d(3, WIDTH, 8, 8), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(4))
        self.narrow = nn.Linear(2 * WIDTH, WIDTH)
        self.run = run

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        return self.run(self, torch.cat([self.cls.expand(len(x), -1, -1), x], 1))[:, 0]


def chain(net: Net, x: Tensor) -> Tensor:
    for block in net.blocks:
        x = block(x)
    return x


def sums_outside(net: Net, x: Tensor) -> Tensor:
    for block in net.blocks:
        q, k, v = block.split(x)
        x = x + block.proj(plain(q, k, v).transpose(1, 2).flatten(2))
        x = x + block.mlp(x)
    return x


def shared_keys(net: Net, x: Tensor) -> Tensor:
    """`k, v = kv = (k, v) if kv is None else kv`."""
    _, *kv = net.blocks[0].split(x)
    x = net.blocks[0](x)
    for block in net.blocks[1:]:
        x = block(x, kv=(kv[0], kv[1]))
    return x


def value_residual(share: float) -> Callable[[Net, Tensor], Tensor]:
    def run(net: Net, x: Tensor) -> Tensor:
        first = net.blocks[0].split(x)[2]
        for block in net.blocks:
            block.share = share
            x = block(x, first=first)
        return x

    return run


def long_skip(net: Net, x: Tensor) -> Tensor:
    """U-ViT."""
    below = net.blocks[0](x)
    x = net.blocks[2](net.blocks[1](below))
    return net.blocks[3](net.narrow(torch.cat([x, below], -1)))


def mean_at_the_end(net: Net, x: Tensor) -> Tensor:
    states = [x]
    for block in net.blocks:
        states.append(block(states[-1]))
    return torch.stack(states[1:]).mean(0)


def without_gradients(net: Net, x: Tensor) -> Tensor:
    with torch.no_grad():
        x = net.blocks[0](x)
    return net.blocks[3](net.blocks[2](net.blocks[1](x)))


def seen(run: Callable[[Net, Tensor], Tensor]) -> AttentionTrace:
    model = of(Net(run))
    return capture(model, pixels_for(model).double())


@pytest.mark.parametrize("run", [chain, sums_outside, value_residual(0.0)])
def test_layers_that_hand_on_all_that_is_heard_are_a_chain(run: Callable[[Net, Tensor], Tensor]) -> None:
    """Also where a way round a layer is there, and shut by a weight of zero."""
    trace = seen(run)
    assert (trace.no_chain, trace.ledger.said) == ("", ())
    assert not ruled_out(trace.ledger)


@pytest.mark.parametrize(
    ("run", "layer"),
    [(shared_keys, 0), (value_residual(0.5), 0), (long_skip, 1)],
)
def test_what_goes_round_a_layer_rules_out_what_walks_from_layer_to_layer(
    run: Callable[[Net, Tensor], Tensor], layer: int
) -> None:
    trace = seen(run)
    assert trace.no_chain == GOES_ROUND.having(name=f"blocks.{layer}")
    assert "rollout" in ruled_out(trace.ledger)
    assert len(trace.layers) == 4


def test_an_output_that_reads_several_layers_is_said() -> None:
    trace = seen(mean_at_the_end)
    assert not trace.no_chain
    assert trace.ledger.said == (READ_EARLY.having(names="blocks.0, blocks.1, blocks.2"),)


def test_what_cannot_be_measured_is_said() -> None:
    trace = seen(without_gradients)
    assert not trace.no_chain
    assert trace.ledger.said == (WAYS_UNKNOWN,)
