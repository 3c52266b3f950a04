"""A lesson is only worth something if its answers are right, and if nothing but what it asks gives them away."""

import numpy as np

from support.together import together
from vizapp.model.toy.lessons import HELD_OUT, LESSONS, SIZE, Lesson, bar_code
from vizapp.model.toy.things import CLASSES

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
