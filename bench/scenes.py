"""Rendering of the toy world: it must not be what training waits for."""

from itertools import count

from bench.measure import Result, repeated
from vizapp.model.toy.scenes import render


def measure(repeats: int) -> list[Result]:
    seeds = count()
    return [
        Result("render one scene of 112 x 112", "ms", repeated(lambda: render(next(seeds)), 10 * repeats)),
        Result("the same with four objects", "ms", repeated(lambda: render(next(seeds), objects=4), 10 * repeats)),
    ]
