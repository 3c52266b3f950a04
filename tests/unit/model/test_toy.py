"""The toy world: its masks and its answers are right, and nothing but what a lesson asks gives them away."""

import cv2
import numpy as np

from support.together import together
from vizapp.model.toy.lessons import HELD_OUT, LESSONS, SIZE, Lesson, bar_code
from vizapp.model.toy.scenes import Scene, render
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


EACH = together("lesson", LESSONS.values())


@EACH
def test_an_example_is_a_number_and_its_truth_fits_the_picture(lesson: Lesson) -> None:
    one, again, other = lesson.example(3), lesson.example(3), lesson.example(4)
    assert np.array_equal(one.picture, again.picture)
    assert one.answers == again.answers
    assert not np.array_equal(one.picture, other.picture)
    for number in range(10):
        example = lesson.example(number)
        assert example.picture.shape == (SIZE, SIZE, 3)
        assert example.picture.dtype == np.uint8
        assert example.truth.shape == (SIZE, SIZE)
        assert 0 < example.truth.mean() < 0.7
        assert all(0 <= answer < len(lesson.classes) for answer in example.answers)


def test_held_out_pictures_and_bar_codes_are_ones_own() -> None:
    starts = sorted(lesson.first for lesson in LESSONS.values())
    assert min(np.diff(starts)) >= 1_000_000
    assert starts[0] + HELD_OUT >= 1_000_000_000
    codes = [bar_code(label, 16) for label in range(len(CLASSES))]
    assert len({code.tobytes() for code in codes}) == len(CLASSES)
    assert all(np.array_equal(code, code[:, ::-1]) for code in codes)


def test_one_object_stands_alone_and_two_are_of_two_kinds() -> None:
    for number in range(10):
        example = LESSONS["one"].example(number)
        assert len(example.objects) == 1
        assert example.answers == (example.objects[0].label,)
    for number in range(10):
        example = LESSONS["two"].example(number)
        assert example.answers == tuple(thing.label for thing in example.objects)
        assert len(set(example.answers)) == 2


def test_the_mark_tells_the_class_and_hides_little() -> None:
    for number in range(24):
        example = LESSONS["shortcut"].example(number)
        assert example.mark is not None
        side = round(example.mark.sum() ** 0.5)
        assert side == SIZE // 7
        code = example.picture[example.mark].reshape(side, side, 3)
        bits = code[side // 8 :: side // 4, 0, 0][:4] > 127
        assert sum(int(bit) << i for i, bit in enumerate(bits)) - 1 == example.answers[0]
        assert not (example.truth & example.mark).any()
        corner = np.flatnonzero(example.mark.any(0))[[0, -1]], np.flatnonzero(example.mark.any(1))[[0, -1]]
        assert all(0 in edge or SIZE - 1 in edge for edge in corner)
