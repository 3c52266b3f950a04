"""Compares many methods on one picture: their maps, how faithful each is, and how much they agree.

result = compare(vizapp.analyse("toy", "photo.jpg"), target="cup")
result.maps["chefer"].scores                   # (rows, cols)
result.skipped["legrad"]                       # why it has no map for this network
result.curves["chefer"].areas                  # deletion, insertion
result.rows()                                  # a table: a dict for each method
result.agreement()                             # names, (map, map) rank correlations
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from vizapp.analysis import Analysis, Truth
from vizapp.analysis.notebook import beside, image, painted, table
from vizapp.analysis.record import made_from
from vizapp.analysis.tables import write_rows
from vizapp.core import callable_method
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import Query
from vizapp.core.context import ExplainContext
from vizapp.core.measure import Measure
from vizapp.core.methods import Method, baseline_names, method_named, methods
from vizapp.core.metrics import measured, metrics
from vizapp.core.target import Target, name_of
from vizapp.core.trust.agreement import rank_correlation
from vizapp.core.trust.chance import MEASURES, as_good, beats, loss, mean_of
from vizapp.core.trust.faithfulness import Curves, curves_of
from vizapp.errors import VizError
from vizapp.pipeline import explain
from vizapp.pipeline.trial import RANDOM, Progress, Trial, order_of
from vizapp.vocabulary import Empty
from vizapp.wording import Text, columns, listed

Settings = Mapping[str, Mapping[str, Any]]
Chosen = Method | Callable[..., Any]
Methods = Sequence[str | Chosen] | str | Chosen  # names of methods or the user's own callables; several or one
NO_SETTINGS: Settings = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    target
        index of the class that class-specific methods explain, or the name of a function; None if nothing is explained
    skipped
        method -> the sentence that says why it has no map here
    curves
        method -> deletion and insertion; empty if they were not requested, or without classes
    truth
        (h, w) bool: the object, in model pixels, or in finer ones where a patch has no whole ones; None if unknown
    objects
        the names of the objects that `truth` shows; () if it was given, or is unknown
    seconds
        method -> how long its map took; work that methods share (gradients) counts for the first of them
    orders
        number of random orders measured; the curves of the baseline "random" are their mean, with fewer points for many
    steps
        points of the curves, or the shares of patches at which they have one, as given to `compare`
    chance
        name of a measure -> (orders,) the areas of these orders; {} for a single one
    drawn
        the curves of these orders
    asked
        whether the maps are of a query that was named; each says which
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
    chance: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    drawn: Sequence[Curves] = field(default=(), repr=False)
    asked: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """One dict per method, in order: method, class_specific, deletion, insertion, a column per metric, seconds.

        If more than one random order was measured, also "deletion over random" and "insertion over random": see `beaten`.
        """
        return [self._row(name) for name in self.maps]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures in the numeric columns of `rows`, from left to right."""
        faithful = MEASURES if self.curves else ()
        return (*faithful, *(metrics().values() if self.truth is not None else ()))

    def ranking(self, measure: Measure) -> list[str]:
        """Methods ordered by deletion or insertion, the best first, without baselines."""
        named = [name for name in self.curves if name not in baseline_names()]
        return sorted(named, key=lambda name: loss(self.curves[name], measure))

    def beaten(self, name: str, measure: Measure) -> float:
        """The share of random orders, 0 to 1, that a map beats in deletion or insertion; NaN for a single order."""
        areas = self.chance.get(measure.name)
        return np.nan if areas is None else (len(areas) - as_good(self.curves[name], areas, measure)) / len(areas)

    def beats_chance(self, name: str, measure: Measure) -> bool:
        """Tell whether a map ranks in the best 5 % among itself and the random orders (see `vizapp.core.trust.chance`)."""
        areas = self.chance.get(measure.name, np.empty(0))
        return beats(as_good(self.curves[name], areas, measure), len(areas))

    def _row(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = {"method": name, "class_specific": self.maps[name].target is not None}
        if name in self.curves:
            row |= dict(zip((one.name for one in MEASURES), self.curves[name].areas, strict=True))
            for measure in MEASURES if self.chance else ():
                row[f"{measure.name} over random"] = None if name == RANDOM else self.beaten(name, measure)
        if self.truth is not None:
            found = measured(self.maps[name].scores[None], self.truth)
            row |= {metric: float(values[0]) for metric, values in found.items()}
        return row | {"seconds": round(self.seconds[name], 3)}

    def agreement(self) -> tuple[list[str], np.ndarray]:
        """Names of methods, and rank correlations (method, method) of their maps, -1 to 1, on the most common grid."""
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
        """Additional columns of one row that a reader needs who has only the table."""
        known = self.made_from()
        own = {"settings": json.dumps(known["settings"][method], default=str), "seed": known["seed"].get(method)}
        own |= {"query": known["query"][method]} if "query" in known else {}
        rest = {key: known[key] for key in known if key not in {*self._of, *own, "target"}}
        return own | rest | {"edits": json.dumps(known["edits"])}

    @property
    def _label(self) -> str | None:
        return None if self.target is None else label_of(self.seen, self.target)

    def __str__(self) -> str:
        title = f"{self.seen.model_name}{': ' + self._label if self._label else ''}"
        return "\n".join([title, columns(self.rows()), *(f"{name}: {why}" for name, why in self.skipped.items())])

    def _repr_html_(self) -> str:
        """HTML: each map on the picture, the table, then the skipped methods and why."""
        figures = [(image(painted(self.seen, one), name), name) for name, one in self.maps.items()]
        left_out = "".join(f"<p>{escape(name)}: {escape(str(why))}</p>" for name, why in self.skipped.items())
        words = f"<p>{escape(self.seen.model_name)}{': ' + escape(self._label) if self._label else ''}</p>"
        return beside(figures, words + table(self.rows()) + left_out)

    def made_from(self, second: "Comparison | None" = None) -> dict[str, Any]:
        """The provenance of files about this comparison: that of `vizapp.analysis.record.made_from`, and the arguments.

        `settings`, `query` and `seed` are by method; `second` is the comparison of the same picture for another class.
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
        return made_from(self.seen) | {"target": self.target} | known | {"seed": seeds} | self._asks | other

    @property
    def _asks(self) -> dict[str, Any]:
        return {"query": {name: one.asked for name, one in self.maps.items()}} if self.asked else {}

    def save(self, path: str | Path, second: "Comparison | None" = None, *, alone: bool = False) -> None:
        """Write the table as .csv or .json; the provenance of a .csv goes into .csv.json beside it. Other names are refused.

        Parameters
        ----------
        second
            the comparison of the same picture for another class: its rows follow, and each row names its class
        alone
            write a .csv without a second file: each row contains its settings and provenance
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
        about = {**of, **self._asks, "empty": self.empty, "skipped": dict(self.skipped), "settings": settings}
        write_rows(path, rows, about | {"provenance": made_from(self.seen) | {"target": self.target}})


def compare(
    seen: Analysis,
    names: Methods | None = None,
    *,
    query: Query | None = None,
    target: Target | str | None = None,
    truth: np.ndarray | None = None,
    steps: int | Sequence[float] = 8,
    orders: int = 1,
    empty: Empty = "mean",
    settings: Settings = NO_SETTINGS,
    on_progress: Progress = lambda what, share: None,
    explain: Callable[..., Relevance] = explain,
    curves: Callable[..., Sequence[Curves]] = curves_of,
) -> Comparison:
    """Run methods on one picture, and measure each map.

    Methods that are not defined for the network, or whose packages are missing, are skipped with the reason.

    Parameters
    ----------
    names
        of the methods, or your own callables, as for `explain`; several or one; None: all. Baselines (`random`, `centre` ...)
        are always included
    query
        whose attention, as for `explain`, of methods whose map depends on it; None: what the classifier reads
    target
        the class that is explained and whose probability is measured: index, label, or None for the most probable one. Or a
        function of the network's output, whose score is measured instead
    truth
        (H, W) bool, in pixels of the picture: the object. None: the analysis's objects with the name of the class, or all of
        them if there is none
    steps
        points of the curves of deletion and insertion, or the shares of patches at which they have one (see
        `vizapp.core.trust.faithfulness.curves`); 0 leaves the curves out
    orders
        the most random orders to measure for the baseline "random". With 19 or more, `beats_chance` tells which maps are
        better. Measuring stops early once no map can be
    settings
        method -> its keyword-only parameters that differ from the defaults: {"rise": {"masks": 512}}
    on_progress
        called with the next step and the share that is done; an exception raised there ends the run
    explain, curves
        functions that compute a map and measure maps, for example in another process with a GPU

    Examples
    --------
    >>> found = vizapp.compare(vizapp.analyse("toy", "example"), ["attention", "rollout"], steps=0)
    >>> [row["method"] for row in found.rows()][:2]
    ['attention', 'rollout']
    """
    asked = callable_method.by_name(methods() if names is None else names)
    chosen = callable_method.by_name([*asked.values(), *baseline_names()])
    check_settings(settings, chosen)
    seen.trace.query(query)  # raises `VizError` for one that there is not
    holds = target is not None or (seen.context is not None and seen.context.chooses)
    context = seen.of_class(target).ready() if holds else None
    maps, skipped, seconds = _explained(seen, chosen, context, query, settings, explain, on_progress)
    measured, drawn = {}, []
    if context and steps:
        trial = Trial(context, steps, empty, curves, on_progress, [one for one in maps if one != RANDOM], orders)
        measured = trial.of_maps(maps)
        if RANDOM in maps:
            patches = maps[RANDOM].scores.size
            drawn = trial.of_random(
                lambda number: order_of(explain, seen, maps[RANDOM], number).scores, patches, measured
            )
    if drawn:
        measured[RANDOM], orders = mean_of(drawn), len(drawn)
        measured = {name: measured[name] for name in maps}
    chance = {one.name: np.array([each.areas[at] for each in drawn]) for at, one in enumerate(MEASURES)}
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
        chance=chance if len(drawn) > 1 else {},
        drawn=tuple(drawn),
        asked=query is not None,
    )


def _explained(
    seen: Analysis,
    chosen: Mapping[str, Chosen],
    context: ExplainContext | None,
    query: Query | None,
    settings: Settings,
    explain: Callable[..., Relevance],
    on_progress: Progress,
) -> tuple[dict[str, Relevance], dict[str, str], dict[str, float]]:
    """The map of each method, or why it has none; and the seconds that each took."""
    maps: dict[str, Relevance] = {}
    skipped: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for number, (name, method) in enumerate(chosen.items()):
        on_progress(name, number / len(chosen) / 2)
        started, known = time.perf_counter(), methods().get(name) is method
        try:
            wanted = context.explained if context and callable_method.takes_class(method) else None
            asked = {"query": query} if query is not None and callable_method.takes_query(method) else {}
            maps[name] = explain(seen, name if known else method, target=wanted, **asked, **settings.get(name, {}))
        except VizError as error:
            skipped[name] = listed([part for part in (error.message, error.hint) if part], " ")
        seconds[name] = time.perf_counter() - started
    return maps, skipped, seconds


def label_of(seen: Analysis, target: int | str) -> str:
    """The name of what is explained: the class's label, or its number without one, or a function's name."""
    if isinstance(target, str):
        return target
    return seen.labels[target] if target < len(seen.labels) else Text("output {index}", index=target)


def check_settings(settings: Settings, chosen: Mapping[str, Chosen]) -> None:
    """Raise `VizError` for settings of a method that is not `chosen`, and for unknown settings."""
    for name, own in settings.items():
        callable_method.check(chosen[name] if name in chosen else method_named(name), own)
        if name not in chosen:
            raise VizError(
                "There are settings for {name}, but it is not among the methods.",
                "Add it, or leave them out.",
                name=name,
            )


def _objects(seen: Analysis, label: str) -> list[Truth]:
    objects = [one for one in seen.truth if one.is_object]
    return [one for one in objects if one.name == label] or objects


def _truth(seen: Analysis, masks: Sequence[np.ndarray]) -> np.ndarray | None:
    """The object in model pixels, or in finer ones of which each patch has whole ones, (h, w); None if unknown."""
    return seen.frame.mask_of(np.any(masks, axis=0), seen.trace.layout.grid) if masks else None


def differences(first: Comparison, second: Comparison) -> dict[str, np.ndarray]:
    """Method -> (rows, cols): its map of one class minus that of another, -2 to 2, for class-specific methods.

    Each map is first divided by its largest absolute value, as in painting, because its unit depends on the class, too.
    """
    return {
        name: _by_largest(one.scores) - _by_largest(second.maps[name].scores)
        for name, one in first.maps.items()
        if first.maps[name].target is not None and name in second.maps
    }


def _by_largest(scores: np.ndarray) -> np.ndarray:
    return scores / (np.abs(scores).max() or 1)
