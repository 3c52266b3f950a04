"""How well maps find objects, over a lesson set or a folder: means with 95 % intervals, beside maps that have seen nothing.

    result = evaluate(vizapp.load("toy"), "clutter", count=200)
    result.accuracy                                    # Interval(mean, low, high)
    result[Seen("attention", layer=4)]["energy"]       # Interval: all heads of the last layer, fused by their mean
    result[Seen("attention", layer=4, head=2)], result[Seen("rollout")], result[Seen("centre prior")]

Pictures of lessons are rendered at the model's input size; all are seen through its own preprocessing. The query is what
its classifier reads. All objects of a picture together are the truth; a picture without any has no part in their measures.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from model.lessons import HELD_OUT, LESSONS, Example, Lesson
from model.spec import VisionModel
from vizapp.core.faithfulness import curves
from vizapp.core.methods import method_named, methods
from vizapp.core.metrics import metrics
from vizapp.core.metrics.baselines import centre_prior, uniform_random
from vizapp.errors import VizError
from vizapp.folder import MASK, Folder
from vizapp.pipeline import Analysis, analyse, explain

METHODS = ("attention", "rollout")
SAVE_EVERY = 20.0  # seconds
FEW = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)  # see `student`


@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f}"


@dataclass(frozen=True)
class Seen:
    """Which map: a method or a baseline; with its layer and head (from 0), if it has any; head None: all, fused."""

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
    scores: Mapping[Seen, Mapping[str, Interval]]
    known: int

    def __getitem__(self, seen: Seen) -> Mapping[str, Interval]:
        return self.scores[seen]

    @property
    def fused(self) -> dict[Seen, Mapping[str, Interval]]:
        """Everything but single heads."""
        return {seen: scores for seen, scores in self.scores.items() if seen.head is None}

    def best_head(self, metric: str = "energy") -> Seen | None:
        """The head with the largest mean, picked on these very pictures; None if no method has heads."""
        heads = [seen for seen in self.scores if seen.head is not None]
        return max(heads, key=lambda seen: self.scores[seen][metric].mean, default=None)


class Tally:
    """Sums over pictures, from which the means and intervals come; small enough to be written every few seconds."""

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        content = content or NOTHING
        self.count, self.hits = int(content["count"]), int(content["hits"])
        self.maps = [Seen(**seen) for seen in content["maps"]]
        self.names = list(content["names"])
        self.sums, self.squares, self.counts, self.area = (
            np.array(content[key], float) for key in ("sums", "squares", "counts", "area")
        )

    def content(self) -> dict[str, Any]:
        """As JSON takes it."""
        arrays = {"sums": self.sums, "squares": self.squares, "counts": self.counts, "area": self.area}
        maps = [asdict(seen) for seen in self.maps]
        return {"count": self.count, "hits": self.hits, "names": self.names, "maps": maps} | {
            name: array.tolist() for name, array in arrays.items()
        }

    def add(self, answer: Answer) -> None:
        """One picture: for each metric one number per map, NaN where a map has none."""
        self.maps, self.names = answer.maps, list(answer.scores)
        table = np.stack(list(answer.scores.values()), 1)  # (maps, metrics)
        self.counts = self.counts + np.isfinite(table)
        table = np.nan_to_num(table)
        self.sums, self.squares = self.sums + table, self.squares + table**2
        if answer.area is not None:
            self.area += 1, answer.area, answer.area**2
        self.count, self.hits = self.count + 1, self.hits + answer.hit

    def result(self, model: VisionModel, lesson: Lesson | Folder) -> Evaluation:
        scores = {
            seen: {name: _interval(name, *self._of(i, j)) for j, name in enumerate(self.names)}
            for i, seen in enumerate(self.maps)
        }
        accuracy = wilson(self.hits, self.count) if knows(model, lesson) else None
        return Evaluation(model.name, lesson.name, self.count, accuracy, _mean(*self.area), scores, int(self.area[0]))

    def _of(self, i: int, j: int) -> tuple[float, float, float]:
        return float(self.counts[i, j]), float(self.sums[i, j]), float(self.squares[i, j])


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
class Question:
    """What is asked of each picture; workers get it once."""

    lesson: str
    methods: tuple[str, ...]
    steps: int = 0

    def check(self) -> None:
        """Raises `VizError` for names that there are not, and where there would be nothing to measure."""
        pictures = set_named(self.lesson)
        for name in self.methods:
            method_named(name)
        if isinstance(pictures, Folder) and not pictures.has_masks and not self.steps:
            raise VizError(
                f"In '{self.lesson}' there is no mask of an object, so only deletion and insertion can be measured.",
                f"Ask for them with steps, such as 8; or put a mask beside each picture: cat{MASK} beside cat.jpg.",
            )


def set_named(name: str) -> Lesson | Folder:
    """A lesson, or the folder of this path. Raises `VizError` if there is neither."""
    if name in LESSONS:
        return LESSONS[name]
    if Path(name).is_dir():
        return _folder(name, Path(name).stat().st_mtime_ns)
    raise VizError(
        f"There is no set '{name}', and no such folder.", f"Choose one of: {', '.join(LESSONS)}, or a folder."
    )


@lru_cache(maxsize=4)
def _folder(name: str, changed: int) -> Folder:
    """The same one as long as nothing came or went, so that its files are listed once."""
    return Folder(Path(name))


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found on one picture; see `Tally.add`. `area`: share that is object, None where that is not known."""

    scores: Mapping[str, np.ndarray]
    maps: list[Seen]
    area: float | None
    hit: bool


Engine = Callable[[VisionModel, Question, range], Iterator[Answer]]


def evaluate(
    model: VisionModel,
    lesson: str,
    *,
    methods: Sequence[str] = METHODS,
    count: int = 2000,
    first: int = 0,
    steps: int = 0,
    engine: Engine | None = None,
    tally: Tally | None = None,
    tell: Callable[[Tally], None] = lambda tally: None,
) -> Evaluation:
    """Look at `count` held-out pictures of a lesson set, from number `first` on. Raises `VizError` for unknown names.

    lesson  its name, or the path of a folder of pictures (see `vizapp.folder`): all of them if there are less than `count`
    steps   points of the curves of deletion and insertion, measured for the best class; 0 leaves them out
    engine  who looks at the pictures (see `vizapp.engines`); None: this process, one after the other
    tally   sums of the first pictures, from a run that was broken off: they are not looked at again
    tell    called with the sums after each picture
    """
    question = Question(lesson, tuple(methods), steps)
    question.check()
    if count < 1:
        raise VizError(f"At least one picture is needed; got {count}.", "2000 gives intervals of about 0.02.")
    pictures, tally = set_named(lesson), tally or Tally()
    count = _at_most(pictures, count, first)
    if count < 1:
        raise VizError(f"'{lesson}' has {first + count} pictures, so there is no number {first}.", "They count from 0.")
    for answer in (engine or here)(model, question, range(first + tally.count, first + count)):
        tally.add(answer)
        tell(tally)
    return tally.result(model, pictures)


def _at_most(pictures: Lesson | Folder, count: int, first: int = 0) -> int:
    """A folder has an end, a lesson has none."""
    return min(count, len(pictures.files) - first) if isinstance(pictures, Folder) else count


def here(model: VisionModel, question: Question, numbers: range) -> Iterator[Answer]:
    """One picture after the other, in this process."""
    for number in numbers:
        yield look(model, question, number)


def look(model: VisionModel, question: Question, number: int) -> Answer:
    """One picture of a set: every map, and every measure of it."""
    pictures = set_named(question.lesson)
    example = pictures.example(number, model.preprocess.size[0])
    seen = analyse(model, example.picture)
    maps = all_maps(seen, question.methods, number)
    scores: dict[str, np.ndarray] = {}
    truth = seen.frame.mask_of(example.truth) if example.objects else None
    measurable = truth is not None and 0 < truth.mean() < 1  # the model may not have seen it, or nothing else
    if measurable:
        scores = score_all(seen, list(maps.values()), example)
    elif isinstance(pictures, Folder) and pictures.has_masks:
        scores = {name: np.full(len(maps), np.nan) for name in metrics()}
    if question.steps and seen.trace.logits is not None:
        scores |= faithfulness(seen, maps, question.steps)
    if len(set(example.answers)) == 2 and knows(model, pictures):
        scores["own object"] = switching(seen, maps, example)
    area = float(truth.mean()) if truth is not None and measurable else None
    return Answer(scores, list(maps), area, is_right(seen, example))


def faithfulness(seen: Analysis, maps: Mapping[Seen, np.ndarray], steps: int) -> dict[str, np.ndarray]:
    """Areas under deletion and insertion for each map (maps,); single heads have none."""
    specimen = seen.of_class()
    areas = [
        (np.nan, np.nan)
        if one.head is not None
        else curves(
            specimen.model.net, specimen.pixels.to(specimen.model.device), heat, specimen.explained, steps
        ).areas
        for one, heat in maps.items()
    ]
    return dict(zip(("deletion", "insertion"), np.array(areas).T, strict=True))


def switching(seen: Analysis, maps: Mapping[Seen, np.ndarray], example: Example) -> np.ndarray:
    """(maps,) of two objects, each asked for in turn: how often the map is brighter on the one that was asked for.

    0, 0.5 or 1 for one picture; a map that does not depend on the class has 0.5. Single heads and layers have none.
    """
    masks = [seen.frame.mask_of(thing.mask) for thing in example.objects]

    def share(one: Seen) -> float:
        if one.layer is not None:
            return math.nan
        hits = 0.0
        for own, answer in enumerate(example.answers):
            heat = maps[one]
            if one.method in methods() and method_named(one.method).class_specific:
                heat = explain(seen, one.method, target=answer).scores
            inside = [mean_inside(heat, mask) for mask in masks]
            hits += 0.5 if inside[0] == inside[1] else float(inside[own] > inside[1 - own])
        return hits / 2

    return np.array([share(one) for one in maps])


def mean_inside(heat: np.ndarray, mask: np.ndarray) -> float:
    """Mean of a map (rows, cols) over what is inside of a mask (h, w) in model pixels, by area; below zero is nothing."""
    rows, cols = heat.shape
    share = mask.reshape(rows, mask.shape[0] // rows, cols, -1).mean((1, 3))
    return float((heat.clip(min=0) * share).sum() / share.sum()) if share.any() else 0.0


def all_maps(seen: Analysis, methods: Sequence[str], number: int) -> dict[Seen, np.ndarray]:
    """Every map (rows, cols) of one picture: per layer fused and each head, for methods that have them; baselines."""
    grid = seen.trace.layout.grid
    maps = {Seen("uniform random"): uniform_random(grid, number), Seen("centre prior"): centre_prior(grid)}
    for name in methods:
        method = method_named(name)
        if "head" not in method.parameters or method.needs_network:
            maps[Seen(name)] = explain(seen, name).scores
            continue
        for i, layer in enumerate(seen.trace.layers):
            for head in (None, *range(layer.n_heads)):
                maps[Seen(name, i, head)] = method(seen.trace, layer=i, head=head).scores
    return maps


def score_all(seen: Analysis, maps: Sequence[np.ndarray], example: Example) -> dict[str, np.ndarray]:
    """`score` for maps of several grids: (maps,) each, in their order."""
    found: dict[str, np.ndarray] = {}
    for grid in dict.fromkeys(one.shape for one in maps):
        at = [index for index, one in enumerate(maps) if one.shape == grid]
        for name, values in score(seen, np.stack([maps[index] for index in at]), example).items():
            found.setdefault(name, np.zeros(len(maps)))[at] = values
    return found


def score(seen: Analysis, maps: np.ndarray, example: Example) -> dict[str, np.ndarray]:
    """Each metric for each map (maps,); those of the mark, where there is one, have names of their own."""
    truth = seen.frame.mask_of(example.truth)
    maps = maps.clip(min=0)  # what speaks against the class finds nothing
    scores = {name: metric(maps, truth) for name, metric in metrics().items()}
    if example.mark is not None:
        mark = seen.frame.mask_of(example.mark)
        scores |= {f"{name} on the mark": metrics()[name](maps, mark) for name in ("energy", "pointing")}
    return scores


def is_right(seen: Analysis, example: Example) -> bool:
    """Are the best classes the answers, all of them?"""
    if seen.trace.logits is None or not example.answers:
        return False
    best = seen.trace.logits.topk(min(len(example.answers), len(seen.trace.logits))).indices.tolist()
    return set(best) == set(example.answers)


def knows(model: VisionModel, lesson: Lesson | Folder) -> bool:
    """Does the model answer in the classes of this lesson?"""
    return bool(lesson.classes) and model.labels == lesson.classes


def _interval(metric: str, count: float, total: float, squares: float) -> Interval:
    if count == 0:
        return Interval(math.nan, math.nan, math.nan)
    return wilson(total, count) if metric.startswith("pointing") else _mean(count, total, squares)


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


# ----------------------------------------------------------------------------------------------- runs, files, tables


class Unfinished:
    """Sums of runs that were broken off, in a file beside the output; gone when all is done."""

    def __init__(self, output: Path | None) -> None:
        self.file = output.with_name(output.name + ".part") if output else None
        self.kept: dict[str, Any] = {}
        if self.file and self.file.exists():
            try:
                self.kept = json.loads(self.file.read_text())
            except ValueError:
                self.kept = {}  # half a file, of a run that was killed while it wrote
        self._saved = time.monotonic()

    def of(self, key: str) -> Tally:
        return Tally(self.kept.get(key))

    def keep(self, key: str, tally: Tally, *, now: bool = False) -> None:
        """Write, but not more often than every SAVE_EVERY seconds unless it must be `now`."""
        if self.file is None or (not now and time.monotonic() - self._saved < SAVE_EVERY):
            return
        self.kept[key], self._saved = tally.content(), time.monotonic()
        fresh = self.file.with_name(self.file.name + ".new")
        fresh.write_text(json.dumps(self.kept))
        fresh.replace(self.file)

    def done(self) -> None:
        if self.file:
            self.file.unlink(missing_ok=True)


def key_of(model: VisionModel, lesson: str, methods: Sequence[str], steps: int = 0) -> str:
    """What sums may be added to: the same weights on the same set with the same methods."""
    digest = hashlib.sha1(usedforsecurity=False)
    for tensor in model.net.state_dict().values():
        digest.update(tensor.detach().float().cpu().numpy().tobytes())
    pictures = set_named(lesson)
    key = pictures.key if isinstance(pictures, Folder) else lesson
    return f"{model.name} {digest.hexdigest()} {key} {' '.join(methods)}" + (f" {steps} steps" if steps else "")


def run(
    models: Iterable[VisionModel],
    lessons: Sequence[str],
    methods: Sequence[str],
    count: int,
    output: Path | None,
    tell: Callable[[str], None],
    steps: int = 0,
    engine: Engine | None = None,
) -> list[Evaluation]:
    """Every model on every set; goes on where an earlier run with this output stopped; writes `output` at the end.

    tell    called with one line of progress per picture
    steps, engine  as for `evaluate`
    """
    if output is not None and output.suffix.lower() not in {".csv", ".json"}:
        raise VizError(f"'{output}' is neither .csv nor .json.", "Name it result.csv or result.json.")
    if output is not None and not output.parent.is_dir():
        raise VizError(f"There is no folder '{output.parent}'.", "Make it first, or name another.")
    unfinished, results = Unfinished(output), []
    for model in models:
        for lesson in lessons:
            results.append(_go_on(unfinished, model, lesson, methods, count, tell, steps, engine))
    if output is not None:
        write(results, output)
    unfinished.done()
    return results


def _go_on(
    unfinished: Unfinished,
    model: VisionModel,
    lesson: str,
    methods: Sequence[str],
    count: int,
    tell: Callable[[str], None],
    steps: int,
    engine: Engine | None,
) -> Evaluation:
    key = key_of(model, lesson, methods, steps)
    count = _at_most(set_named(lesson), count)
    tally = unfinished.of(key)
    if tally.count > count:
        tally = Tally()
    started, first = time.monotonic(), tally.count

    def told(tally: Tally) -> None:
        left = (time.monotonic() - started) / (tally.count - first) * (count - tally.count)
        tell(f"{model.name} on {lesson}: {tally.count} of {count}, {left:.0f} s left")
        unfinished.keep(key, tally)

    try:
        return evaluate(model, lesson, methods=methods, count=count, steps=steps, engine=engine, tally=tally, tell=told)
    finally:
        unfinished.keep(key, tally, now=True)


def write(results: Sequence[Evaluation], output: Path) -> None:
    """.csv: a row per number; .json: the same rows, with the first seed of each set and the versions."""
    rows = [
        {**_measured(one, name), **asdict(seen), "metric": name, **asdict(value)}
        for one in results
        for seen, scores in one.scores.items()
        for name, value in scores.items()
    ]
    whole = {"method": "", "layer": None, "head": None}
    for one in results:
        named = {"area": one.area} | ({"accuracy": one.accuracy} if one.accuracy else {})
        for name, value in named.items():
            rows.append({**_measured(one, name), **whole, "metric": name, **asdict(value)})
    try:
        if output.suffix.lower() == ".csv":
            with output.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        else:
            rendered = [one.lesson for one in results if one.lesson in LESSONS]
            about = {"first_seed": {name: HELD_OUT + LESSONS[name].first for name in rendered}}
            versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
            for row in rows:  # JSON has no NaN
                row |= {key: None for key in ("mean", "low", "high") if math.isnan(row[key])}
            output.write_text(json.dumps({**about, "versions": versions, "rows": rows}, indent=1))
    except OSError as error:
        raise VizError(f"'{output}' cannot be written: {error.strerror or error}.", "Choose another folder.") from error


def _measured(one: Evaluation, metric: str) -> dict[str, Any]:
    """Of what, and on how many pictures."""
    on_all = metric in ("accuracy", "deletion", "insertion", "own object")
    return {"model": one.model, "set": one.lesson, "pictures": one.count if on_all else one.known}


COLUMNS = {
    "pointing": "pointing",
    "pointing_near": "near",
    "energy": "energy",
    "lift": "lift",
    "auc": "AUC",
    "iou": "best IoU",
    "energy on the mark": "on mark",
    "deletion": "deletion",
    "insertion": "insertion",
    "own object": "own object",
}


def table(result: Evaluation) -> str:
    """For the terminal: heads fused, rollout and baselines; after `+-` the longer side of the 95 % interval."""
    columns = [name for name in COLUMNS if name in next(iter(result.scores.values()))]
    is_lesson = result.lesson in LESSONS
    told = "-" if result.accuracy is None else _spread(result.accuracy)
    known = f", accuracy {told}" if is_lesson else ""
    known += "" if math.isnan(result.area.mean) else f", object {result.area.mean:.1%} of what the model sees"
    known += f", in {result.known} of them" if 0 < result.known < result.count else ""
    lines = [
        f"{result.model} on {result.lesson}: {result.count} {'held-out ' * is_lesson}pictures{known}",
        f"{'':28}" + "".join(f"{COLUMNS[name]:>14}" for name in columns),
    ]
    for seen, scores in result.fused.items():
        lines.append(f"{seen!s:28}" + "".join(f"{_spread(scores[name]):>14}" for name in columns))
    best = None if math.isnan(result.area.mean) else result.best_head()
    if best:
        lines.append(f"{best!s:28}" + "".join(f"{_spread(result[best][name]):>14}" for name in columns))
        lines.append("The last line is the head with the most energy, picked on these very pictures.")
    return "\n".join(lines)


def _spread(value: Interval) -> str:
    if math.isnan(value.mean):
        return "-"
    half = max(value.high - value.mean, value.mean - value.low)  # of a share, one side may be the longer one
    return f"{value.mean:.3f}" + ("" if math.isnan(half) else f"+-{half:.3f}")
