"""Methods that look at pixels, attention flow, and baselines: slow replicas beside those of test_references.py, planted cases."""

from collections import deque

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.networks import OnePatch, pixels_for, planted, small_vit
from support.slow_replicas import context, double, tokens_of
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.methods.rise import random_masks
from vizapp.core.signals.patches import cells_of
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
pytest.importorskip("scipy", reason="scipy is an extra: pip install vizapp[methods]")

TARGET = 1


@pytest.fixture
def one_patch() -> ExplainContext:
    torch.manual_seed(0)
    model = describe(OnePatch(9, 20.0).eval(), preprocess=Preprocess(size=(32, 32)), labels=("a", "b", "c"))
    seen = context(model, pixels_for(model))
    return seen.of(int(seen.trace.logits.argmax()))


@pytest.fixture
def vit() -> ExplainContext:
    return double(small_vit(), TARGET)


@pytest.mark.parametrize("name", ["input_gradient", "integrated_gradients", "smooth_grad", "occlusion", "attn_lrp"])
def test_the_patch_that_decides_takes_it_all(one_patch: ExplainContext, name: str) -> None:
    scores = np.abs(method_named(name)(one_patch).scores)
    assert np.argwhere(scores > 1e-4 * scores.max()).tolist() == [[2, 1]]


def test_rise_finds_the_patch_that_decides(one_patch: ExplainContext) -> None:
    scores = method_named("rise")(one_patch, masks=2000, cells=4).scores
    assert np.unravel_index(scores.argmax(), scores.shape) == (2, 1)
    masks = random_masks(2000, (32, 48), 5, 0.3, torch.Generator().manual_seed(0))
    assert masks.shape == (2000, 1, 32, 48)
    assert (float(masks.min()), float(masks.max())) == (0, pytest.approx(1))
    assert float((masks.mean((0, 1)) - 0.3).abs().max()) < 0.05  # no place is favoured


def sums(values: torch.Tensor) -> np.ndarray:
    """(3, 32, 32) -> (4, 4), patch by patch."""
    return values.sum(0).unflatten(1, (4, 8)).unflatten(0, (4, 8)).sum((1, 3)).numpy()


def test_smooth_grad_is_the_length_of_a_mean_gradient(vit: ExplainContext) -> None:
    """Without noise all copies are one; with noise, the mean of many does not depend on the seed. Its default is the paper's."""
    with torch.enable_grad():
        pixels = vit.pixels.clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(vit.model.net(pixels)[0, TARGET], pixels)
    expected = sums(slope[0].abs())
    found = method_named("smooth_grad")(vit, noise=0.0).scores
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    one, other = (method_named("smooth_grad")(vit, samples=400, noise=0.05, seed=seed).scores for seed in (1, 2))
    assert np.abs(one - other).max() < 0.1 * one.max()
    assert np.abs(one - expected).max() > 0.01 * expected.max()
    copies: list[torch.Tensor] = []
    vit.model.net.register_forward_pre_hook(lambda _, given: copies.append(given[0].detach()))
    method_named("smooth_grad")(vit)
    stray = (torch.cat(copies) - vit.pixels).std() / (vit.pixels.max() - vit.pixels.min())
    assert float(stray) == pytest.approx(0.15, rel=0.01)  # the paper: 10 % to 20 % of the range


def test_rise_equals_equation_6(vit: ExplainContext) -> None:
    """S = 1 / (N p) sum_i f(I * M_i) M_i, one mask after the other."""
    masks = random_masks(16, (32, 32), 5, 0.4, torch.Generator().manual_seed(7))
    expected = torch.zeros(32, 32, dtype=torch.float64)
    for mask in masks:
        expected += vit.model.net(vit.pixels * mask.double()).softmax(-1)[0, TARGET] * mask[0] / (16 * 0.4)
    found = method_named("rise")(vit, masks=16, cells=5, keep=0.4, seed=7).scores
    np.testing.assert_allclose(found, sums(expected[None]) / 64, rtol=1e-5)


# --------------------------------------------------------------------------------------------------- attention flow


def widest(capacity: np.ndarray, source: int, sink: int) -> float:
    """Edmonds & Karp, as textbooks have it: shortest paths with room left, until there is none."""
    left, flow = capacity.copy(), 0.0
    while True:
        before, waiting = {source: source}, deque([source])
        while waiting and sink not in before:
            node = waiting.popleft()
            for other in np.flatnonzero(left[node] > 1e-9):
                if int(other) not in before:
                    before[int(other)] = node
                    waiting.append(int(other))
        if sink not in before:
            return flow
        path, node = [], sink
        while node != source:
            path.append((before[node], node))
            node = before[node]
        room = min(left[edge] for edge in path)
        for a, b in path:
            left[a, b] -= room
            left[b, a] += room
        flow += room


@pytest.mark.parametrize("query", ["cls", "1,0"])
def test_attention_flow_equals_the_textbook(vit: ExplainContext, query: str) -> None:
    maps = [0.3 * np.eye(17) + 0.7 * layer.map().mean(0).numpy() for layer in vit.trace.layers]
    whole = np.zeros((17 * 4, 17 * 4))
    for depth, matrix in enumerate(reversed(maps)):  # node of token i after layer l: (3 - l) * 17 + i
        whole[17 * depth : 17 * depth + 17, 17 * depth + 17 : 17 * depth + 34] = matrix
    source = int(vit.trace.query(query).argmax())
    expected = [widest(whole, source, 17 * 3 + token) for token in range(17)]
    found = method_named("attention_flow")(vit, query, skip_weight=0.3)
    np.testing.assert_allclose(tokens_of(found), expected, atol=1e-5)


def test_a_narrow_pipe_limits_the_flow_and_a_large_network_is_refused() -> None:
    """Planted: CLS looks at patch 3 with 0.6; patch 3 looks at patch 1 with 0.2 and at itself with 0.8."""
    first, second = torch.eye(5)[None].clone(), torch.eye(5)[None].clone()
    second[0, 0] = torch.tensor([0.4, 0, 0, 0, 0.6])
    first[0, 4] = torch.tensor([0.0, 0, 0.2, 0, 0.8])
    found = method_named("attention_flow")(planted(first, second), "cls", skip_weight=0.0)
    np.testing.assert_allclose(found.scores, [[0, 0.2], [0, 0.6]], atol=1e-6)
    assert found.on_prefix["cls"] == pytest.approx(0.4)
    matrix = torch.full((1, 2501, 2501), 1 / 2501)
    with pytest.raises(VizError, match="too many for the maximum flow"):
        method_named("attention_flow")(planted(matrix, grid=(50, 50)))


# -------------------------------------------------------------------------------------------------------- baselines


def test_baselines_have_not_seen_the_picture(vit: ExplainContext) -> None:
    other = context(vit.model, pixels_for(vit.model, seed=5))
    for name in ("random", "centre"):
        np.testing.assert_array_equal(method_named(name)(vit).scores, method_named(name)(other).scores)
    assert np.abs(method_named("random")(vit).scores - method_named("random")(vit, seed=1).scores).max() > 0.1
    centre = method_named("centre")(vit).scores
    np.testing.assert_allclose(centre, centre[::-1, ::-1])
    assert centre[1, 1] > centre[0, 0]


def test_pixels_belong_to_the_patches_that_lie_on_them() -> None:
    """PiT's patches overlap: eleven of them, eight pixels apart, lie around the middle of 96."""
    seen = vizapp.analyse(timm.create_model("pit_ti_224", img_size=96).eval(), np.zeros((96, 96, 3), np.uint8))
    first = seen.trace[:2]  # before any are pooled
    assert first.layout.grid == (11, 11)
    assert cells_of(seen.context.model, seen.context.pixels, first).window == ((4, 4), (88, 88))
