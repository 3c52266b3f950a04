"""Sinks: planted ones are found, none are invented, and leaving them out shares their attention among the others."""

from dataclasses import replace

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.checkpoints import with_a_sink
from support.networks import pixels_for, planted, sharpen, small_vit, timm_model
from support.slow_replicas import context
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method_named
from vizapp.core.trust.norms import listening, norms_of_a_pass
from vizapp.core.trust.sinks import among, is_sink, sinks, without
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui.viewer.payload import Packed, pack

PICTURE = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)


def test_a_planted_sink_is_found_and_nothing_else() -> None:
    model = with_a_sink(1 + 6)
    seen = context(model, pixels_for(model))
    (found,) = sinks(model, seen.pixels, seen.trace)
    assert (found.row, found.col) == (1, 2)
    assert found.norm > 3
    assert found.share == pytest.approx(
        max(float(layer.map().mean((0, 1))[7]) for layer in seen.trace.layers), rel=1e-5
    )
    assert found.layers


def test_the_median_of_an_even_number_is_between_the_two_in_the_middle() -> None:
    """torch's takes the lower, so that 196 patches had another threshold than 197. Planted: 2.13 is over 2 x 1.05 alone."""
    norms = torch.tensor([1.0, 1.05, 1.1, 2.13], dtype=torch.float64)
    shares = torch.full((4,), 1.0)
    assert is_sink(norms, shares, 100).tolist() == [False] * 4
    assert is_sink(torch.tensor([1.0, 1.05, 1.1, 2.2]), shares, 100).tolist() == [False, False, False, True]


def test_the_greediest_is_first() -> None:
    """Whichever layer it is found in."""
    layout = TokenLayout(("cls",), (5, 6))
    norms, received = torch.ones(2, 30) + torch.linspace(0, 0.1, 30), torch.full((2, 31), 0.01)
    for layer, patch, share in ((0, 3, 0.3), (1, 20, 0.4)):
        norms[layer, patch], received[layer, 1 + patch] = 9, share
    assert [(one.row, one.col, one.layers) for one in among(layout, norms, received)] == [(3, 2, (1,)), (0, 3, (0,))]


def test_a_network_without_sinks_has_none() -> None:
    seen = vizapp.analyse("toy", np.random.default_rng(0).integers(0, 256, (112, 112, 3), dtype=np.uint8))
    assert vizapp.find_sinks(seen) == ()


def with_a_bias(trace: AttentionTrace) -> AttentionTrace:
    """The same with positions that count, and a mask that hides a token from all."""
    bias = torch.randn(4, 17, 17, generator=torch.Generator().manual_seed(0))
    bias[..., 5] = -torch.inf
    return replace(trace, layers=tuple(FactoredAttention(one.name, one.q, one.k, bias) for one in trace.layers))


def test_leaving_out_is_renormalising() -> None:
    """Line by line: columns to zero, rows divided by what is left."""
    model = small_vit()
    seen = context(model, pixels_for(model))
    dense = planted(*(layer.map() for layer in seen.trace.layers), grid=(4, 4))
    for trace in (seen.trace, with_a_bias(seen.trace), dense):
        found = without(trace, [3, 9])
        for layer, before in zip(found.layers, trace.layers, strict=True):
            expected = before.map().clone()
            expected[..., [3, 9]] = 0
            torch.testing.assert_close(layer.map(), expected / expected.sum(-1, keepdim=True), rtol=1e-4, atol=1e-6)
        assert method_named("attention")(found, "cls").scores.ravel()[[2, 8]].tolist() == [0, 0]


def test_an_analysis_without_its_sinks() -> None:
    model = with_a_sink(1 + 6)
    seen = vizapp.analyse(model, PICTURE)
    fewer = vizapp.leave_out(seen, vizapp.find_sinks(seen))
    assert vizapp.explain(fewer, "attention").scores[1, 2] == 0
    assert vizapp.explain(seen, "attention").scores[1, 2] > 0.05
    # The sink still hands on what it is itself, over the skip connection, but gets nothing from others.
    assert vizapp.explain(fewer, "rollout").scores[1, 2] == 0
    with pytest.raises(VizError, match="holds none"):
        vizapp.explain(fewer, "alti")
    with pytest.raises(VizError, match="holds no network"):
        vizapp.explain(fewer, "chefer")
    with pytest.raises(VizError, match="Every token"):
        without(seen.trace, range(17))


@pytest.mark.parametrize("name", ["mean", "unaided"])
def test_an_object_is_no_sink(name: str) -> None:
    """On an even background any object lies many deviations out; a sink is also twice as long as the others."""
    for number in range(12):
        assert vizapp.find_sinks(vizapp.analyse(name, LESSONS["one"].example(number).picture)) == ()


def test_leaving_out_knows_its_limits() -> None:
    seen = vizapp.analyse(sharpen(timm.create_model("levit_128s")), np.zeros((64, 64, 3), np.uint8))
    with pytest.raises(VizError, match="grids of their own"):
        vizapp.leave_out(seen, [(1, 1)])
    pooled = vizapp.analyse(timm_model("vit_base_patch16_siglip_224"), np.zeros((64, 64, 3), np.uint8))
    assert pooled.trace.query("pool")[-1] > 0
    last = tuple(side - 1 for side in pooled.trace.layout.grid)
    assert vizapp.leave_out(pooled, [last]).trace.query("pool")[-1] == 0


def test_the_second_picture_of_a_network_needs_no_pass_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first tells which modules are blocks; from then on norms are those of the captured pass, to the last bit."""
    model = with_a_sink(1 + 6)
    first, second = (vizapp.analyse(model, PICTURE) for _ in range(2))
    assert first.context.norms is None
    for own, there in zip(norms_of_a_pass(model, first.context.pixels, first.trace), second.context.norms, strict=True):
        assert torch.equal(own, there)
    edited = vizapp.analyse(model, PICTURE, edits=["head-off:0.1"])
    assert not torch.equal(edited.context.norms[-1], second.context.norms[-1]), "those of the edited pass"
    asked = vizapp.find_sinks(first)
    passes: list[int] = []
    model.net.register_forward_pre_hook(lambda *given: passes.append(1))
    assert vizapp.find_sinks(second) == asked
    assert [(one.row, one.col) for one in asked] == [(1, 2)]
    assert passes == []


def test_norms_are_those_of_what_leaves_each_block() -> None:
    """By hooks of our own."""
    model = with_a_sink(1 + 6)
    _, seen = (vizapp.analyse(model, PICTURE) for _ in range(2))
    by_hand: list[torch.Tensor] = []
    handles = [block.register_forward_hook(lambda *given: by_hand.append(given[-1])) for block in model.net.blocks]
    with torch.no_grad():
        model.net(seen.context.pixels)
    for handle in handles:
        handle.remove()
    for own, there in zip(by_hand, seen.context.norms, strict=True):
        torch.testing.assert_close(own[0, 1:].norm(dim=-1), there)


def test_what_has_no_norms_is_not_listened_to_and_says_why() -> None:
    """Networks of several grids: asked by a pass of its own, and from then on without one."""
    options = {"img_size": 56, "depths": (1, 2), "num_heads": (2, 4), "num_classes": 5}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))
    first, second = (vizapp.analyse(net, np.zeros((56, 56, 3), np.uint8)) for _ in range(2))
    assert (first.context.norms, second.context.norms) == (None, ())
    for seen in (first, second):
        with pytest.raises(VizError, match="grids of their own"):
            vizapp.find_sinks(seen)


def test_listening_leaves_no_trace() -> None:
    model = with_a_sink(1 + 6)
    for _ in range(2):
        vizapp.analyse(model, np.zeros((32, 32, 3), np.uint8))
    assert all(not one._forward_hooks for one in model.net.modules())
    with pytest.raises(RuntimeError, match="on purpose"), listening(model) as heard:
        assert model.net.blocks[0]._forward_hooks
        raise RuntimeError("on purpose")
    assert heard == {}
    assert all(not one._forward_hooks for one in model.net.modules())


@pytest.mark.parametrize("registers", [0, 2])
def test_the_page_gets_them_with_the_first_map(registers: int) -> None:
    """From rows that are packed anyway: the same sinks, and shares to six digits."""
    model = with_a_sink(1 + registers + 6, reg_tokens=registers)
    first, second = (vizapp.analyse(model, PICTURE) for _ in range(2))
    assert Packed.of(pack(first)).header["sinks"] is None, "to be asked for"
    found = vizapp.find_sinks(second)
    expected = [[one.row, one.col, one.share, min(one.layers), max(one.layers)] for one in found]
    sent = Packed.of(pack(second)).header["sinks"]
    assert [one[:2] + one[3:] for one in sent] == [one[:2] + one[3:] for one in expected]
    assert [one[2] for one in sent] == pytest.approx([one[2] for one in expected], rel=1e-6)
    assert expected
