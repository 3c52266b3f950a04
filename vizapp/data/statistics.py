"""The numbers found on each picture, and their means over pictures. Nothing here needs a network."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from vizapp.data.intervals import Interval, mean_of
from vizapp.errors import VizError


@dataclass(frozen=True)
class MapKey:
    """Names a map: its method, with layer and head (from 0) if it has any. head None means all heads, fused."""

    method: str
    layer: int | None = None
    head: int | None = None

    def __str__(self) -> str:
        return self.counted_from(0)

    def counted_from(self, first: int) -> str:
        """Write it as text. Layers and heads count from 0 in code and on the command line, from 1 on the page and on cards."""
        parts = [self.method]
        if self.layer is not None:
            parts.append(f"layer {self.layer + first}")
        if self.head is not None:
            parts.append(f"head {self.head + first}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Evaluation:
    """The results of one model on `count` pictures of a lesson set or folder.

    accuracy  share of right answers (for two objects, both must be the two best classes); None if the model has other classes
    area      fraction of the model's input that is object, which is the energy of a uniform map; NaN if no object is known
    known     the number of pictures with an object whose place is known; localisation measures use only these
    scores    map -> metric -> mean over pictures; metrics of the mark of the shortcut lesson are called "energy on the mark" ...
    answers   of each picture, for `rows`; includes those that could not be read, which `skipped` lists with the reason
    network   the model's identity (see `vizapp.analysis.provenance.of_model`)
    """

    model: str
    lesson: str
    count: int
    accuracy: Interval | None
    area: Interval
    scores: Mapping[MapKey, Mapping[str, Interval]]
    known: int
    answers: "Sequence[Answer]" = field(default=(), repr=False, compare=False)
    network: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def skipped(self) -> dict[str, str]:
        """Picture -> why it could not be read."""
        return {one.picture: one.skipped for one in self.answers if one.skipped}

    def rows(self) -> list[dict[str, Any]]:
        """One dict per picture and map, for paired tests: picture, method, layer, head, then a column per measure.

        If the model has the set's classes, also `right`, 1 or 0: whether its answer was right.
        """
        told = self.accuracy is not None
        return [row | ({"right": int(answer.hit)} if told else {}) for answer in self.answers for row in answer.rows()]

    def of_each(self, key: MapKey, measure: str) -> dict[str, float]:
        """Picture -> the measure of this map, for the pictures that have it."""
        found = ((one.picture, one.value(key, measure)) for one in self.answers if not one.skipped)
        return {picture: value for picture, value in found if np.isfinite(value)}

    def difference(self, one: MapKey, other: MapKey, measure: str) -> Interval:
        """The mean of `one` - `other` over the pictures, with Student's interval (see `difference`)."""
        return difference(self.of_each(one, measure), self.of_each(other, measure))

    def __getitem__(self, key: MapKey) -> Mapping[str, Interval]:
        return self.scores[key]

    @property
    def fused(self) -> dict[MapKey, Mapping[str, Interval]]:
        """The scores of all maps but those of single heads."""
        return {key: scores for key, scores in self.scores.items() if key.head is None}

    def best_head(self, metric: str = "energy") -> MapKey | None:
        """The head with the largest mean, chosen on the same pictures; None if no method has heads."""
        heads = [key for key in self.scores if key.head is not None]
        return max(heads, key=lambda key: self.scores[key][metric].mean, default=None)


@dataclass(frozen=True, eq=False)
class Answer:
    """The results on one picture.

    picture  its name in its set
    scores   measure -> (maps,), NaN where a map has none
    maps     the map of each of these numbers
    area     fraction of the model's input that is object; None if unknown
    hit      whether the model's answer was right
    skipped  why the picture could not be read, in which case there are no scores; "" otherwise
    """

    picture: str
    scores: Mapping[str, np.ndarray]
    maps: Sequence[MapKey]
    area: float | None
    hit: bool
    skipped: str = ""

    def content(self) -> dict[str, Any]:
        """A dict for JSON, which `of` reads back without loss."""
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
    def of(cls, content: Mapping[str, Any]) -> "Answer":
        """The answer whose `content` this is. Raises some error of Python for anything else."""
        maps = [MapKey(str(name), *(None if one is None else int(one) for one in at)) for name, *at in content["maps"]]
        scores = {str(name): np.array(values, float) for name, values in content["scores"].items()}
        if any(one.shape != (len(maps),) for one in scores.values()):
            raise ValueError("every map has one number of each measure")
        area = None if content["area"] is None else float(content["area"])
        return cls(str(content["picture"]), scores, maps, area, bool(content["hit"]), str(content["skipped"]))

    def value(self, key: MapKey, measure: str) -> float:
        """One number; NaN where this map has none."""
        return float(self.scores[measure][list(self.maps).index(key)])

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each map: picture, method, layer, head, then a column per measure."""
        for index, key in enumerate(self.maps):
            values = {name: float(column[index]) for name, column in self.scores.items()}
            yield {"picture": self.picture, **asdict(key), **values}


def difference(one: Mapping[str, float], other: Mapping[str, float]) -> Interval:
    """The mean of `one` - `other` over the pictures that both have, with Student's interval; NaN without any.

    A difference cancels what both maps share on a picture, such as its difficulty. So its interval can exclude zero although
    the intervals of the two means overlap.
    """
    return mean_of(np.array([value - other[picture] for picture, value in one.items() if picture in other]))


class RunningStats:
    """The answers of the pictures so far, and their means with intervals. `read` are those of pictures that could be read."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self.answers: list[Answer] = []
        self.read: list[Answer] = []
        for answer in answers:
            self.add(answer)

    @property
    def looked_at(self) -> int:
        """The number of pictures tried."""
        return len(self.answers)

    def add(self, answer: Answer) -> None:
        """Add one picture."""
        if self.read and not answer.skipped:
            first = self.read[0]
            if list(answer.scores) != list(first.scores) or len(answer.maps) != len(first.maps):
                raise VizError(
                    "The results on '{picture}' have other maps or measures than the earlier results.",
                    "Remove the file that ends in .part, and start again.",
                    picture=answer.picture,
                )
            if answer.maps == first.maps:  # share one list: hundreds of keys take more memory than the numbers
                answer = replace(answer, maps=first.maps)
        self.answers.append(answer)
        if not answer.skipped:
            self.read.append(answer)

    def intervals(self, kind_of: Callable[[str], str]) -> dict[MapKey, dict[str, Interval]]:
        """Map -> measure -> its mean over the pictures that have one. `kind_of` gives a measure's kind for `mean_of`."""
        if not self.read:
            return {}
        maps, names = self.read[0].maps, list(self.read[0].scores)
        rows = {name: np.stack([one.scores[name] for one in self.read], 1) for name in names}  # (maps, pictures)
        return {
            key: {name: mean_of(rows[name][i][np.isfinite(rows[name][i])], kind_of(name)) for name in names}
            for i, key in enumerate(maps)
        }

    @property
    def accuracy(self) -> Interval:
        """The share of right answers."""
        return mean_of(np.array([one.hit for one in self.read], float), "hit")

    @property
    def areas(self) -> np.ndarray:
        """(pictures,) the fraction of each picture that is object, where it is known."""
        return np.array([one.area for one in self.read if one.area is not None], float)
