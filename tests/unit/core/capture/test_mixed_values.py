"""Values that attention does not take as those of one patch each: the methods that read them so say it, and all others do not."""

import types
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.odd import Attention, Net, built, picture, seen

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


class Learned(Attention):
    """A map that is learned as it is, without queries and keys."""

    def __init__(self) -> None:
        super().__init__()
        self.map = nn.Parameter(torch.randn(2, 17, 17))

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.map.softmax(-1)[None] @ v


def test_a_learned_map_has_plain_values() -> None:
    """Such a map went through nothing, not even through what cuts patches, and that was said of its values."""
    analysis = seen(built(type("Net", (Net,), {"attention": Learned})))
    assert len(analysis.trace.layers) == 2
    assert not any(MIXED in note for note in map(str, analysis.notes))
    assert analysis.ledger.whole


class InHalf(Net):
    """Works in bfloat16 by itself."""

    def forward(self, pixels: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return super().forward(pixels).float()


@pytest.mark.parametrize("kind", [InHalf, Net])
def test_rounding_in_autocast_mixes_no_rows(kind: type[Net]) -> None:
    """The tangents were computed in bfloat16 as well, and every such network was said to mix its output over tokens."""
    net = built(kind)
    with torch.autocast("cpu", torch.bfloat16, enabled=kind is Net):
        analysis = seen(net)
    assert analysis.ledger.whole
    assert not any("mixed over several tokens" in str(note) for note in analysis.notes)
