"""Many methods on one picture: their maps, how far each may be believed, and how far they agree.

result = compare(vizapp.analyse("toy", "photo.jpg"), target="cup")
result.maps["chefer"].scores                   # (rows, cols)
result.skipped["legrad"]                       # why it has no map for this network
result.curves["chefer"].areas                  # deletion, insertion
result.rows()                                  # a table: a dict for each method
result.agreement()                             # names, (map, map) rank correlations
sanity(seen, ["rollout", "chefer"])            # the likeness of a map with its own after layers are drawn anew
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from vizapp.analysis import Analysis, Truth
from vizapp.analysis.record import made_from
from vizapp.arguments import in_words
from vizapp.core.attention.trace import Relevance
from vizapp.core.capture.forward import capture
from vizapp.core.checkpoint import checkpoint
from vizapp.core.context import ExplainContext
from vizapp.core.measure import Measure
from vizapp.core.methods import Method, baseline_names, method_named, methods
from vizapp.core.metrics import measured, metrics
from vizapp.core.target import Target, name_of
from vizapp.core.trust.agreement import rank_correlation
from vizapp.core.trust.faithfulness import DELETION, INSERTION, Curves, Empty, curves
from vizapp.core.trust.randomisation import randomised
from vizapp.data.rows import write_rows
from vizapp.errors import VizError
from vizapp.notebook import beside, image, painted, table
from vizapp.pipeline import explain
from vizapp.wording import Text, listed

Progress = Callable[[str, float], None]
Settings = Mapping[str, Mapping[str, Any]]
RANDOM = "random"  # the baseline that is chance
NO_SETTINGS: Settings = MappingProxyType({})


@in_words
@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    target   index of the class that class-specific methods explain, or the name of a function; None where nothing is explained
    skipped  method -> why it has no map here, in words
    curves   method -> deletion and insertion; empty if they were not asked for, or without classes
    truth    (h, w) share of object, in model pixels; None where it is not known
    objects  the names of what is measured as the object; () where it was given, or is not known
    seconds  method -> how long its map took; what methods share (gradients) counts for the first of them
    orders   random orders that were measured: the curves of the baseline "random" are their mean
    steps    points of the curves, or the shares of patches at which they have one, as `compare` was asked
    spread   name of a measure -> how far the areas of these orders lie apart, largest less smallest; {} of a single one
    """

    seen: Analysis = field(repr=False)
    target: int | str | None
    maps: Mapping[str, Relevance] = field(repr=False)
    skipped: Mapping[str, str]
    curves: Mapping[str, Curves] = field(repr=False)
    truth: np.ndarray | None = field(repr=False)
    seconds: Mapping[str, float] = field(repr=False)
    empty: Empty = "mean"
    objects: tuple[str, ...] = ()
    orders: int = 1
    steps: int | Sequence[float] = 8
    spread: Mapping[str, float] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """One dict per method, in their order: method, class_specific, deletion, insertion, a column per metric, seconds."""
        return [self._row(name) for name in self.maps]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the columns of numbers in `rows` are, from left to right."""
        faithful = (DELETION, INSERTION) if self.curves else ()
        return (*faithful, *(metrics().values() if self.truth is not None else ()))

    def ranking(self, measure: Measure) -> list[str]:
        """Methods by deletion or insertion, the best first; without baselines."""
        named = [name for name in self.curves if not method_named(name).baseline]
        return sorted(named, key=lambda name: self._worse(name, measure))

    def too_close(self, one: str, other: str, measure: Measure) -> bool:
        """Do two maps differ by no more, in deletion or insertion, than random orders differ among themselves?"""
        return abs(self._worse(one, measure) - self._worse(other, measure)) <= self.spread.get(measure.name, 0.0)

    def beats(self, one: str, other: str, measure: Measure) -> bool:
        """Is `one` better than `other`, by more than that?"""
        return self._worse(one, measure) < self._worse(other, measure) and not self.too_close(one, other, measure)

    def _worse(self, name: str, measure: Measure) -> float:
        area = self.curves[name].areas[(DELETION, INSERTION).index(measure)]
        return area if measure.direction == "lower" else -area

    def _row(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = {"method": name, "class_specific": method_named(name).class_specific}
        if name in self.curves:
            row |= dict(zip((DELETION.name, INSERTION.name), self.curves[name].areas, strict=True))
        if self.truth is not None:
            found = measured(self.maps[name].scores[None], self.truth)
            row |= {metric: float(values[0]) for metric, values in found.items()}
        return row | {"seconds": round(self.seconds[name], 3)}

    def agreement(self) -> tuple[list[str], np.ndarray]:
        """Names of methods, and rank correlations (method, method) of their maps, -1 to 1; on the grid that most share."""
        grid = self.seen.trace.layout.grid
        names = [name for name, one in self.maps.items() if one.scores.shape == grid]
        return names, rank_correlation([self.maps[name].scores for name in names])

    @property
    def _of(self) -> dict[str, Any]:
        return {"model": self.seen.model_name, "class": self._label}

    @property
    def _rows_of(self) -> list[dict[str, Any]]:
        return [self._of | row for row in self.rows()]

    def _told(self, method: str) -> dict[str, Any]:
        """Of one row, in columns: what a reader of the table alone has to know."""
        known = self.made_from()
        own = {"settings": json.dumps(known["settings"][method], default=str), "seed": known["seed"].get(method)}
        rest = {key: known[key] for key in known if key not in {*self._of, *own, "target"}}
        return own | rest | {"edits": json.dumps(known["edits"])}

    @property
    def _label(self) -> str | None:
        return None if self.target is None else label_of(self.seen, self.target)

    def _repr_html_(self) -> str:
        """Each map on the picture, then the table, then what was left out and why."""
        figures = [(image(painted(self.seen, one.scores, one.signed), name), name) for name, one in self.maps.items()]
        left_out = "".join(f"<p>{escape(name)}: {escape(str(why))}</p>" for name, why in self.skipped.items())
        words = f"<p>{escape(self.seen.model_name)}{': ' + escape(self._label) if self._label else ''}</p>"
        return beside(figures, words + table(self.rows()) + left_out)

    def made_from(self, second: Comparison | None = None) -> dict[str, Any]:
        """Where files about this comparison come from: as `vizapp.analysis.record.made_from`, and what was asked.

        `settings` and `seed` are by method; `second` is the same picture compared for another class.
        """
        settings = {name: dict(one.settings) for name, one in self.maps.items()}
        known = {
            "class": self._label,
            "empty": self.empty,
            "orders": self.orders,
            "steps": self.steps,
            "settings": settings,
        }
        seeds = {name: said["seed"] for name, said in settings.items() if said.get("seed") is not None}
        other = {"second_class": second._label} if second else {}
        return made_from(self.seen) | {"target": self.target} | known | {"seed": seeds} | other

    def save(self, path: str | Path, second: Comparison | None = None, *, alone: bool = False) -> None:
        """Write the table as .csv or .json; where it comes from lies beside .csv as .csv.json. Other names are refused.

        second  the same picture compared for another class: its rows follow, and each row says its class
        alone   a .csv that goes on its way without another file: each row says its settings and where it comes from
        """
        path, rows = Path(path), self.rows()
        of = self._of
        if path.suffix.lower() == ".csv" or second:
            rows = [row for one in (self, second) if one for row in one._rows_of]
        if alone and path.suffix.lower() == ".csv":
            write_rows(
                path, [row | one._told(row["method"]) for one in (self, second) if one for row in one._rows_of], {}
            )
            return
        settings = {name: one.settings for name, one in self.maps.items()}
        about = {**of, "empty": self.empty, "skipped": dict(self.skipped), "settings": settings}
        write_rows(path, rows, about | {"provenance": made_from(self.seen) | {"target": self.target}})


def compare(
    seen: Analysis,
    names: Sequence[str] | str | None = None,
    *,
    target: Target | str | None = None,
    truth: np.ndarray | None = None,
    steps: int | Sequence[float] = 8,
    orders: int = 1,
    empty: Empty = "mean",
    settings: Settings = NO_SETTINGS,
    on_progress: Progress = lambda what, share: None,
    explain: Callable[..., Relevance] = explain,
    curves: Callable[..., Curves] = curves,
) -> Comparison:
    """Run methods on one picture, and measure each map.

    names   of the methods, or of one; None: all. Baselines (`random`, `centre` ...) are always among them
    target  class that is explained and whose probability is measured: index, label, or None for the most probable one. Or a
            function of the network's output, whose score is measured instead
    truth   (H, W) bool, in pixels of the picture: the object. None: as the analysis knows it, if at all: things
            named as the class is, else all objects
    steps   points of the curves of deletion and insertion, or the shares of patches at which they have one (see
            `vizapp.core.trust.faithfulness.curves`); 0 leaves the curves out
    orders  random orders that are measured for the baseline "random": how far they lie apart is how far two methods must, to
            be told apart
    settings  method -> its keyword-only parameters, where they are not to be the defaults: {"rise": {"masks": 512}}
    on_progress  called with what comes next and the share that is done; an exception that is raised there ends the run
    explain, curves  what computes a map, and what measures it: in another process, say, which has a GPU
    Methods that mean nothing for the network, or need what is not installed, are skipped with the reason.
    """
    names = [names] if isinstance(names, str) else names
    _check_names(names or ())
    chosen = list(dict.fromkeys([*(methods() if names is None else names), *baseline_names()]))
    _check(settings, chosen)
    holds = target is not None or (seen.trace.logits is not None and seen.context is not None)
    context = seen.of_class(target).ready() if holds else None
    maps: dict[str, Relevance] = {}
    skipped: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for number, name in enumerate(chosen):
        on_progress(name, number / len(chosen) / 2)
        method, started = method_named(name), time.perf_counter()
        try:
            wanted = context.explained if context and method.class_specific else None
            maps[name] = explain(seen, name, target=wanted, **settings.get(name, {}))
        except VizError as error:
            skipped[name] = listed([part for part in (error.message, error.hint) if part], " ")
        seconds[name] = time.perf_counter() - started
    measured: dict[str, Curves] = {}
    spread: dict[str, float] = {}
    if context and steps:
        model, pixels, ends = context.model, context.pixels.to(context.model.device), None
        for number, (name, one) in enumerate(maps.items()):
            on_progress(Text("deletion and insertion of {name}", name=name), 0.5 + number / len(maps) / 2)
            some = []
            for scores in [one.scores, *(_other_orders(explain, seen, one, orders) if name == RANDOM else ())]:
                some.append(curves(model.net, pixels, scores, context.explained, steps, empty, model.activation, ends))
                ends = float(some[0].deletion[0]), float(some[0].deletion[-1])  # the same for every map
            measured[name] = _mean(some)
            if len(some) > 1:
                apart = np.ptp([each.areas for each in some], 0)
                spread = {DELETION.name: float(apart[0]), INSERTION.name: float(apart[1])}
    about = None if context is None else name_of(context.explained)
    found = [] if truth is not None else _objects(seen, "" if about is None else label_of(seen, about))
    return Comparison(
        seen=seen,
        target=about,
        maps=maps,
        skipped=skipped,
        curves=measured,
        truth=_truth(seen, [one.mask for one in found] if truth is None else [truth]),
        seconds=seconds,
        empty=empty,
        objects=tuple(dict.fromkeys(one.name for one in found)),
        orders=orders,
        steps=steps if isinstance(steps, int) else tuple(map(float, steps)),
        spread=spread,
    )


def _other_orders(
    explain: Callable[..., Relevance], seen: Analysis, first: Relevance, orders: int
) -> Iterable[np.ndarray]:
    seed = int(first.settings.get("seed", 0))
    return (explain(seen, RANDOM, target=None, seed=seed + number).scores for number in range(1, orders))


def _mean(some: Sequence[Curves]) -> Curves:
    """Of curves with the same points."""
    if len(some) == 1:
        return some[0]
    deletion, insertion = (np.mean([getattr(one, name) for one in some], 0) for name in ("deletion", "insertion"))
    return Curves(some[0].share, deletion, insertion)


def label_of(seen: Analysis, target: int | str) -> str:
    """What is explained, in words: the label of the class, its number where it has none, the name of a function."""
    if isinstance(target, str):
        return target
    return seen.labels[target] if target < len(seen.labels) else Text("output {index}", index=target)


def _check_names(names: Iterable[object]) -> None:
    for one in names:
        if not isinstance(one, str):
            raise VizError(
                "Methods are compared by their names, but got {got}.",
                "vizapp.explain(seen, ...) runs a callable; @method gives it a name (docs/add-a-method.md).",
                got=getattr(one, "__name__", repr(one)),
            )


def _check(settings: Settings, names: Sequence[str]) -> None:
    for name, own in settings.items():
        method_named(name).check(own)
        if name not in names:
            raise VizError(
                "There are settings for {name}, but it is not among the methods.",
                "Add it, or leave them out.",
                name=name,
            )


def _objects(seen: Analysis, label: str) -> list[Truth]:
    objects = [one for one in seen.truth if one.is_object]
    return [one for one in objects if one.name == label] or objects


def _truth(seen: Analysis, masks: Sequence[np.ndarray]) -> np.ndarray | None:
    """In model pixels."""
    return seen.frame.mask_of(np.any(masks, axis=0)) if masks else None


def differences(first: Comparison, second: Comparison) -> dict[str, np.ndarray]:
    """Method -> (rows, cols): what its map of one class has more than that of another, -2 to 2; of methods that know classes.

    Each map is first divided by its own largest value on either side of zero, as it is painted: units differ by class, too.
    """
    return {
        name: _by_largest(one.scores) - _by_largest(second.maps[name].scores)
        for name, one in first.maps.items()
        if method_named(name).class_specific and name in second.maps
    }


def _by_largest(scores: np.ndarray) -> np.ndarray:
    return scores / (np.abs(scores).max() or 1)


@dataclass(frozen=True)
class Sanity:
    """What `sanity` found: rank correlation of each map with the one of the network with parts drawn anew.

    stages       ("classifier", "+ layer 12", ...), layers counted from 1 in these words: each is drawn anew with all before it
    correlation  method -> (stages,), -1 to 1; near 1: the map does not depend on what was drawn anew
    """

    stages: tuple[str, ...]
    correlation: Mapping[str, np.ndarray]


def sanity(
    seen: Analysis,
    names: Sequence[str],
    *,
    target: Target | str | None = None,
    seed: int = 0,
    settings: Settings = NO_SETTINGS,
    on_progress: Progress = lambda what, share: None,
) -> Sanity:
    """Draw the classifier anew, then layer after layer from the top, and look again (Adebayo et al. 2018).

    The same class is explained at each stage, whatever the network then thinks of it. Methods that have no map are left
    out. Settings as for `compare`.
    """
    _check_names(names)
    _check(settings, names)
    context = seen.of_class(target).ready()
    before = {name: _scores(method_named(name), context, settings) for name in names}
    depth = len(seen.trace.layers)
    found: dict[str, list[float]] = {name: [] for name, one in before.items() if one is not None}
    for blocks in range(depth + 1):
        on_progress(
            Text("classifier") if blocks == 0 else Text("layer {layer}", layer=depth - blocks + 1), blocks / (depth + 1)
        )
        model = randomised(context, blocks, seed)
        forgetful = replace(context, model=model, trace=capture(model, context.pixels), norms=None)
        for name in found:
            checkpoint()
            after, own = _scores(method_named(name), forgetful, settings), before[name]
            assert own is not None
            found[name].append(np.nan if after is None else _left(own, after))
    stages = (Text("classifier"), *(Text("+ layer {layer}", layer=layer) for layer in range(depth, 0, -1)))
    return Sanity(stages, {name: np.array(values) for name, values in found.items()})


def _left(own: np.ndarray, after: np.ndarray) -> float:
    """Rank correlation; of a map that has become the same everywhere nothing is left."""
    return float(np.nan_to_num(rank_correlation([own, after])[0, 1]))


def _scores(method: Method, context: ExplainContext, settings: Settings) -> np.ndarray | None:
    try:
        return method(context, **settings.get(method.name, {})).scores
    except VizError:
        return None
