"""Means with 95 % intervals, and the running sums that they come from: pure numbers, nothing of networks or pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

FEW = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)  # see `student`
NOTHING: dict[str, Any] = {
    "count": 0,
    "maps": [],
    "names": [],
    "sums": 0,
    "squares": 0,
    "counts": 0,
    "area": [0, 0, 0],
    "hits": 0,
}


@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f}"


@dataclass(frozen=True)
class MapKey:
    """Which map: a method, with its layer and head (from 0) if it has any; head None: all, fused."""

    method: str
    layer: int | None = None
    head: int | None = None

    def __str__(self) -> str:
        return self.counted_from(0)

    def counted_from(self, first: int) -> str:
        """In words; layers and heads are counted from 0 in code and on the command line, from 1 on the page and on cards."""
        parts = [self.method]
        if self.layer is not None:
            parts.append(f"layer {self.layer + first}")
        if self.head is not None:
            parts.append(f"head {self.head + first}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Evaluation:
    """What one model did with the first `count` pictures of one lesson set, or of a folder.

    accuracy  share of right answers (of two objects: both are the two best classes); None if it knows other classes
    area      share of what the model sees that is object: what a uniform map has for energy; NaN where no object is known
    known     how many of the pictures show an object whose place is known; measures of finding it rest on these
    scores    map -> metric -> mean over pictures; metrics of the mark of the shortcut lesson are called "energy on the mark" ...
    """

    model: str
    lesson: str
    count: int
    accuracy: Interval | None
    area: Interval
    scores: Mapping[MapKey, Mapping[str, Interval]]
    known: int

    def __getitem__(self, seen: MapKey) -> Mapping[str, Interval]:
        return self.scores[seen]

    @property
    def fused(self) -> dict[MapKey, Mapping[str, Interval]]:
        """Everything but single heads."""
        return {seen: scores for seen, scores in self.scores.items() if seen.head is None}

    def best_head(self, metric: str = "energy") -> MapKey | None:
        """The head with the largest mean, picked on these very pictures; None if no method has heads."""
        heads = [seen for seen in self.scores if seen.head is not None]
        return max(heads, key=lambda seen: self.scores[seen][metric].mean, default=None)


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found on one picture.

    scores  measure -> (maps,), NaN where a map has none
    maps    which map each of these numbers belongs to
    area    share of what the model sees that is object; None where that is not known
    hit     was the model's answer right?
    """

    scores: Mapping[str, np.ndarray]
    maps: list[MapKey]
    area: float | None
    hit: bool


class RunningStats:
    """Sums over pictures, from which the means and intervals come; small enough to be written every few seconds."""

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        content = content or NOTHING
        self.count, self.hits = int(content["count"]), int(content["hits"])
        self.maps = [MapKey(**seen) for seen in content["maps"]]
        self.names = list(content["names"])
        self.sums, self.squares, self.counts, self._area = (
            np.array(content[key], float) for key in ("sums", "squares", "counts", "area")
        )

    def content(self) -> dict[str, Any]:
        """As JSON takes it."""
        arrays = {"sums": self.sums, "squares": self.squares, "counts": self.counts, "area": self._area}
        maps = [asdict(seen) for seen in self.maps]
        return {"count": self.count, "hits": self.hits, "names": self.names, "maps": maps} | {
            name: array.tolist() for name, array in arrays.items()
        }

    def add(self, answer: Answer) -> None:
        """Add one picture."""
        self.maps, self.names = answer.maps, list(answer.scores)
        table = np.stack(list(answer.scores.values()), 1)  # (maps, measures)
        self.counts = self.counts + np.isfinite(table)
        table = np.nan_to_num(table)
        self.sums, self.squares = self.sums + table, self.squares + table**2
        if answer.area is not None:
            self._area += 1, answer.area, answer.area**2
        self.count, self.hits = self.count + 1, self.hits + answer.hit

    def intervals(self, is_hit: Callable[[str], bool]) -> dict[MapKey, dict[str, Interval]]:
        """Map -> measure -> its mean over pictures; `is_hit`: does this measure give 1 or 0 for a picture?"""
        return {
            seen: {name: self._interval(i, j, is_hit(name)) for j, name in enumerate(self.names)}
            for i, seen in enumerate(self.maps)
        }

    def _interval(self, i: int, j: int, is_hit: bool) -> Interval:
        count, total, squares = (float(one[i, j]) for one in (self.counts, self.sums, self.squares))
        if count == 0:
            return Interval(math.nan, math.nan, math.nan)
        return wilson(total, count) if is_hit else _mean(count, total, squares)

    @property
    def accuracy(self) -> Interval:
        """The share of right answers."""
        return wilson(self.hits, self.count)

    @property
    def area(self) -> Interval:
        """The share of a picture that is object, over those pictures where it is known; NaN without any."""
        return _mean(*self._area)

    @property
    def known(self) -> int:
        """On how many pictures the object's place is known."""
        return int(self._area[0])


def wilson(hits: float, count: float, z: float = 1.96) -> Interval:
    """95 % interval of a share (Wilson 1927), which stays within 0 and 1."""
    share, shrink = hits / count, 1 + z**2 / count
    middle = (share + z**2 / (2 * count)) / shrink
    half = z * math.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / shrink
    return Interval(share, middle - half, middle + half)


def mean_of(values: np.ndarray) -> Interval:
    """The mean of some values (n,), with the 95 % interval of Student's t."""
    return _mean(len(values), float(values.sum()), float((values**2).sum()))


def _mean(count: float, total: float, squares: float) -> Interval:
    mean = total / count if count else math.nan
    if count < 2:
        return Interval(mean, math.nan, math.nan)
    spread = max(0.0, squares / count - mean**2) * count / max(count - 1, 1)
    half = student(round(count) - 1) * math.sqrt(spread / count)
    return Interval(mean, mean - half, mean + half)


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; for more than 12 degrees of freedom by Cornish and Fisher (1937)."""
    if freedom <= len(FEW):
        return FEW[freedom - 1]
    z = 1.959964
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2
