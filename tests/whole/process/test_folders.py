"""Folders of pictures, evaluated."""

from pathlib import Path

import pytest

import vizapp
from support.evaluations import METHODS, scores
from support.folders import fill
from vizapp.data.evaluation import evaluate
from vizapp.data.statistics import MapKey


def test_with_masks_it_is_as_a_lesson_of_the_same_pictures(tmp_path: Path) -> None:
    toy = vizapp.load("toy", "cpu")
    lesson = evaluate(toy, "one", methods=METHODS, count=3, steps=2)
    folder = evaluate(toy, str(fill(tmp_path / "photos")), methods=METHODS, steps=2)
    assert scores(folder) == pytest.approx(scores(lesson))
    assert folder.area == lesson.area
    assert (folder.count, folder.accuracy) == (3, None)


def test_pictures_without_a_mask_have_no_part_in_what_needs_one(tmp_path: Path) -> None:
    toy = vizapp.load("toy", "cpu")
    some = evaluate(toy, str(fill(tmp_path / "some", masks=lambda number: number < 2)), methods=METHODS, steps=2)
    first = evaluate(toy, "one", methods=METHODS, count=2)
    every = evaluate(toy, "one", methods=METHODS, count=3, steps=2)
    assert scores(some, skip=("deletion", "insertion")) == pytest.approx(scores(first))
    for name in ("deletion", "insertion"):
        assert some[MapKey("chefer")][name].mean == pytest.approx(every[MapKey("chefer")][name].mean)
