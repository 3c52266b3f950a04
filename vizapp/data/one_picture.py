"""Makes every map of one picture of a lesson set or folder, and measures each.

Lessons are rendered at the model's input size, and every picture passes through the model's own preprocessing. The query is the
one that its classifier reads. All objects of a picture together are the truth; a picture without objects is not measured by them.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from vizapp.analysis import Analysis
from vizapp.core.interventions import Edit
from vizapp.core.measure import Measure
from vizapp.core.methods import baseline_names, method_named
from vizapp.core.metrics import cover, measured, metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION, curves
from vizapp.data.folder import MASK, Folder, Unreadable
from vizapp.data.statistics import Answer, MapKey
from vizapp.errors import VizError
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS, Example, Lesson
from vizapp.pipeline import analyse, explain

OWN_OBJECT = Measure(
    name="own object",
    title="Own object",
    sentence="of two objects, each asked for in turn: how often the map is brighter on the one that was asked for.",
    short="own object",
    choice="own object",
    direction="higher",
    format="share",
    paper="",
    uninformed="0.5",
    order=200,
    main=False,
)


def on_the_mark() -> dict[str, Measure]:
    """Name -> the main metrics, applied to the tell-tale mark of a picture that has one."""
    marked = [one for one in metrics().values() if one.main]
    names = {f"{one.name} on the mark": one for one in marked}
    return {
        name: replace(one, name=name, short="on mark", order=150, main=one is marked[0]) for name, one in names.items()
    }


def measures() -> dict[str, Measure]:
    """All measures of an evaluation by name, in the order of its columns."""
    rest = {one.name: one for one in (DELETION, INSERTION, OWN_OBJECT)}
    return {**metrics(), **on_the_mark(), **rest}


def kind_of(name: str) -> str:
    """The kind of number that a measure gives for one picture, which decides its interval (`vizapp.data.intervals`)."""
    return measures()[name].format


@dataclass(frozen=True)
class Question:
    """The task for each picture. Each worker gets it once."""

    lesson: str
    methods: tuple[str, ...]
    steps: int = 0
    fit: Fit | None = None
    edits: tuple[Edit, ...] = ()

    def look(self, model: VisionModel, number: int) -> Answer:
        """Every map of picture `number`, and every measure of it."""
        pictures = set_named(self.lesson)
        name = name_of(pictures, number)
        try:
            example = pictures.example(number, model.preprocess.size[0])
        except Unreadable as error:  # one bad file among thousands must not end the run
            return Answer(name, {}, [], None, False, skipped=str(error))
        seen = analyse(model, example.picture, fit=self.fit, edits=self.edits)
        maps = all_maps(seen, self.methods, number)
        scores: dict[str, np.ndarray] = {}
        truth = seen.frame.mask_of(example.truth, seen.trace.layout.grid) if example.objects else None
        # A crop may show none of the object, or only the object.
        measurable = truth is not None and 0 < truth.mean() < 1
        if measurable:
            scores = score_all(seen, list(maps.values()), example)
        elif isinstance(pictures, Folder) and pictures.has_masks:
            scores = {name: np.full(len(maps), np.nan) for name in metrics()}
        if self.steps and seen.context is not None and seen.context.chooses:
            scores |= faithfulness(seen, maps, self.steps)
        if len(set(example.answers)) == 2 and knows(model, pictures):
            scores[OWN_OBJECT.name] = switching(seen, maps, example)
        area = float(truth.mean()) if truth is not None and measurable else None
        return Answer(name, scores, list(maps), area, is_right(seen, example))

    def check(self) -> None:
        """Raise `VizError` for unknown names, and if there would be nothing to measure."""
        pictures = set_named(self.lesson)
        for name in self.methods:
            method_named(name)
        if isinstance(pictures, Folder) and not pictures.has_masks and not self.steps:
            raise VizError(
                "In '{folder}' there is no mask of an object, so only deletion and insertion can be measured.",
                "Ask for them with steps, such as 8; or put a mask beside each picture: cat{mask} beside cat.jpg.",
                folder=self.lesson,
                mask=MASK,
            )


def set_named(name: str) -> Lesson | Folder:
    """A lesson, or the folder of this path. Raises `VizError` if there is neither."""
    if name in LESSONS:
        return LESSONS[name]
    if os.path.isdir(name):  # unlike Path.is_dir, it does not raise for names that are too long
        return _folder(name, Path(name).stat().st_mtime_ns)
    raise VizError(
        "There is no set '{name}', and no such folder.",
        "Choose one of: {names}, or a folder.",
        name=name,
        names=", ".join(LESSONS),
    )


@lru_cache(maxsize=4)
def _folder(name: str, changed: int) -> Folder:
    """A cached folder, so that its files are listed once. `changed` renews it when a file was added or removed."""
    return Folder(Path(name))


def name_of(pictures: Lesson | Folder, number: int) -> str:
    """The name of picture `number`: its file's name, or its number in a lesson."""
    return pictures.files[number].name if isinstance(pictures, Folder) else str(number)


def all_maps(seen: Analysis, methods: Sequence[str], number: int) -> dict[MapKey, np.ndarray]:
    """Every map (rows, cols) of one picture: the baselines; per layer fused and each head, for methods that have them.

    number  of the picture, the seed of random baselines, so that each picture gets its own
    """
    maps: dict[MapKey, np.ndarray] = {}
    for name in dict.fromkeys([*baseline_names(), *methods]):
        method = method_named(name)
        if method.baseline:
            drawn = {"seed": number} if "seed" in method.parameters else {}
            maps[MapKey(name)] = explain(seen, name, **drawn).scores
        elif "head" not in method.parameters or method.needs_network:
            maps[MapKey(name)] = explain(seen, name).scores
        else:
            for i, layer in enumerate(seen.trace.layers):
                for head in (None, *range(layer.n_heads)):
                    maps[MapKey(name, i, head)] = method(seen.trace, layer=i, head=head).scores
    return maps


def score_all(seen: Analysis, maps: Sequence[np.ndarray], example: Example) -> dict[str, np.ndarray]:
    """Metric -> (maps,) for maps of several grids. Metrics of the tell-tale mark, if there is one, have their own names."""
    found: dict[str, np.ndarray] = {}
    for grid in dict.fromkeys(one.shape for one in maps):
        at = [index for index, one in enumerate(maps) if one.shape == grid]
        stacked = np.stack([maps[index] for index in at])
        scores = measured(stacked, seen.frame.mask_of(example.truth, grid))
        if example.mark is not None:
            marked = measured(stacked, seen.frame.mask_of(example.mark, grid))
            scores |= {name: marked[name.removesuffix(" on the mark")] for name in on_the_mark()}
        for name, values in scores.items():
            found.setdefault(name, np.zeros(len(maps)))[at] = values
    return found


def faithfulness(seen: Analysis, maps: Mapping[MapKey, np.ndarray], steps: int) -> dict[str, np.ndarray]:
    """Areas under the deletion and insertion curves of each map (maps,); NaN for single heads."""
    context = seen.of_class()
    areas = [
        (np.nan, np.nan)
        if one.head is not None
        else curves(
            context.model.net,
            context.pixels.to(context.model.device),
            heat,
            context.explained,
            steps,
            activation=context.model.activation,
            cells=seen.trace.cells,
        ).areas
        for one, heat in maps.items()
    ]
    return dict(zip((DELETION.name, INSERTION.name), np.array(areas).T, strict=True))


def switching(seen: Analysis, maps: Mapping[MapKey, np.ndarray], example: Example) -> np.ndarray:
    """(maps,) how often a map is brighter on the explained one of two objects, each explained in turn.

    0, 0.5 or 1 for one picture; a map that does not depend on the class has 0.5. Single heads and layers have none.
    """
    masks = [seen.frame.mask_of(thing.mask, seen.trace.layout.grid) for thing in example.objects]

    def share(one: MapKey) -> float:
        if one.layer is not None:
            return math.nan
        hits = 0.0
        for own, answer in enumerate(example.answers):
            heat = maps[one]
            if method_named(one.method).class_specific:
                heat = explain(seen, one.method, target=answer).scores
            inside = [mean_inside(heat, mask) for mask in masks]
            hits += 0.5 if inside[0] == inside[1] else float(inside[own] > inside[1 - own])
        return hits / 2

    return np.array([share(one) for one in maps])


def mean_inside(heat: np.ndarray, mask: np.ndarray) -> float:
    """Mean of a map (rows, cols) over a mask (h, w) in model pixels, by area. Negative values count as zero."""
    share = cover(mask, heat.shape)
    return float((heat.clip(min=0) * share).sum() / share.sum()) if share.any() else 0.0


def is_right(seen: Analysis, example: Example) -> bool:
    """Tell whether the most probable classes are exactly the right answers."""
    if seen.trace.logits is None or not example.answers:
        return False
    best = seen.trace.logits.topk(min(len(example.answers), len(seen.trace.logits))).indices.tolist()
    return set(best) == set(example.answers)


def knows(model: VisionModel, lesson: Lesson | Folder) -> bool:
    """Tell whether the model has the classes of this lesson."""
    return bool(lesson.classes) and model.labels == lesson.classes
