"""Rounding must not show in a map: float32 against float64 for every method, and what a pass in float64 leaves as it is."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch

import vizapp
from bench.pages import ENOUGH
from bench.precision import as_type, correlation, networks, pictures, seeded, smallest
from support.networks import hooks_of, pixels_for, sharpen, small_vit
from support.paths import DEIT
from support.slow_replicas import context
from vizapp.core.interventions import parse_all
from vizapp.core.interventions.apply import edited
from vizapp.core.methods import method_named, methods
from vizapp.core.signals import precision
from vizapp.core.signals.precision import computed_in
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

SMALL_SWIN = {"img_size": 56, "window_size": 7, "embed_dim": 24, "depths": (2, 2), "num_heads": (2, 4)}
NETWORKS: dict[str, Callable[[], VisionModel]] = {
    "registers": lambda: vizapp.load("registers", "cpu"),
    "Swin": lambda: seeded("swin_tiny_patch4_window7_224", 56, **SMALL_SWIN),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_float32_is_enough_for_every_method(name: str) -> None:
    """The bench does the same with twenty pictures and with methods of many passes: bench/PRECISION.md."""
    quick = [one.name for one in methods().values() if one.cost == "quick" and not one.baseline]
    model = NETWORKS[name]()
    found = smallest(model, as_type(model, torch.float64), pictures(5)[4:], quick)
    assert len(found) >= 12
    assert not {title: r for title, r in found.items() if r is None or r < ENOUGH}


def test_float32_is_enough_on_the_real_deit() -> None:
    if not DEIT.exists():
        pytest.skip("real DeiT-Ti weights are not on this machine")
    model = networks()["DeiT-Ti"]()
    names = ["partial_lrp", "attn_lrp", "grad_cam_plus_plus"]  # which lose most
    found = smallest(model, as_type(model, torch.float64), pictures(5)[4:], names)
    assert not {title: r for title, r in found.items() if r is None or r < ENOUGH}


def test_what_the_networks_own_precision_would_give() -> None:
    """The reason for float64: relevance of the first layer is noise in float32. What is kept of it is said."""
    seen = vizapp.analyse("toy", pictures(5)[4])
    exact, rounded = (vizapp.explain(seen, "partial_lrp", layer=0, dtype=one) for one in ("float64", "network"))
    assert correlation(exact.scores.ravel(), rounded.scores.ravel()) < 0.9
    assert exact.notes == ("Of the class's relevance 100.0% arrive at the first layer.",)


def test_the_network_stays_as_it_is_also_for_another_thread() -> None:
    model = small_vit()
    pixels = pixels_for(model)
    seen = context(model, pixels, 0)
    with torch.no_grad():
        plain = model.net(pixels)
    stop, different = threading.Event(), []

    def look() -> None:
        with torch.no_grad():
            while not stop.is_set():
                different.append(not torch.equal(model.net(pixels), plain))

    other = threading.Thread(target=look)
    other.start()
    try:
        for _ in range(5):
            method_named("transformer_attribution")(context(model, pixels, 0))
    finally:
        stop.set()
        other.join()
    assert different
    assert not any(different)
    assert {one.dtype for one in model.net.parameters()} == {torch.float32}
    assert hooks_of(model.net) == 0
    assert seen.relevances[0].dtype == torch.float64


def test_hooks_of_the_owner_run_and_an_edit_is_done() -> None:
    model = small_vit()
    types: list[torch.dtype] = []
    model.net.blocks[1].register_forward_hook(lambda module, args, output: types.append(output.dtype))
    head_off = edited(model, parse_all("head-off:1.2"))
    pixels = pixels_for(model)
    found = context(head_off, pixels, 0).relevances[1].map()
    assert types[-1] == torch.float64
    assert not found[2].any(), "nothing comes back to a head that writes nothing"
    assert found[1].any()


def test_weights_that_are_not_frozen_are_constants_all_the_same() -> None:
    """Swin makes its position bias from a parameter: it must not be taken for something that stems from the picture."""
    maps = []
    for frozen in (True, False):
        torch.manual_seed(0)
        net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", num_classes=5, **SMALL_SWIN)).double()
        net.requires_grad_(not frozen)
        model = describe(net, preprocess=Preprocess((56, 56)), labels=tuple("abcde"))
        seen = context(model, pixels_for(model), 1)
        maps.append([method_named(name)(seen).scores for name in ("transformer_attribution", "attn_lrp")])
        assert seen.relevances.arrived == pytest.approx(1, abs=1e-3)
    for one, other in zip(*maps, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_written_into_keeps_its_values() -> None:
    """A buffer that is filled in place, a cast to float32, and a weight that is asked for its type."""
    model, weight, buffer = small_vit(), torch.nn.Parameter(torch.full((3,), 1 / 3)), torch.zeros(3)
    with computed_in(model, "float64"):
        assert weight.dtype == torch.float64
        x = torch.arange(3).float() / 3 + weight
        assert x.dtype == x.float().dtype == x.to(torch.float32).dtype == torch.zeros(3).dtype == torch.float64
        assert not x.requires_grad
        buffer[1:] = x[1:]
    assert buffer.dtype == weight.dtype == torch.float32
    np.testing.assert_allclose(buffer.numpy(), [0, 2 / 3, 1], rtol=1e-6)


class Insists(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("expected scalar type Float but found Double")


def test_a_network_that_insists_on_its_type_is_refused_with_a_way_out() -> None:
    model = small_vit()
    pixels = pixels_for(model)
    seen = context(model, pixels, 0)
    model.net.head = Insists()
    with pytest.raises(VizError, match=r'cannot be computed in float64.*dtype="network"'):
        method_named("partial_lrp")(seen)


def test_a_device_without_float64_hands_the_pass_to_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """No such device is at hand: the words and the choice are tested; the numbers are those of the processor."""
    model = small_vit()
    monkeypatch.setattr(type(model), "device", property(lambda self: "mps"))
    assert precision.device_and_dtype(model, "float64") == (torch.device("cpu"), torch.float64)
    assert precision.device_and_dtype(model, "network") == (torch.device("mps"), torch.float32)
    assert precision.note_of(model, "float64") == ("Computed on the processor: mps has no float64.",)
    assert precision.note_of(model, "network") == ()


@pytest.mark.parametrize("coarse", [torch.bfloat16, torch.float16])
def test_coarse_weights_are_said(coarse: torch.dtype) -> None:
    half, name = as_type(small_vit(), coarse), str(coarse).removeprefix("torch.")
    picture = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    assert any(f"weights are {name}" in note for note in vizapp.analyse(half, picture).notes)
    assert not any("float16" in note for note in vizapp.analyse(as_type(half, torch.float32), picture).notes)
