"""Sinks: planted ones are found, none are invented, and leaving them out shares their attention among the others."""

from __future__ import annotations

import numpy as np
import pytest
import timm
import torch
from checkpoints import plant_sink
from conftest import sharpen, small_vit
from replicas import context
from test_capture import pixels_for, timm_model
from test_methods import planted

import vizapp
from vizapp.core.methods import method_named
from vizapp.core.trust.sinks import is_sink, sinks, without
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS
from vizapp.model.zoo import timm_models


def with_a_sink(token: int) -> VisionModel:
    torch.manual_seed(0)
    model = small_vit()
    plant_sink(model.net, token)
    return model


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


def test_a_network_without_sinks_has_none() -> None:
    seen = vizapp.analyse("toy", np.random.default_rng(0).integers(0, 256, (112, 112, 3), dtype=np.uint8))
    assert vizapp.find_sinks(seen) == ()


def test_leaving_out_is_renormalising() -> None:
    """Line by line: columns to zero, rows divided by what is left."""
    model = small_vit()
    seen = context(model, pixels_for(model))
    for trace in (seen.trace, planted(*(layer.map() for layer in seen.trace.layers), grid=(4, 4))):
        found = without(trace, [3, 9])
        for layer, before in zip(found.layers, trace.layers, strict=True):
            expected = before.map().clone()
            expected[..., [3, 9]] = 0
            torch.testing.assert_close(layer.map(), expected / expected.sum(-1, keepdim=True), rtol=1e-4, atol=1e-6)
        assert method_named("attention")(found, "cls").scores.ravel()[[2, 8]].tolist() == [0, 0]


def test_an_analysis_without_its_sinks() -> None:
    model = with_a_sink(1 + 6)
    seen = vizapp.analyse(model, np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8))
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


def test_networks_of_several_grids_are_refused() -> None:
    options = {"img_size": 56, "depths": (1, 2), "num_heads": (2, 4), "num_classes": 5}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))
    model = timm_models.describe(net, name="swin", labels=tuple("abcde"))
    seen = context(model, pixels_for(model))
    with pytest.raises(VizError, match="grids of their own"):
        sinks(model, seen.pixels, seen.trace)


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
