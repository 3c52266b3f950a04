"""Counted over many pictures of the toy world: scenes, evaluations, random orders, and things that are taught."""

import math

import cv2
import numpy as np
import pytest

import vizapp
from support.evaluations import seen_clutter
from support.networks import described_timm, small_vit
from support.pictures import NOISE
from support.taught import MARKS, NO_RULE, cover
from support.together import together
from vizapp.analysis import Analysis
from vizapp.core.methods import methods
from vizapp.core.trust.faithfulness import DELETION, FINE, INSERTION, curves
from vizapp.data.evaluation import evaluate
from vizapp.data.report import table
from vizapp.data.statistics import MapKey
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import HELD_OUT, LESSONS
from vizapp.model.toy.scenes import render
from vizapp.model.toy.things import CLASSES


@together("objects", [1, 2, 3, 4])
@together("size", [32, 112])
def test_objects_are_where_their_masks_and_boxes_say(size: int, objects: int) -> None:
    for seed in range(4):
        scene = render(seed, size=size, objects=objects)
        assert scene.picture.shape == (size, size, 3)
        assert scene.picture.dtype == np.uint8
        labels = [thing.label for thing in scene.objects]
        assert len(set(labels)) == objects, "each object is of another class"
        assert all(0 <= label < len(CLASSES) for label in labels)
        assert np.sum([thing.mask for thing in scene.objects], axis=0).max() == 1, "a pixel shows one object"
        for thing in scene.objects:
            assert thing.mask.shape == (size, size)
            assert thing.mask.dtype == bool
            x, y, width, height = cv2.boundingRect(thing.mask.astype(np.uint8))
            assert thing.box == (x, y, x + width, y + height)


def test_the_colour_does_not_give_the_class_away() -> None:
    """Half of the things have any colour: the mean colour of an object says its class little better than chance."""
    scenes = [render(seed, size=32) for seed in range(400)]
    colour = np.array([s.picture[s.objects[0].mask].mean(0) for s in scenes])
    label = np.array([s.objects[0].label for s in scenes])
    means = np.stack([colour[:250][label[:250] == k].mean(0) for k in range(len(CLASSES))])
    guess = np.linalg.norm(colour[250:, None] - means, axis=-1).argmin(1)
    assert (guess == label[250:]).mean() < 0.35


def test_the_relation_needs_both() -> None:
    """Each kind is as often first in a pair of a kind as in a pair of two kinds: one thing alone says nothing."""
    examples = [LESSONS["relation"].make(seed, 32) for seed in range(300)]
    for example in examples:
        first, second = (thing.label for thing in example.objects)
        assert example.answers == (int(first == second),)
    same = np.array([example.answers[0] for example in examples])
    kind = np.array([example.objects[0].label for example in examples])
    assert 0.4 < same.mean() < 0.6
    by_kind = [same[kind == k].mean() for k in range(len(CLASSES))]
    assert 0.2 < min(by_kind) < max(by_kind) < 0.8


def test_deletion_and_insertion_are_those_of_a_comparison(toy: VisionModel) -> None:
    found = evaluate(toy, "clutter", methods=["attention", "chefer"], count=2, steps=4)
    areas = []
    for number in range(2):
        seen = vizapp.analyse(toy, LESSONS["clutter"].example(number).picture)
        areas.append(vizapp.compare(seen, ["chefer"], steps=4).curves["chefer"].areas)
    means = np.mean(areas, axis=0)
    assert (found[MapKey("chefer")]["deletion"].mean, found[MapKey("chefer")]["insertion"].mean) == pytest.approx(
        tuple(means)
    )
    assert math.isnan(found[MapKey("attention", 0, 0)]["deletion"].mean)
    assert "-" in table(found).splitlines()[-2]


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return seen_clutter()


def test_a_map_is_judged_by_its_percentile_among_random_orders(seen: Analysis) -> None:
    """Line by line: nineteen seeds measured one by one; what differs is never a range of a few of them."""
    found = vizapp.compare(seen, ["rollout", "chefer"], steps=FINE, orders=19)
    context = seen.of_class(None)
    args = context.model.net, context.pixels
    # Of FINE: what the first steps add to an area is too little to be paid nineteen times
    few = (0, 0.08, 0.16, 0.32, 0.64, 1)
    each = [
        curves(*args, vizapp.explain(seen, "random", seed=seed).scores, context.explained, few).areas
        for seed in range(19)
    ]
    assert found.orders == 19
    assert found.curves["random"].areas == pytest.approx(tuple(np.mean(each, 0)), abs=1e-5)
    rows = {row["method"]: row for row in found.rows()}
    for place, measure in enumerate((DELETION, INSERTION)):
        np.testing.assert_allclose(found.chance[measure.name], [one[place] for one in each], atol=1e-5)
        for name in ("rollout", "chefer", "centre"):
            own = curves(*args, found.maps[name].scores, context.explained, few).areas[place]
            worse = [one[place] > own if measure is DELETION else one[place] < own for one in each]
            assert found.beaten(name, measure) == rows[name][f"{measure.name} over random"] == np.mean(worse)
            assert found.beats_chance(name, measure) == all(worse)
    assert rows["random"]["deletion over random"] is None
    plain = vizapp.compare(seen, ["rollout"], steps=2)
    assert (plain.orders, dict(plain.chance)) == (1, {})
    assert "deletion over random" not in plain.rows()[0]
    assert list(plain.curves) == ["rollout", "random", "centre"]
    assert vizapp.compare(seen, ["rollout"], steps=1, orders=7).orders == 7, "too few for a verdict, so none ends early"


QUICK = {"rise": {"masks": 40}, "integrated_gradients": {"steps": 4}, "smooth_grad": {"samples": 2}}


def swin() -> VisionModel:
    options = {"img_size": 56, "depths": (1, 2), "num_heads": (2, 4), "embed_dim": 16}
    return described_timm("swin_tiny_patch4_window7_224", **options)


@pytest.mark.parametrize("name", ["registers", "Swin"])
def test_a_thing_is_a_class_for_every_method(name: str) -> None:
    seen = vizapp.analyse(small_vit(reg_tokens=2) if name == "registers" else swin(), NOISE)
    rows, cols = seen.trace.layouts(-1)[0].grid
    taught = vizapp.teach(seen, {"left": [(1, 0), (rows - 1, 0)], "right": [(1, cols - 1), (rows - 1, cols - 1)]})
    of_things = vizapp.analyse(taught.model, NOISE)
    shares = {thing: float(one.mean()) for thing, one in taught.labels(seen).shares.items()}
    assert dict(of_things.top(2)) == pytest.approx(shares, abs=1e-4)
    assert vizapp.check(taught.model, NOISE).holds
    wanted = [
        one
        for one, method in methods().items()
        if method.class_specific and one not in NO_RULE and (name == "registers" or one in ("chefer", "grad_cam"))
    ]
    for method in wanted:
        if method in {"cross_attention"}:
            continue  # of the plain network there is none, either
        left, right = (
            vizapp.explain(of_things, method, target=one, **QUICK.get(method, {})) for one in ("left", "right")
        )
        assert left.target == 0
        assert np.ptp(left.scores) > 0, method
        assert np.abs(left.scores - right.scores).max() > 0, method
    if name == "Swin":
        return
    curve = vizapp.compare(of_things, ["grad_cam"], target="left", steps=2).curves["grad_cam"]
    assert curve.deletion[0] == pytest.approx(shares["left"], abs=1e-4)


SCENES = 10


@pytest.mark.parametrize(("name", "least"), [("mean", 0.97), ("registers", 0.97)])
def test_one_patch_of_each_of_two_things_tells_their_others_apart(name: str, least: float) -> None:
    """Held-out scenes with two things. Marked: of each the patch that it covers most. Counted: all others that one covers by
    half or more. Measured over 60 scenes: toy 99.7 %, mean 99.1 %, registers 99.8 %; by chance it is 50 %. (crate: 70 %.)
    """
    right = total = 0
    for seed in range(SCENES):
        scene = render(HELD_OUT + 50_000 + seed, objects=2)
        seen = vizapp.analyse(name, scene.picture)
        grid = seen.trace.layout.grid
        covers = {one.name: cover(one.mask, grid) for one in scene.objects}
        best = {thing: np.unravel_index(one.argmax(), grid) for thing, one in covers.items()}
        labels = vizapp.teach(seen, {thing: [at] for thing, at in best.items()}).labels(seen)
        for number, (thing, one) in enumerate(covers.items()):
            counted = one >= 0.5
            counted[best[thing]] = False
            right += int((labels.nearest[counted] == number).sum())
            total += int(counted.sum())
    assert total > 50
    assert right / total >= least


def test_what_is_left_of_a_map_while_the_network_forgets() -> None:
    """Only the norm is learned after the last block; what is taught stays, as it is no part of the network."""
    taught = vizapp.teach(vizapp.analyse("toy", NOISE), MARKS)
    found = vizapp.sanity(vizapp.analyse(taught.model, NOISE), ["chefer"], target="thing")
    left = found.correlation["chefer"]
    assert len(left) == len(found.stages)
    assert np.isfinite(left).all()
    assert abs(left[-1]) < 0.9
