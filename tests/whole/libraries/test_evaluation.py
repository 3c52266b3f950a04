"""Deletion and insertion of an evaluation are those of a comparison."""

import math

import numpy as np
import pytest

import vizapp
from vizapp.data.evaluation import evaluate
from vizapp.data.report import table
from vizapp.data.statistics import MapKey
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS


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
