"""Compare a map with chance: its place among random orders of the patches, by the area under deletion or insertion.

A permutation test (Phipson and Smyth 2010, https://doi.org/10.2202/1544-6115.1585) of one map on one picture. It says nothing
about other pictures, or whether one map is better than another.
"""

from collections.abc import Sequence

import numpy as np

from vizapp.core.measure import Measure
from vizapp.core.trust.faithfulness import DELETION, INSERTION, Curves
from vizapp.vocabulary import CHANCE_LEVEL

MEASURES = (DELETION, INSERTION)  # of curves, in the order of `Curves.areas`


def loss(one: Curves, measure: Measure) -> float:
    """Return the area with the sign that makes lower values better."""
    return float(_lower(np.array(one.areas[MEASURES.index(measure)]), measure))


def as_good(own: Curves, chance: np.ndarray, measure: Measure) -> int:
    """Count the random orders that are as good as a map, or better: `chance` (orders,) are their areas at `coarse` points."""
    return int((_lower(chance, measure) <= loss(own.coarse, measure)).sum())


def beats(as_good: int, orders: int) -> bool:
    """Tell whether a map with `as_good` random orders is in the best twentieth of itself and `orders` of them (at least 19)."""
    return (1 + as_good) / (1 + orders) <= CHANCE_LEVEL


def is_lost(own: Sequence[Curves], drawn: Sequence[Curves], orders: int) -> bool:
    """Tell whether so many random orders were as good as each map that none can be better than chance with all `orders`.

    False if `orders` are too few for any map: then nothing is decided, and all are needed.
    """
    areas = np.array([one.areas for one in drawn]).reshape(-1, len(MEASURES)).T
    met = [as_good(one, chance, measure) for one in own for measure, chance in zip(MEASURES, areas, strict=True)]
    return bool(met) and beats(0, orders) and not beats(min(met), orders)


def mean_of(some: Sequence[Curves]) -> Curves:
    """Take the mean of curves with the same points."""
    if len(some) == 1:
        return some[0]
    deletion, insertion = (np.mean([getattr(one, name) for one in some], 0) for name in ("deletion", "insertion"))
    return Curves(some[0].share, deletion, insertion)


def _lower(areas: np.ndarray, measure: Measure) -> np.ndarray:
    return areas if measure.direction == "lower" else -areas
