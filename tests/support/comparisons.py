"""A map is judged by its percentile among random orders."""

import vizapp
from vizapp.analysis import Analysis, Truth
from vizapp.model.toy.lessons import LESSONS


def seen_clutter() -> Analysis:
    """A cluttered lesson, with its truth."""
    example = LESSONS["clutter"].example(5, 112)
    return vizapp.analyse("toy", example.picture, truth=[Truth("the thing", example.truth)])
