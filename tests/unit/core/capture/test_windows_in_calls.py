"""Windows that a network computes one after the other, of one size or several, are one layer, each patch at its own place."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import vizapp
from support.window_calls import Tower, in_one_call, maps_of, pixels_of, tower
from vizapp.analysis import Analysis
from vizapp.analysis.record import hidden_in_words
from vizapp.core.attention.hidden import hidden_keys
from vizapp.core.signals.steps import steps_to
from vizapp.errors import VizError


def seen_by(net: Tower) -> Analysis:
    return vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"))


@pytest.fixture(scope="module")
def ragged() -> tuple[Tower, Analysis]:
    """6 x 6 patches: windows of 16, 8, 8 and 4; the second block attends to all."""
    net = tower()
    assert net.lengths == [16, 8, 8, 4]
    return net, seen_by(net)


def assert_true(net: Tower, seen: Analysis) -> None:
    expected = maps_of(net, pixels_of(net))
    assert [layer.n_windows for layer in seen.trace.layers] == [
        1 if number in net.full else len(net.lengths) for number in range(len(net.order))
    ]
    for layer, map_ in zip(seen.trace.layers, expected, strict=True):
        np.testing.assert_allclose(layer.map(), map_, rtol=0, atol=1e-9)
        hidden = hidden_keys(layer)
        assert torch.equal(torch.zeros(map_.shape[1:]).bool() if hidden is None else hidden, (map_ == 0).all(0))
    assert not seen.trace.no_chain
    joint = np.eye(net.n**2)
    for map_ in expected:
        joint = (0.5 * np.eye(net.n**2) + 0.5 * map_.mean(0).numpy()) @ joint
    for query in ("0,0", "mean"):
        row = joint[0] if query == "0,0" else joint.mean(0)
        np.testing.assert_allclose(vizapp.explain(seen, "rollout", query=query).scores.ravel(), row, atol=1e-9)


def test_ragged_windows_are_one_layer(ragged: tuple[Tower, Analysis]) -> None:
    net, seen = ragged
    assert_true(net, seen)
    assert seen.trace.layout.grid == (6, 6)
    assert [entry.among for entry in seen.ledger.entries] == ["layers"] * 2
    assert not seen.trace.notes


@pytest.mark.parametrize("how", ["spelled", "biased"])
def test_whatever_a_window_does(how: str) -> None:
    net = tower(full=(), blocks=1, how=how)
    assert_true(net, seen_by(net))


def test_windows_of_one_size() -> None:
    net = tower(n=8, blocks=1, full=())
    assert len(set(net.lengths)) == 1
    assert_true(net, seen_by(net))


def test_one_block_that_runs_twice() -> None:
    """Its second run asks for the same patches once more: two layers."""
    net = tower(blocks=1, full=())
    net.order = [0, 0]
    seen = seen_by(net)
    assert_true(net, seen)
    assert [layer.name for layer in seen.trace.layers] == ["blocks.0.attn", "blocks.0.attn#4"]


def test_the_mask_of_one_call_says_the_same(ragged: tuple[Tower, Analysis]) -> None:
    """With the windows as a mask: the same maps, the same hidden patches, the same methods by gradients."""
    net, seen = ragged
    other = seen_by(in_one_call(net))
    for one, same in zip(seen.trace.layers, other.trace.layers, strict=True):
        np.testing.assert_allclose(one.map(), same.map(), rtol=0, atol=1e-12)
    for name in ("chefer", "transformer_attribution", "gradient_attention", "attention"):
        found, expected = (
            vizapp.explain(each, name, layer=0) if name == "attention" else vizapp.explain(each, name)
            for each in (seen, other)
        )
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-6, atol=1e-12, err_msg=name)
    found, expected = (vizapp.explain(each, "attention", layer=0, query="5,0").hidden for each in (seen, other))
    np.testing.assert_array_equal(found, expected)
    assert found.sum() == 36 - 8
    assert "mask" not in hidden_in_words(seen, vizapp.explain(seen, "attention", layer=0, query="5,0")), (
        "fillings are none"
    )


def test_several_pictures_at_once(ragged: tuple[Tower, Analysis]) -> None:
    net, _ = ragged
    pictures = pixels_of(net, 2)
    several = vizapp.analyse_many(net, list(pictures.split(1)), labels=("a", "b", "c"), batch=2)
    for picture, seen in zip(pictures, several, strict=True):
        for layer, map_ in zip(seen.trace.layers, maps_of(net, picture[None]), strict=True):
            np.testing.assert_allclose(layer.map(), map_, rtol=0, atol=1e-9)


def test_the_self_test_finds_it_exact(ragged: tuple[Tower, Analysis]) -> None:
    net, _ = ragged
    assert vizapp.check(net, pixels_of(net)).verdict == "exact"


def test_what_is_not_followed_is_refused_in_words(ragged: tuple[Tower, Analysis]) -> None:
    net, seen = ragged
    for name in ("value_attention", "value_rollout", "alti"):
        with pytest.raises(VizError, match="computes its windows one after the other"):
            vizapp.explain(seen, name)
    network = seen.context.ready()
    with pytest.raises(VizError, match="windows one after the other: its steps"):
        steps_to(network.model, network.pixels, seen.trace, 0, 0, 0)
    with pytest.raises(VizError, match="windows one after the other, and an edit"):
        vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"), edits=["head-off:0.1"])
    edited = vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"), edits=["head-off:1.1"])
    assert not torch.equal(edited.trace.logits, seen.trace.logits), "a layer of one call can be edited"


@pytest.mark.parametrize("how", ["swapped", "parted", "turned"])
def test_windows_that_are_put_elsewhere_are_refused(how: str) -> None:
    with pytest.raises(VizError, match="the order of its tokens, or of what it gives, is not understood"):
        seen_by(tower(how=how, full=()))


def test_a_layer_of_windows_that_are_put_elsewhere_is_set_aside() -> None:
    seen = seen_by(tower(how="swapped"))
    assert [layer.name for layer in seen.trace.layers] == ["blocks.1.attn"]
    assert seen.trace.no_chain
