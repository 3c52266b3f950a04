"""Scenes and lessons, counted over many pictures."""

import cv2
import numpy as np

from support.together import together
from vizapp.model.toy.lessons import LESSONS
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
