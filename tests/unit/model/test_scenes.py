"""The toy world is what every measurement of "does the map find the object" rests on: its masks must be right."""

import cv2
import numpy as np

from support.together import together
from vizapp.model.toy.scenes import Scene, render, sheet
from vizapp.model.toy.things import CLASSES


def same(a: Scene, b: Scene) -> bool:
    pairs = zip(a.objects, b.objects, strict=True)
    return np.array_equal(a.picture, b.picture) and all(np.array_equal(x.mask, y.mask) for x, y in pairs)


def test_a_seed_is_a_picture_and_knobs_do_what_they_say() -> None:
    """A data set is a range of seeds: nothing else may decide."""
    np.random.default_rng(0).random(10)
    assert same(render(7, objects=2), render(7, objects=2))
    assert not np.array_equal(render(7).picture, render(8).picture)
    assert [thing.label for thing in render(3, labels=[4, 0, 4]).objects] == [4, 0, 4]
    calm, busy = (render(0, clutter=c, grain=0, occlusion=0).picture for c in (0.0, 6.0))
    edges = [cv2.Laplacian(p, cv2.CV_32F).std() for p in (calm, busy)]
    assert edges[1] > edges[0]
    assert sheet(range(6), columns=3, size=40).shape == (80, 120, 3)


@together("label", range(len(CLASSES)))
def test_a_mask_lies_on_what_is_painted(label: int) -> None:
    """In bare surroundings, the pixels of the mask differ from those around it, in colour or in variety."""
    for seed in range(3):
        plain = {"clutter": 0, "occlusion": 0, "grain": 0}
        scene = render(seed, labels=[label], **plain)
        mask = scene.objects[0].mask
        near = cv2.dilate(mask.astype(np.uint8), np.ones((15, 15))).astype(bool) & ~mask
        inside, around = scene.picture[mask].astype(float), scene.picture[near].astype(float)
        assert scene.objects[0].label == label
        assert 0.02 < mask.mean() < 0.6
        assert np.abs(inside.mean(0) - around.mean(0)).max() > 8 or inside.std(0).max() > around.std(0).max()


def test_nothing_in_front_hides_more_than_a_third() -> None:
    """An object that cannot be seen would be a wrong label."""
    for seed in range(25):
        free, behind = (render(seed, occlusion=p).objects[0].mask.sum() for p in (0.0, 1.0))
        assert behind >= free * 2 / 3 - 1
