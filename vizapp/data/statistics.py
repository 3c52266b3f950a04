"""What was found on each picture, and the means over pictures: pure numbers, nothing of networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from vizapp.data.intervals import Interval, interval_of, wilson
from vizapp.errors import VizError


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
    answers   of each picture, for `rows`; those that could not be read among them, and in `skipped` with the reason
    network   which one it was (see `vizapp.analysis.provenance.of_model`)
    """

    model: str
    lesson: str
    count: int
    accuracy: Interval | None
    area: Interval
    scores: Mapping[MapKey, Mapping[str, Interval]]
    known: int
    answers: Sequence[Answer] = field(default=(), repr=False, compare=False)
    network: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def skipped(self) -> dict[str, str]:
        """Picture -> why it could not be read."""
        return skipped_of(self.answers)

    def rows(self) -> list[dict[str, Any]]:
        """One dict per picture and map, for paired tests: picture, method, layer, head, then a column per measure.

        And `right`, 1 or 0, where the model knows the classes: was its answer right?
        """
        told = self.accuracy is not None
        return [row | ({"right": int(answer.hit)} if told else {}) for answer in self.answers for row in answer.rows()]

    def __getitem__(self, key: MapKey) -> Mapping[str, Interval]:
        return self.scores[key]

    @property
    def fused(self) -> dict[MapKey, Mapping[str, Interval]]:
        """Everything but single heads."""
        return {key: scores for key, scores in self.scores.items() if key.head is None}

    def best_head(self, metric: str = "energy") -> MapKey | None:
        """The head with the largest mean, picked on these very pictures; None if no method has heads."""
        heads = [key for key in self.scores if key.head is not None]
        return max(heads, key=lambda key: self.scores[key][metric].mean, default=None)


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found on one picture.

    picture  its name in its set
    scores   measure -> (maps,), NaN where a map has none
    maps     which map each of these numbers belongs to
    area     share of what the model sees that is object; None where that is not known
    hit      was the model's answer right?
    skipped  why it could not be looked at, in words, and then there are no scores; "" where it was
    """

    picture: str
    scores: Mapping[str, np.ndarray]
    maps: Sequence[MapKey]
    area: float | None
    hit: bool
    skipped: str = ""

    def content(self) -> dict[str, Any]:
        """As JSON takes it; `of` reads it back, to the last bit."""
        maps = [(one.method, one.layer, one.head) for one in self.maps]
        scores = {name: values.tolist() for name, values in self.scores.items()}
        return {
            "picture": self.picture,
            "maps": maps,
            "scores": scores,
            "area": self.area,
            "hit": self.hit,
            "skipped": str(self.skipped),
        }

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Answer:
        """The answer whose `content` this is. Raises one of several errors of Python for what is none."""
        maps = [MapKey(str(name), *(None if one is None else int(one) for one in at)) for name, *at in content["maps"]]
        scores = {str(name): np.array(values, float) for name, values in content["scores"].items()}
        if any(one.shape != (len(maps),) for one in scores.values()):
            raise ValueError("every map has one number of each measure")
        area = None if content["area"] is None else float(content["area"])
        return cls(str(content["picture"]), scores, maps, area, bool(content["hit"]), str(content["skipped"]))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each map: picture, method, layer, head, then a column per measure."""
        for index, key in enumerate(self.maps):
            values = {name: float(column[index]) for name, column in self.scores.items()}
            yield {"picture": self.picture, **asdict(key), **values}


def skipped_of(answers: Iterable[Answer]) -> dict[str, str]:
    """Picture -> why it could not be looked at."""
    return {one.picture: one.skipped for one in answers if one.skipped}


class RunningStats:
    """Answers of the pictures so far, and their sums, from which the means and intervals come."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self.answers: list[Answer] = []
        self.count = self.hits = 0
        self.maps: Sequence[MapKey] = ()
        self.names: list[str] = []
        self.sums = self.squares = self.counts = np.zeros(())
        self._area = np.zeros(3)
        for answer in answers:
            self.add(answer)

    @property
    def looked_at(self) -> int:
        """How many pictures were tried; `count` of them could be read."""
        return len(self.answers)

    @property
    def skipped(self) -> dict[str, str]:
        """Picture -> why it could not be looked at."""
        return skipped_of(self.answers)

    def add(self, answer: Answer) -> None:
        """Add one picture."""
        if answer.maps == self.maps:  # one list for all pictures: hundreds of keys each would be more than the numbers
            answer = replace(answer, maps=self.maps)
        self.answers.append(answer)
        if answer.skipped:
            return
        if self.count and (list(answer.scores) != self.names or len(answer.maps) != len(self.maps)):
            raise VizError(
                "What was found on '{picture}' has other maps or measures than what was found before.",
                "Remove the file that ends in .part, and begin anew.",
                picture=answer.picture,
            )
        self.maps, self.names = answer.maps, list(answer.scores)
        table = np.stack(list(answer.scores.values()), 1)  # (maps, measures)
        self.counts = self.counts + np.isfinite(table)
        table = np.nan_to_num(table)
        self.sums, self.squares = self.sums + table, self.squares + table**2
        if answer.area is not None:
            self._area += 1, answer.area, answer.area**2
        self.count, self.hits = self.count + 1, self.hits + answer.hit

    def intervals(self, kind_of: Callable[[str], str]) -> dict[MapKey, dict[str, Interval]]:
        """Map -> measure -> its mean over pictures; `kind_of` a measure, as `interval_of` takes it."""
        return {
            key: {name: self._interval(i, j, kind_of(name)) for j, name in enumerate(self.names)}
            for i, key in enumerate(self.maps)
        }

    def _interval(self, i: int, j: int, kind: str) -> Interval:
        return interval_of(kind, *(float(one[i, j]) for one in (self.counts, self.sums, self.squares)))

    @property
    def accuracy(self) -> Interval:
        """The share of right answers."""
        return wilson(self.hits, self.count)

    @property
    def area(self) -> Interval:
        """The share of a picture that is object, over those pictures where it is known; NaN without any."""
        return interval_of("share", *self._area.tolist())

    @property
    def known(self) -> int:
        """On how many pictures the object's place is known."""
        return int(self._area[0])
