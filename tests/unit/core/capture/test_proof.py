"""The self-test is run once for each network and input size, and is let go with the network."""

import gc
import weakref
from dataclasses import replace

import pytest
from torch import Tensor

from support.networks import small_vit
from vizapp.core.capture import proof
from vizapp.core.capture.check import Check, check
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The input sizes that were really tested."""
    sizes: list[tuple[int, ...]] = []

    def counted(model: VisionModel, pixels: Tensor) -> Check:
        sizes.append(tuple(pixels.shape))
        return check(model, pixels)

    monkeypatch.setattr(proof, "check", counted)
    return sizes


def test_it_is_made_once(tested: list[tuple[int, ...]]) -> None:
    model = small_vit(img_size=(32, 48))
    assert proof.known_proof(model) is None
    found = proof.proof(model)
    assert found.holds
    assert proof.proof(model) is found
    assert proof.known_proof(replace(model, name="another name")) is found
    assert tested == [(1, 3, 32, 48)]


def test_another_size_and_another_network_are_tested_anew(tested: list[tuple[int, ...]]) -> None:
    model = replace(small_vit(), patch=None, attention=())
    other = replace(model, preprocess=Preprocess((32, 32), (0.0,) * 3, (0.5,) * 3))
    assert proof.proof(model) is proof.proof(other)
    proof.proof(small_vit(img_size=(16, 48)))
    proof.proof(small_vit())
    assert tested == [(1, 3, 32, 32), (1, 3, 16, 48), (1, 3, 32, 32)]


def test_it_does_not_keep_the_network() -> None:
    model = small_vit()
    proof.proof(model)
    net = weakref.ref(model.net)
    del model
    gc.collect()
    assert net() is None
