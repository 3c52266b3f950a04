"""Values that attention does not take as those of one patch each: the methods that read them so say it, and all others do not."""

import types
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.odd import Attention, Block, Net, built, picture, seen

PERM = torch.randperm(16, generator=torch.Generator().manual_seed(3))
Sides3 = tuple[Tensor, Tensor, Tensor]
MIXED = "are mixed over several patches before attention"


def on_grid(values: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    """(1, head, CLS and 16 patches, d) with `change` made to (head, d, 4, 4)."""
    grid = values[0, :, 1:].unflatten(1, (4, 4)).permute(0, 3, 1, 2)
    return torch.cat([values[:, :, :1], change(grid).flatten(2).transpose(1, 2)[None]], 2)


def blur(grid: Tensor) -> Tensor:
    return F.avg_pool2d(grid, 3, 1, 1)


def depthwise(grid: Tensor) -> Tensor:
    return F.conv2d(grid, torch.ones(grid.shape[1], 1, 3, 3) / 9, padding=1, groups=grid.shape[1])


def shifted(v: Tensor) -> Tensor:
    half = v.shape[-1] // 2
    return torch.cat([v[..., :half], v[..., half:].roll(1, -2)], -1)


MIXES: dict[str, Callable[[Tensor, Tensor, Tensor], Sides3]] = {
    "blur": lambda q, k, v: (q, k, on_grid(v, blur)),
    "convolution": lambda q, k, v: (q, k, on_grid(v, depthwise)),
    "convolution beside the values": lambda q, k, v: (q, k, v + on_grid(v, depthwise)),
    "token shift": lambda q, k, v: (q, k, shifted(v)),
    "centred": lambda q, k, v: (q, k, v - v.mean(2, keepdim=True)),
    "another convolution than the keys'": lambda q, k, v: (q, on_grid(k, depthwise), on_grid(on_grid(v, blur), blur)),
}
STRAIGHT: dict[str, Callable[[Tensor, Tensor, Tensor], Sides3]] = {
    "as they are": lambda q, k, v: (q, k, v),
    "keys and values alike": lambda q, k, v: (q, on_grid(k, depthwise), on_grid(v, depthwise)),
    "keys alone": lambda q, k, v: (q, on_grid(k, blur), v),
    "scaled by feature": lambda q, k, v: (q, k, F.layer_norm(v, v.shape[-1:]) * 2),
}


def network(
    change: Callable[[Tensor, Tensor, Tensor], Sides3], *, by_kernel: bool = False, depth: int = 2
) -> nn.Module:
    class Changed(Attention):
        def sides(self, x: Tensor) -> Sides3:
            return change(*super().sides(x))

        def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(q, k, v) if by_kernel else super().mixed(q, k, v)

    return built(type("Odd", (Net,), {"attention": Changed}), depth=depth)


def test_mixed_values_are_said_with_the_maps_that_read_them_and_nothing_else_is() -> None:
    slips = []
    for name, change in {**MIXES, **STRAIGHT}.items():
        for by_kernel in (False, True) if name in {"blur", "as they are"} else (False,):
            analysis = seen(network(change, by_kernel=by_kernel, depth=1))
            rollout = [note for note in vizapp.explain(analysis, "rollout").notes if MIXED in note]
            always = [note for note in analysis.notes if "followed" in note or "order" in note or MIXED in note]
            plain = vizapp.explain(analysis, "attention").notes
            expected = 1 if name in MIXES else 0
            if (len(rollout), len(always), plain, len(analysis.trace.layers)) != (expected, expected, (), 1):
                slips.append((name, by_kernel, rollout, always))
    assert not slips


def test_the_weights_of_mixed_values_are_exact() -> None:
    net, pixels = network(MIXES["blur"]), picture()
    for layer, block in zip(seen(net, pixels).trace.layers, net.blocks, strict=True):
        torch.testing.assert_close(layer.map(), block.attn.kept[0][0])


def test_a_value_that_nothing_tells_the_patch_of_is_said() -> None:
    net = network(lambda q, k, v: (q, k, v.sort(2).values))
    assert any("It is not known from which patches the values of" in note for note in seen(net).notes)


def test_an_output_of_which_nothing_tells_where_it_goes_is_said() -> None:
    turned = torch.cat([torch.zeros(1, dtype=torch.long), PERM + 1])

    def added(block: nn.Module, x: Tensor) -> Tensor:
        return x.index_add(1, turned, block.attn(block.norm(x)))

    def side_by_side(block: nn.Module, x: Tensor) -> Tensor:
        return torch.stack([x, block.attn(block.norm(x))[:, turned]]).sum(0)

    for way in (added, side_by_side):
        net = built(Net, depth=1)
        net.blocks[0].forward = types.MethodType(way, net.blocks[0])
        analysis = seen(net)
        assert analysis.trace.sides["blocks.0.attn"].output == "lost", way
        assert any("It is not known to which tokens the output of" in note for note in analysis.notes), way


class Weighed(Block):
    """The sum weighs what attention writes: by a word of `torch.add`, or by a product."""

    by_word = True

    def forward(self, x: Tensor) -> Tensor:
        made = self.attn(self.norm(x))
        return torch.add(x, made, alpha=0.1) if self.by_word else x + made * 0.1


def test_a_sum_that_weighs_what_it_adds() -> None:
    net = built(Net)
    for block in net.blocks:
        block.__class__ = Weighed
    names = ("alti", "value_attention", "value_rollout")
    found = {name: vizapp.explain(seen(net), name).scores for name in names}
    for block in net.blocks:
        block.by_word = False
    for name in names:
        assert np.allclose(found[name], vizapp.explain(seen(net), name).scores, atol=1e-6), name


class Learned(Attention):
    """A map that is learned as it is, without queries and keys."""

    def __init__(self) -> None:
        super().__init__()
        self.map = nn.Parameter(torch.randn(2, 17, 17))

    def values(self, v: Tensor) -> Tensor:
        return v

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.map.softmax(-1)[None] @ self.values(v)


class LearnedOfBlurred(Learned):
    def values(self, v: Tensor) -> Tensor:
        return on_grid(v, blur)


@pytest.mark.parametrize(("kind", "is_said"), [(Learned, False), (LearnedOfBlurred, True)])
def test_a_learned_map_has_plain_values(kind: type[nn.Module], is_said: bool) -> None:
    """Such a map went through nothing, not even through what cuts patches, and that was said of its values."""
    analysis = seen(built(type("Net", (Net,), {"attention": kind})))
    assert len(analysis.trace.layers) == 2
    assert any(MIXED in note for note in map(str, analysis.notes)) == is_said
    assert analysis.ledger.whole != is_said


class Registered(Net):
    """CLS before the patches, and a register behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.register = nn.Parameter(torch.randn(1, 1, 16))

    def joined(self, cls: Tensor, x: Tensor) -> Tensor:
        return torch.cat([cls, x, self.register.expand(len(x), -1, -1)], 1)


def turned_keys(order: list[int]) -> type[nn.Module]:
    class Turned(Attention):
        def sides(self, x: Tensor) -> Sides3:
            q, k, v = super().sides(x)
            return q, k[:, :, order], v[:, :, order]

    return Turned


@pytest.mark.parametrize(
    ("order", "is_said"),
    [([*range(18)], False), ([*range(17, -1, -1)], True), ([17, *range(17)], True), ([*range(1, 18), 0], True)],
    ids=["as queries", "turned", "register first", "CLS last"],
)
def test_of_learned_keys_in_another_order_it_is_said_that_nothing_tells_them_apart(
    order: list[int], is_said: bool
) -> None:
    """The map gave CLS the weights of the register, and the verdict was exact."""
    analysis = seen(built(type("Turned", (Registered,), {"attention": turned_keys(order)})))
    assert analysis.trace.layout.n_prefix == 2
    note = "It is not known from which patches the values of blocks.0.attn, blocks.1.attn come."
    assert any(note in one for one in map(str, analysis.notes)) == is_said
    assert analysis.ledger.whole != is_said
