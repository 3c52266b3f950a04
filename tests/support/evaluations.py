"""Folders of pictures, results of evaluations and of measurements, beside each other."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

import vizapp
from vizapp.analysis import Analysis, Truth
from vizapp.data.statistics import Evaluation
from vizapp.model.toy.lessons import LESSONS

METHODS = ("rollout", "chefer")


def silent(part: str, done: int, of: int) -> None: ...


def alike(one: list[dict], other: list[dict]) -> bool:
    """NaN is NaN."""
    return json.dumps(one) == json.dumps(other)


def scores(result: Evaluation, skip: tuple[str, ...] = ()) -> dict[tuple[str, str], float]:
    return {
        (str(seen), name): one.mean
        for seen, own in result.scores.items()
        for name, one in own.items()
        if name not in skip
    }


def fill(folder: Path, count: int = 3, masks: Callable[[int], bool] = lambda number: True) -> Path:
    """The first pictures of "one", as files that lose nothing."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        example = LESSONS["one"].example(number)
        Image.fromarray(example.picture).save(folder / f"{number}.png")
        if masks(number):
            Image.fromarray(example.truth.astype(np.uint8) * 255).save(folder / f"{number}.mask.png")
    return folder


def seen_clutter() -> Analysis:
    """A cluttered lesson, with its truth."""
    example = LESSONS["clutter"].example(5, 112)
    return vizapp.analyse("toy", example.picture, truth=[Truth("the thing", example.truth)])
