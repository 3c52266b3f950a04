"""Weights in 8 bits a number: rounded row by row, carried by pages of large networks, and the same in Python to the last bit."""

import math
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.engine import read_network
from support.networks import small_vit
from vizapp import pipeline
from vizapp.browser import content as contents
from vizapp.browser import quantised as rounding
from vizapp.browser.eight_bits import by_row, from_rows
from vizapp.browser.network import pack_network
from vizapp.browser.quantised import for_a_page, quantised, rounded
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import bundled

RNG = np.random.default_rng(5)
ORDINARY = (
    RNG.normal(size=(12, 5, 4)).astype(np.float32) * np.geomspace(1e-6, 1e4, 12).astype(np.float32)[:, None, None]
)


def slow_row(row: list[float]) -> tuple[float, list[int]]:
    """A row, number by number. All in double precision but the division, whose result a float32 holds."""
    step = float(np.float32(max(abs(one) for one in row)) / np.float32(127))
    if step == 0:
        return 0.0, [0] * len(row)
    unit = 2.0 ** (math.floor(math.log2(step)) - 15)  # of a scale with 16 significant bits
    scale = round(step / unit) * unit
    return scale, [round(float(np.float32(one) / np.float32(scale))) for one in row]


def test_a_matrix_is_rounded_row_by_row() -> None:
    scales, numbers = by_row(ORDINARY)
    assert (scales.dtype, numbers.dtype, numbers.shape) == (np.float32, np.int8, (12, 20))
    for row, scale, found in zip(ORDINARY.reshape(12, 20).tolist(), scales.tolist(), numbers.tolist(), strict=True):
        assert (scale, found) == slow_row(row)
        assert max(map(abs, found)) == 127
    back = from_rows(scales, numbers, ORDINARY.shape)
    assert np.array_equal(back.astype(np.float64).reshape(12, 20), scales.astype(np.float64)[:, None] * numbers)
    assert np.abs(back - ORDINARY).max(axis=(1, 2)) == pytest.approx(scales / 2, rel=0.5)
    planted = np.array([[-127, 3, 0, 64], [0, 0, 0, 0], [127, -1, 1, 126]], np.float32)
    # The last row is smaller than float32's normal numbers.
    planted *= np.array([0.375, 1, 2.0**-140], np.float32)[:, None]
    scales, numbers = by_row(planted)
    assert np.array_equal(from_rows(scales, numbers, planted.shape), planted)
    assert scales.tolist() == [0.375, 0, 2.0**-140]
    assert not numbers[1].any()


def of_timm() -> VisionModel:
    net = timm.create_model("vit_tiny_patch16_224", img_size=32, embed_dim=48, depth=2, num_heads=4, num_classes=3)
    described = vizapp.describe(net.eval())
    pipeline.analyse(described, np.zeros((32, 32, 3), np.uint8))
    return described


@pytest.mark.parametrize("model", [small_vit(reg_tokens=2, qk_norm=True), of_timm()], ids=["ours", "of timm"])
def test_python_has_the_weights_of_the_page(model: VisionModel) -> None:
    before = {name: value.clone() for name, value in model.net.state_dict().items()}
    ours = quantised(model)
    assert type(ours.net) is type(model.net)
    for name, value in model.net.state_dict().items():
        assert torch.equal(value, before[name]), "the given network is as it was"
    carried = read_network(pack_network(ours))
    assert carried.keys() == before.keys()
    for name, value in ours.net.state_dict().items():
        kind, values = carried[name]
        assert np.array_equal(values, value.numpy()), name
        assert kind == ("i8" if value.ndim >= 2 and len(value) > 1 else "f16" if value.squeeze().ndim > 1 else "f32")
        assert not torch.equal(value, before[name]) or kind == "f32", name
    for name, value in quantised(ours).net.state_dict().items():
        assert torch.equal(value, ours.net.state_dict()[name]), "rounding again changes nothing"
    seen = vizapp.analyse(ours, np.zeros((32, 32, 3), np.uint8))
    assert len(seen.trace.layers) == len(model.net.blocks)  # type: ignore[arg-type]


def test_a_matrix_with_outliers_keeps_half_precision() -> None:
    """One number of each row is so large that 8 bits would leave little of the others."""
    spoiled = RNG.normal(size=(16, 400)).astype(np.float32)
    spoiled[:, 7] = 100
    assert np.array_equal(rounded(spoiled), spoiled.astype(np.float16).astype(np.float32))
    ordinary = spoiled.copy()
    ordinary[:, 7] = 1
    assert len(np.unique(rounded(ordinary)[0])) <= 255


def test_only_large_networks_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of the bundled networks carry the bytes that they always did."""
    for name in bundled.names():
        model = pipeline.load(name, "cpu")
        assert for_a_page(model) is model
    model, kinds = pipeline.load("toy", "cpu"), {"blocks.0.mlp.fc1.weight": "f16", "blocks.0.mlp.fc1.bias": "f32"}
    page = contents.content(contents.Wanted(("toy",), lessons=False, pictures=("example",)))
    found = read_network(pack_network(model))
    assert {name: found[name][0] for name in kinds} == kinds
    assert page.about["models"][0]["blob"] == page.add(pack_network(model))
    state = model.net.state_dict()
    assert all(
        np.array_equal(values, state[name].half().float()) for name, (kind, values) in found.items() if kind == "f16"
    )
    monkeypatch.setattr(rounding, "FEW", 2_000_000)
    page = contents.content(contents.Wanted(("toy",), pictures=("example",)))
    (one,) = page.about["models"]
    assert one["blob"] == page.add(pack_network(quantised("toy")))
    assert one["about"]["weights_sha256"] == contents.of_model(quantised("toy"))["weights_sha256"]


def test_a_page_of_an_analysis_keeps_its_weights(monkeypatch: pytest.MonkeyPatch, picture: np.ndarray) -> None:
    """It must show the analysis's own numbers: half precision, or 8 bits if the analysis was made with those."""
    monkeypatch.setattr(rounding, "FEW", 0)
    for model, kind in ((small_vit(), "f16"), (quantised(small_vit()), "i8")):
        page = contents.content_of(vizapp.analyse(model, picture))
        (one,) = page.about["models"]
        assert one["blob"] == page.add(pack_network(model))
        assert read_network(pack_network(model))["head.weight"][0] == kind


def test_what_a_page_cannot_carry_is_refused() -> None:
    with pytest.raises(VizError, match="batch norms"):
        quantised(replace(small_vit(), net=timm.create_model("resnet18").eval()))
    with pytest.raises(VizError, match="training mode"):
        quantised(replace(small_vit(), net=small_vit().net.train()))
    with pytest.raises(VizError, match="A model by name, a VisionModel or"):
        vizapp.quantised(3)  # type: ignore[arg-type]
