"""What the page asks about methods: targets, maps and their curves one by one, what is left when a network forgets, and files.

Each question is answered by the functions of `vizapp.compare`. What was computed for one of them is kept for the next: a file of
what stands on the page computes nothing anew, and holds the very same numbers.
"""

import hashlib
import json
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from vizapp.analysis import Analysis, Request
from vizapp.core.attention.relevance import Relevance
from vizapp.core.methods import method_named, methods, within
from vizapp.core.target import Target
from vizapp.core.trust.faithfulness import FINE, Curves, coarse, curves_of
from vizapp.errors import VizError
from vizapp.pipeline import explain
from vizapp.pipeline.captions import Sentence, text
from vizapp.pipeline.comparison import Comparison, compare, label_of
from vizapp.pipeline.sanity import sanity
from vizapp.pipeline.trial import RANDOM, Progress, curves_of_maps
from vizapp.recent import Recent
from vizapp.server.fields import settings_of
from vizapp.ui import comparison_html, zero_gpu
from vizapp.ui.comparison_files import NARROW, WIDTHS, drawable, files, numbers
from vizapp.ui.programs.arguments import check
from vizapp.ui.programs.endpoints import offered
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.targets import TAUGHT, Aim, Aims, reads, title
from vizapp.ui.taught_classes import things_of
from vizapp.ui.words import Words
from vizapp.vocabulary import ORDERS, ORDERS_AT_ONCE, Empty

Answer = dict[str, Any]
Call = Literal["classes", "here", "shares", "explain", "judge", "chance", "forget", "files"]
SENTENCE = 200  # letters of one that is a target
KEPT = 2000  # maps, and as many curves: some kilobytes each

# What a question holds by the name of the field; `things_of` reads a lesson.
FIELDS: dict[str, Any] = {
    "method": str,
    "methods": list[str],
    "settings": dict[str, dict[str, Any]],
    "empty": Empty,
    "from": int,
    "count": int,
    "target": int | None,
    "sentence": str,
    "other": dict[str, Any] | None,
    "file": Literal["csv", "png", "npz"],
    "width": int,
}


@dataclass(frozen=True, eq=False)
class Kept:
    """What was computed for pages: maps with their seconds, curves, and sentences that were read, by what was asked."""

    maps: Recent[Hashable, tuple[Relevance, float]] = field(default_factory=lambda: Recent(KEPT))
    curves: Recent[Hashable, Curves] = field(default_factory=lambda: Recent(KEPT))
    sentences: Recent[tuple[str, str], Sentence] = field(default_factory=lambda: Recent(100))


@dataclass(frozen=True, eq=False)
class Aimed:
    """A target, and how its maps and curves are made, unless they are kept. `key` says all of it that a map depends on."""

    aim: Aim
    key: tuple[Hashable, ...]
    kept: Kept

    def explain(self, seen: Analysis, method: str, *, target: Target | None = None, **settings: Any) -> Relevance:
        """Make the map of a method, as `vizapp.pipeline.explain` does."""
        key = self._of_map(method, target is not None, settings)
        found = self.kept.maps.get(key)
        if found is None:
            began = time.perf_counter()
            made = self.aim.computing.get("explain", explain)(seen, method, target=target, **settings)
            self.kept.maps.keep(key, found := (made, time.perf_counter() - began))
        return found[0]

    def curves(
        self, net: Any, pixels: Any, maps: Sequence[np.ndarray], target: Target, steps: Any, empty: Empty, *rest: Any
    ) -> Sequence[Curves]:
        """Measure maps, as `vizapp.core.trust.faithfulness.curves_of` does."""
        keys = [(self.key, steps, empty, one.shape, one.tobytes()) for one in maps]
        lacking = [one for one, key in zip(maps, keys, strict=True) if key not in self.kept.curves]
        if lacking:
            measure = self.aim.computing.get("curves", curves_of)
            made = iter(measure(net, pixels, lacking, target, steps, empty, *rest))
        return [self.kept.curves.get(key) or self._keep(key, next(made)) for key in keys]

    def _keep(self, key: Hashable, one: Curves) -> Curves:
        self.kept.curves.keep(key, one)
        return one

    def compared(self, names: Sequence[str], **how: Any) -> Comparison:
        """Compare methods for this target, by what is kept of them."""
        result = compare(self.aim.seen, names, target=self.aim.target, explain=self.explain, curves=self.curves, **how)
        given = how.get("settings", {})
        seconds = {
            name: found[1]
            for name, one in result.maps.items()
            if (found := self.kept.maps.get(self._of_map(name, one.target is not None, given.get(name, {}))))
        }
        return replace(result, seconds={**result.seconds, **seconds})

    def _of_map(self, method: str, of_class: bool, settings: dict[str, Any]) -> Hashable:
        about, lesson, *target = self.key
        return about, lesson, tuple(target) if of_class else (), method, tuple(sorted(settings.items()))


@dataclass(frozen=True, eq=False)
class Question:
    """What a page asks about the picture of `request`; `what` has the fields of FIELDS. Answer it inside a job."""

    session: Session
    request: Request
    what: Answer
    words: Words
    on_progress: Progress
    kept: Kept

    @cached_property
    def seen(self) -> Analysis:
        """The picture, analysed by the network itself."""
        return self.session.analysis(self.request)

    @cached_property
    def aimed(self) -> Aimed:
        """What is explained."""
        return self._aimed(self.what)

    @cached_property
    def other(self) -> Aimed | None:
        """What it is compared with, where that is something else."""
        other = self.what.get("other")
        found = self._aimed(other) if other else None
        return found if found and found.aim.target is not None and found.key != self.aimed.key else None

    @property
    def method(self) -> str:
        """The method that the question is about."""
        return method_named(str(self.what.get("method"))).name

    @property
    def methods(self) -> list[str]:
        """The methods that the question is about, without baselines: these are in each comparison."""
        return [one for one in dict.fromkeys(self.what.get("methods", [])) if not method_named(one).baseline]

    def settings(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Method -> its settings, for those of `names` that have other than their defaults."""
        given = self.what.get("settings", {})
        found = {name: settings_of(method_named(name), given[name]) for name in names if name in given}
        return {name: own for name, own in found.items() if own}

    @property
    def empty(self) -> Empty:
        """What stands in the place of patches that are taken away."""
        empty: Empty = self.what.get("empty", "mean")
        return empty

    def _aimed(self, said: Answer) -> Aimed:
        index, lesson, sentence = said.get("target"), said.get("lesson"), str(said.get("sentence") or "").strip()
        things = things_of({"model": self.seen.model_name, **lesson}) if isinstance(lesson, dict) else None
        taught = "" if things is None else hashlib.sha256(json.dumps(lesson, sort_keys=True).encode()).hexdigest()
        if sentence and reads(self.seen):
            aim = Aim(self.seen, self._sentence(sentence), zero_gpu.computing(self.request))
            return Aimed(aim, (self.request, "", sentence), self.kept)
        aim = Aims(self.session, self.request, things, self.words).of(f"{TAUGHT}{index}" if things else index)
        return Aimed(aim, (self.request, taught, index), self.kept)

    def _sentence(self, sentence: str) -> Sentence:
        """The sentence as a target: one object, for which gradients are made once."""
        assert self.seen.context is not None
        key = self.request.model, sentence
        found = self.kept.sentences.get(key) or text(self.seen.context.model, sentence)
        self.kept.sentences.keep(key, found)
        return found


def refuse(session: Session, what: Answer) -> None:
    """Raise `VizError` for a question that no page asks, before it waits for its turn."""
    other = what.get("other")
    for said in (what, other if isinstance(other, dict) else {}):
        for name, kind in FIELDS.items():
            if name in said:
                check(name, said[name], kind)
        if len(said.get("sentence", "")) > SENTENCE:
            raise VizError("The sentence has too many letters.", "Write {most} at most.", most=SENTENCE)
    asked = [what["method"]] if "method" in what else []
    for name in {*asked, *what.get("methods", []), *what.get("settings", {})}:
        settings_of(offered(session, name), what.get("settings", {}).get(name, {}))
    if "width" in what and what["width"] not in WIDTHS:
        within(min(WIDTHS), max(WIDTHS), width=what["width"])
        raise VizError("Nothing on this page asks for that.", "Reload the page.")


# ---- targets


def _classes(asked: Question) -> list[tuple[int, str, float | None]]:
    """(index, label, probability) of each class, the most probable first. Of outputs without labels, the largest, without one.

    [] where nothing can be explained.
    """
    seen, words = asked.seen, asked.words
    if not seen.labels and seen.context is not None and seen.context.chooses:
        largest = int(seen.trace.largest or 0)
        return [(largest, words.translate(label_of(seen, largest)), None)]
    return [(index, words.translate(seen.labels[index]), share) for index, share in seen.best(len(seen.labels))]


def _here(asked: Question) -> Answer:
    """reads: can a sentence be explained? scores: has a class no probability, but a score? notHere: methods without a map."""
    seen = asked.seen
    not_here = [name for name, one in methods().items() if one.why_not(seen.trace, "a target")]
    return {"reads": reads(seen), "scores": seen.activation == "none", "notHere": not_here}


def _shares(asked: Question) -> list[float]:
    """The share of the picture of each thing that was taught, in their order."""
    seen = asked.aimed.aim.seen
    shares = dict(seen.best(len(seen.labels)))
    return [shares[index] for index in range(len(shares))]


# ---- maps, and how they are measured


def _explain(asked: Question) -> Answer:
    """A map; why there is none, of a method that has none here: the others go on."""
    name, words = asked.method, asked.words
    found = asked.aimed.compared([name], steps=0, settings=asked.settings([name]))
    if name in found.skipped:
        return {"why": words.translate(found.skipped[name])}
    one, row = found.maps[name], next(row for row in found.rows() if row["method"] == name)
    return {
        "values": [float(value) for value in one.scores.ravel()],
        "grid": one.scores.shape,
        "hidden": None if one.hidden is None else one.hidden.ravel().tolist(),
        "isSigned": one.signed,
        "notes": [words.translate(note) for note in one.notes],
        "measured": {each.name: row[each.name] for each in found.measures if each.main},
        "objects": words.listed(map(words.translate, found.objects)),
    }


def _judge(asked: Question) -> Answer:
    """The curves of a method's map."""
    aimed, [name] = asked.aimed, [asked.method]
    target = aimed.aim.target if method_named(name).class_specific else None
    one = aimed.explain(aimed.aim.seen, name, target=target, **asked.settings([name]).get(name, {}))
    [found] = _measured(asked, [one.scores], FINE)
    return _said(found)


def _chance(asked: Question) -> list[Answer]:
    """The curves of `count` random orders, the first of which has the seed `from`."""
    aimed, first, count = asked.aimed, asked.what.get("from", 0), asked.what.get("count", 0)
    within(1, ORDERS_AT_ONCE, count=count)  # the pictures of all of them are in memory together
    within(0, ORDERS, **{"from": first})
    orders = [aimed.explain(aimed.aim.seen, RANDOM, seed=first + number).scores for number in range(count)]
    return [_said(one) for one in _measured(asked, orders, coarse(FINE, orders[0].size))]


def _measured(asked: Question, maps: Sequence[np.ndarray], steps: Sequence[float]) -> Sequence[Curves]:
    aim = asked.aimed.aim
    return curves_of_maps(aim.seen.of_class(aim.target).ready(), maps, steps, asked.empty, asked.aimed.curves)


def _said(found: Curves) -> Answer:
    lines = {name: getattr(found, name).tolist() for name in ("share", "deletion", "insertion")}
    return lines | {"areas": found.areas, "coarse": found.coarse.areas}


def _forget(asked: Question) -> Answer:
    """What is left of each method's map while the network forgets: the names of its steps, and a number for each, or null."""
    names, aim = asked.methods, asked.aimed.aim
    how: dict[str, Any] = {"settings": asked.settings(names), "on_progress": asked.on_progress}
    found = sanity(aim.seen, names, target=aim.target, **how)
    left = {
        name: [None if np.isnan(value) else float(value) for value in values]
        for name, values in found.correlation.items()
    }
    return {"stages": [asked.words.translate(stage) for stage in found.stages], "left": left}


# ---- files


def _files(asked: Question) -> Answer:
    """A file of the comparison, in the server's folder: the table, the maps as one picture, or their numbers."""
    kind, names = asked.what.get("file", "csv"), asked.methods
    how: dict[str, Any] = {"steps": FINE, "orders": ORDERS, "empty": asked.empty, "on_progress": asked.on_progress}

    def compared(aimed: Aimed, some: list[str]) -> Comparison:
        return aimed.compared(some, settings=asked.settings(some), **how)

    result = compared(asked.aimed, names)
    specific = [name for name in result.maps if name in names and method_named(name).class_specific]
    second = compared(asked.other, specific) if asked.other else None
    if kind == "png":
        made = comparison_html.cards(asked.words, result, second)
        width = asked.what.get("width", NARROW)
        saved = files(asked.words, result, made, partial(title, result, second), second, width)
        return {"path": saved.maps, "isEnglish": drawable(asked.words) is not asked.words}
    key = repr([kind, result.rows(), second and second.rows(), result.made_from(second)]).encode()
    with folder.current().filling("vizapp", key) as made_in:
        path = made_in / f"methods.{kind}"
        if kind == "csv":
            result.save(path, second, alone=True)
        else:
            numbers(result, second, path)
    return {"path": str(folder.current().filled("vizapp", key) / path.name)}


DONE: dict[Call, Callable[[Question], Any]] = {
    "classes": _classes,
    "here": _here,
    "shares": _shares,
    "explain": _explain,
    "judge": _judge,
    "chance": _chance,
    "forget": _forget,
    "files": _files,
}
