"""Many methods on one picture: their maps, how far each may be believed, and how far they agree.

result = compare(vizapp.analyse("toy", "photo.jpg"), target="cup")
result.maps["chefer"].scores                   # (rows, cols)
result.skipped["legrad"]                       # why it means nothing for this network
result.curves["chefer"].areas                  # deletion, insertion
result.rows()                                  # a table: a dict for each method
result.agreement()                             # names, (map, map) rank correlations
sanity(seen, ["rollout", "chefer"])            # what is left of a map when the network forgets
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from vizapp.core.agreement import rank_correlation
from vizapp.core.capture import capture
from vizapp.core.faithfulness import Curves, Empty, curves
from vizapp.core.methods import Method, method_named, methods
from vizapp.core.metrics import metrics
from vizapp.core.randomised import randomised
from vizapp.core.specimen import Specimen
from vizapp.core.trace import Relevance
from vizapp.errors import VizError
from vizapp.pipeline import Analysis, Truth, explain

BASELINES = ("random", "centre")
QUICK = (  # one of each kind, in seconds
    *(
        "attention",
        "rollout",
        "gradient_rollout",
        "chefer",
        "legrad",
        "transformer_attribution",
        "attn_lrp",
        "grad_cam",
    ),
    *("alti", "value_rollout"),
)
SLOW = ("rise", "occlusion", "integrated_gradients", "smooth_grad", "attention_flow")  # many passes, or many paths
Tell = Callable[[str, float], None]
Settings = Mapping[str, Mapping[str, Any]]
NO_SETTINGS: Settings = MappingProxyType({})


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    target   index of the class that class-specific methods explain; None for a network without classes
    skipped  method -> why it has no map here, in words
    curves   method -> deletion and insertion; empty if they were not asked for, or without classes
    truth    (h, w) share of object, in model pixels; None where it is not known
    objects  the names of what is measured as the object; () where it was given, or is not known
    seconds  method -> how long its map took; what methods share (gradients) counts for the first of them
    """

    seen: Analysis = field(repr=False)
    target: int | None
    maps: Mapping[str, Relevance] = field(repr=False)
    skipped: Mapping[str, str]
    curves: Mapping[str, Curves] = field(repr=False)
    truth: np.ndarray | None = field(repr=False)
    seconds: Mapping[str, float] = field(repr=False)
    empty: Empty = "mean"
    objects: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """One dict per method, in their order: method, class_specific, deletion, insertion, a column per metric, seconds."""
        return [self._row(name) for name in self.maps]

    def _row(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = {"method": name, "class_specific": method_named(name).class_specific}
        if name in self.curves:
            row["deletion"], row["insertion"] = self.curves[name].areas
        if self.truth is not None:
            heat = self.maps[name].scores.clip(min=0)[None]  # what speaks against the class finds nothing
            row |= {metric: float(score(heat, self.truth)[0]) for metric, score in metrics().items()}
        return row | {"seconds": round(self.seconds[name], 3)}

    def agreement(self) -> tuple[list[str], np.ndarray]:
        """Names of methods, and rank correlations (method, method) of their maps, -1 to 1; on the grid that most share."""
        grid = self.seen.trace.layout.grid
        names = [name for name, one in self.maps.items() if one.scores.shape == grid]
        return names, rank_correlation([self.maps[name].scores for name in names])

    @property
    def _label(self) -> str | None:
        return None if self.target is None else self.seen.labels[self.target]

    def save(self, path: str | Path) -> None:
        """Write the table as .csv or .json. Raises `VizError` for other names."""
        path = Path(path)
        try:
            self._save(path)
        except OSError as error:
            raise VizError(
                f"'{path}' cannot be written: {error.strerror or error}.", "Choose another folder."
            ) from error

    def _save(self, path: Path) -> None:
        rows = self.rows()
        if path.suffix.lower() == ".json":
            about = {"model": self.seen.model, "class": self._label, "empty": self.empty, "skipped": dict(self.skipped)}
            settings = {name: one.settings for name, one in self.maps.items()}
            path.write_text(json.dumps({**about, "settings": settings, "rows": rows}, indent=1))
        elif path.suffix.lower() == ".csv":
            with path.open("w", newline="") as file:
                whole = {"model": self.seen.model, "class": self._label}
                writer = csv.DictWriter(file, [*whole, *rows[0]])
                writer.writeheader()
                writer.writerows(whole | row for row in rows)
        else:
            raise VizError(f"'{path}' is neither .csv nor .json.", "Name it table.csv or table.json.")


def compare(
    seen: Analysis,
    names: Sequence[str] | str | None = None,
    *,
    target: int | str | None = None,
    truth: np.ndarray | None = None,
    steps: int = 8,
    empty: Empty = "mean",
    settings: Settings = NO_SETTINGS,
    tell: Tell = lambda what, share: None,
) -> Comparison:
    """Run methods on one picture, and measure each map.

    names   of the methods, or of one; None: all. Baselines (`random`, `centre`) are always among them
    target  class that is explained and whose probability is measured: index, label, or None for the most probable one
    truth   (H, W) bool, in pixels of the picture: the object. None: what the analysis knows of it, if anything: things
            that are called as the class is, else all objects
    steps   points of the curves of deletion and insertion; 0 leaves the curves out
    settings  method -> its keyword-only parameters, where they are not to be the defaults: {"rise": {"masks": 512}}
    tell    called with what comes next and the share that is done; who wants to stop raises an exception there
    Methods that mean nothing for the network, or need what is not installed, are skipped with the reason.
    """
    names = [names] if isinstance(names, str) else names
    chosen = list(dict.fromkeys([*(methods() if names is None else names), *BASELINES]))
    _check(settings, chosen)
    holds = seen.trace.logits is not None and (seen.specimen is not None or target is not None)
    specimen = seen.of_class(target) if holds else None
    maps: dict[str, Relevance] = {}
    skipped: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for number, name in enumerate(chosen):
        tell(name, number / len(chosen) / 2)
        method, started = method_named(name), time.perf_counter()
        try:
            about = specimen.explained if specimen and method.class_specific else None
            maps[name] = explain(seen, name, target=about, **settings.get(name, {}))
        except VizError as error:
            skipped[name] = str(error)
        seconds[name] = time.perf_counter() - started
    measured: dict[str, Curves] = {}
    if specimen and steps:
        pixels = specimen.pixels.to(specimen.model.device)
        for number, (name, one) in enumerate(maps.items()):
            tell(f"deletion and insertion of {name}", 0.5 + number / len(maps) / 2)
            measured[name] = curves(specimen.model.net, pixels, one.scores, specimen.explained, steps, empty)
    found = [] if truth is not None else _objects(seen, seen.labels[specimen.explained] if specimen else "")
    return Comparison(
        seen=seen,
        target=specimen.explained if specimen else None,
        maps=maps,
        skipped=skipped,
        curves=measured,
        truth=_truth(seen, [one.mask for one in found] if truth is None else [truth]),
        seconds=seconds,
        empty=empty,
        objects=tuple(dict.fromkeys(one.name for one in found)),
    )


def _check(settings: Settings, names: Sequence[str]) -> None:
    for name, own in settings.items():
        method_named(name).check(own)
        if name not in names:
            raise VizError(
                f"There are settings for {name}, but it is not among the methods.", "Add it, or leave them out."
            )


def _objects(seen: Analysis, label: str) -> list[Truth]:
    objects = [one for one in seen.truth if one.is_object]
    return [one for one in objects if one.name == label] or objects


def _truth(seen: Analysis, masks: Sequence[np.ndarray]) -> np.ndarray | None:
    """In model pixels."""
    return seen.frame.mask_of(np.any(masks, axis=0)) if masks else None


def differences(first: Comparison, second: Comparison) -> dict[str, np.ndarray]:
    """What the maps of one class have more than those of another, -2 to 2, for each method that knows classes.

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
    """What `sanity` found: rank correlation of each map with its own after the network forgot.

    stages       ("classifier", "+ layer 12", ...): each forgets what the one before did, and one layer more
    correlation  method -> (stages,), -1 to 1; near 1: the map does not depend on what was forgotten
    """

    stages: tuple[str, ...]
    correlation: Mapping[str, np.ndarray]


def sanity(
    seen: Analysis,
    names: Sequence[str],
    *,
    target: int | str | None = None,
    seed: int = 0,
    settings: Settings = NO_SETTINGS,
    tell: Tell = lambda what, share: None,
) -> Sanity:
    """Adebayo et al. 2018: let the network forget its classifier, then layer after layer from the top, and look again.

    The same class is explained at each stage, whatever the network then thinks of it. Methods that have no map are left
    out. Settings as for `compare`.
    """
    _check(settings, names)
    specimen = seen.of_class(target)
    before = {name: _scores(method_named(name), specimen, settings) for name in names}
    depth = len(seen.trace.layers)
    found: dict[str, list[float]] = {name: [] for name, one in before.items() if one is not None}
    for blocks in range(depth + 1):
        tell("classifier" if blocks == 0 else f"layer {depth - blocks + 1}", blocks / (depth + 1))
        model = randomised(specimen, blocks, seed)
        forgetful = replace(specimen, model=model, trace=capture(model, specimen.pixels))
        for name in found:
            after, own = _scores(method_named(name), forgetful, settings), before[name]
            assert own is not None
            found[name].append(np.nan if after is None else _left(own, after))
    stages = ("classifier", *(f"+ layer {layer}" for layer in range(depth, 0, -1)))
    return Sanity(stages, {name: np.array(values) for name, values in found.items()})


def _left(own: np.ndarray, after: np.ndarray) -> float:
    """Rank correlation; of a map that has become the same everywhere nothing is left."""
    return float(np.nan_to_num(rank_correlation([own, after])[0, 1]))


def _scores(method: Method, specimen: Specimen, settings: Settings) -> np.ndarray | None:
    try:
        return method(specimen, **settings.get(method.name, {})).scores
    except VizError:
        return None
