"""Metrics on maps whose score is known, and beside slow replicas that follow the words of their docstrings."""

import itertools
import math
from typing import get_args

import numpy as np
import pytest

from support.together import together
from vizapp.core.measure import Better, Format
from vizapp.core.metrics import Metric, cover, metric_named, metrics
from vizapp.errors import VizError

EACH = together("metric", metrics().values())
GRID, PATCH = (5, 7), (4, 8)  # neither is square


@pytest.fixture
def aligned() -> np.ndarray:
    """Six whole patches: (h, w) bool."""
    patches = np.zeros(GRID, bool)
    patches[1:3, 2:5] = True
    return np.kron(patches, np.ones(PATCH)).astype(bool)


def masks() -> list[np.ndarray]:
    """Objects whose edges cut through patches, one of them smaller than half a patch."""
    y, x = np.mgrid[: GRID[0] * PATCH[0], : GRID[1] * PATCH[1]]
    discs = [(x - cx) ** 2 + (y - cy) ** 2 < r * r for cx, cy, r in ((20, 9, 7), (41, 3, 9), (10.5, 12.5, 1.8))]
    return [disc.astype(bool) for disc in discs]


def test_there_is_what_the_docs_promise() -> None:
    assert list(metrics()) == ["energy", "lift", "auc", "iou", "pointing", "pointing_near"], (
        "in the order of their columns"
    )
    with pytest.raises(VizError, match="no metric 'dice'"):
        metric_named("dice")
    with pytest.raises(VizError, match=r"Did you mean pointing_near, pointing\? There are: energy"):
        metric_named("pointing_nea")


# Planted cases.

PERFECT = {"lift": 35 / 6}
INVERSE = {"iou": 6 / 35}  # its lowest threshold takes the whole picture
UNIFORM = {"auc": 0.5, "lift": 1.0, "pointing_near": 12 * 32 / (20 * 56)}


@EACH
def test_a_map_that_is_the_object_gets_one(metric: Metric, aligned: np.ndarray) -> None:
    assert metric(cover(aligned, GRID), aligned) == pytest.approx(PERFECT.get(metric.name, 1.0))


@EACH
def test_its_inverse_gets_nothing(metric: Metric, aligned: np.ndarray) -> None:
    """Two patches beside the object are dark, too: the brightest pixel may not be right beside it."""
    inverse = 1 - cover(aligned, GRID)
    inverse[0:4, 1:6] = np.minimum(inverse[0:4, 1:6], 0.5)
    assert metric(inverse, aligned) == pytest.approx(INVERSE.get(metric.name, 0.0))


@EACH
def test_a_uniform_map_gets_the_area(metric: Metric, aligned: np.ndarray) -> None:
    for level in (0.0, 1 / 35, 3.0):
        assert metric(np.full(GRID, level), aligned) == pytest.approx(UNIFORM.get(metric.name, 6 / 35))


# Replicas.


def pointing(scores: np.ndarray, mask: np.ndarray) -> float:
    height, width = mask.shape[0] / scores.shape[0], mask.shape[1] / scores.shape[1]
    found = []
    for row, col in np.argwhere(scores >= scores.max() * (1 - 1e-9)):
        y, x = (row + 0.5) * height - 0.5, (col + 0.5) * width - 0.5
        around = [(a, b) for a in (math.floor(y), math.ceil(y)) for b in (math.floor(x), math.ceil(x))]
        found.append(np.mean([mask[at] for at in around]))
    return float(np.mean(found))


def pointing_near(scores: np.ndarray, mask: np.ndarray) -> float:
    near = np.zeros_like(mask)
    for y, x in np.argwhere(mask):
        near[max(0, y - PATCH[0] // 2) : y + PATCH[0] // 2 + 1, max(0, x - PATCH[1] // 2) : x + PATCH[1] // 2 + 1] = (
            True
        )
    return pointing(scores, near)


def patches(scores: np.ndarray, mask: np.ndarray) -> list[tuple[float, float]]:
    """(score, share of object) of each patch."""
    pairs = []
    for r, c in np.ndindex(GRID):
        part = mask[r * PATCH[0] : (r + 1) * PATCH[0], c * PATCH[1] : (c + 1) * PATCH[1]]
        pairs.append((float(scores[r, c]), float(part.mean())))
    return pairs


def energy(scores: np.ndarray, mask: np.ndarray) -> float:
    total = sum(max(0.0, score) for score, _ in patches(scores, mask))
    return sum(max(0.0, score) * share for score, share in patches(scores, mask)) / total


def lift(scores: np.ndarray, mask: np.ndarray) -> float:
    return energy(scores, mask) / float(mask.mean())


def auc(scores: np.ndarray, mask: np.ndarray) -> float:
    both = patches(scores, mask)
    limit = min(0.5, max(share for _, share in both))
    on = [score for score, share in both if share >= limit]
    off = [score for score, share in both if share < limit]
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in itertools.product(on, off)]
    return sum(wins) / len(wins)


def iou(scores: np.ndarray, mask: np.ndarray) -> float:
    """Painted in pixels, at every threshold that makes a difference."""
    best = 0.0
    for threshold in np.unique(scores):
        drawn = np.kron(scores >= threshold, np.ones(PATCH)).astype(bool)
        best = max(best, (drawn & mask).sum() / (drawn | mask).sum())
    return best


REPLICAS = {f.__name__: f for f in (pointing, pointing_near, energy, lift, auc, iou)}


@EACH
@together("mask", masks())
def test_it_is_its_replica(metric: Metric, mask: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((6, *GRID))
    scores[3:] = scores[3:].round(1)  # equals
    scores[5] -= 0.5  # negative relevance
    expected = [REPLICAS[metric.name](one, mask) for one in scores]
    assert metric(scores, mask) == pytest.approx(expected, abs=1e-9)
    assert metric(scores.reshape(2, 3, *GRID), mask).shape == (2, 3)


# What every metric says of itself, and refuses.


@EACH
def test_what_cannot_be_compared_is_refused(metric: Metric, aligned: np.ndarray) -> None:
    scores = np.ones(GRID)
    with pytest.raises(VizError, match="cannot be cut"):
        metric(scores, aligned[:-1])
    with pytest.raises(VizError, match="covers none"):
        metric(scores, np.zeros_like(aligned))
    with pytest.raises(VizError, match="covers all"):
        metric(scores, np.ones_like(aligned))
    with pytest.raises(VizError, match="bool"):
        metric(scores, aligned.astype(float))
    with pytest.raises(VizError, match="no numbers"):
        metric(np.full(GRID, np.nan), aligned)


@EACH
def test_what_a_metric_says_of_itself(metric: Metric) -> None:
    assert all((metric.title, metric.sentence, metric.short, metric.choice, metric.paper, metric.uninformed))
    assert metric.direction in get_args(Better)
    assert metric.format in get_args(Format)


def test_pointing_has_no_favourite_patch() -> None:
    """The bilinearly enlarged map is brightest at the border far too often: this one points where its best patch is."""
    random, hits = np.random.default_rng(0), np.zeros(GRID)
    for scores in random.random((400, *GRID)):
        best = np.unravel_index(scores.argmax(), GRID)
        mask = np.zeros((GRID[0] * PATCH[0], GRID[1] * PATCH[1]), bool)
        mask[best[0] * PATCH[0] : (best[0] + 1) * PATCH[0], best[1] * PATCH[1] : (best[1] + 1) * PATCH[1]] = True
        hits[best] += metrics()["pointing"](scores, mask) == 1
    assert hits.sum() == 400
