"""How well each method finds the object, and how faithful it is: python -m bench.methods [--count 40] [--photographs MODEL]

On held-out scenes that no recipe was chosen on, for three bundled networks, and on the photographs that come with installed
packages, for a network that knows photographs; beside random and the middle of the picture. Writes its part of
bench/results.json, and bench/METHODS.md. About an hour and a half of one core, in one process; a run that was broken off goes on
where it stopped.
"""

import argparse
import math
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import torch

import vizapp
from bench.__main__ import processor
from bench.pages import keep
from bench.pictures import photographs
from bench.results import FILE
from train.card import CHOSEN_ON
from train.recipes import RECIPES
from vizapp.analysis.unfinished import Unfinished
from vizapp.core.methods import methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.evaluation import at_most, evaluate, key_of
from vizapp.data.folder import Folder
from vizapp.data.one_picture import OWN_OBJECT, set_named
from vizapp.data.statistics import Answer, Evaluation, Interval, MapKey, RunningStats, difference
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS

STEPS = 8
FEWER = 4  # times fewer scenes for the slow methods
HALF = 2  # times fewer scenes of two objects, where each map of a class is made three times
FEWEST = 5  # pictures; of less, an interval says nothing, and the best of many methods is one that was lucky
NETWORKS = ("toy", "unaided", "crate")
KNOWS_PHOTOGRAPHS = "timm:deit_tiny_patch16_224.fb_in1k"
RANDOM = MapKey("random")


@dataclass(frozen=True)
class Measured:
    """Of one network: quick and slow methods on pictures of one object, or on photographs; and on pictures of two.

    None where they saw no picture. `left_out` are the methods that have no map of it.
    """

    quick: Evaluation
    slow: Evaluation | None
    two: Evaluation | None
    slow_two: Evaluation | None
    left_out: Sequence[str]


@dataclass
class Clock:
    """Seconds that pictures took, those of a run that was broken off among them."""

    passed: float = 0.0
    computed: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.methods", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", nargs="*", default=NETWORKS, help="bundled networks")
    parser.add_argument(
        "--count", type=int, default=40, help="scenes; half as many of two objects, a quarter for slow methods"
    )
    parser.add_argument(
        "--photographs", default=KNOWS_PHOTOGRAPHS, help="a network that knows photographs; '' for none"
    )
    parser.add_argument("--said", default="", help="what is to be said of the weights of that one")
    parser.add_argument("--output", type=Path, default=FILE)
    asked = parser.parse_args()
    torch.set_num_threads(1)  # minutes of one core are what the page says
    build = Path("build")
    build.mkdir(exist_ok=True)
    kept, clock = Unfinished(build / "methods"), Clock()

    def say(line: str) -> None:
        print(f"\r{line:78}", end="", file=sys.stderr, flush=True)

    models = [vizapp.load(name, "cpu") for name in asked.models]
    found = on_scenes(models, asked.count, kept, clock, say) if models else []
    if asked.photographs:
        folder = photographs_in(build / "photographs")
        found.append(on_photographs(vizapp.load(asked.photographs, "cpu"), folder, kept, clock, say))
    keep("methods", content(found, clock, asked.said), asked.output)
    kept.done()
    print(f"\n{asked.output}", file=sys.stderr)


def photographs_in(folder: Path) -> Path:
    """The folder, with the photographs of those packages that are installed, each by the name of its package."""
    folder.mkdir(exist_ok=True)
    for name, file in photographs().items():
        shutil.copy2(file, folder / name)
    return folder


def on_scenes(
    models: Sequence[VisionModel],
    count: int,
    kept: Unfinished,
    clock: Clock,
    say: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> list[Measured]:
    """Bundled networks on scenes that their recipes were not chosen on; `only` these methods."""
    first = set_named("clutter").example(CHOSEN_ON, models[0].preprocess.size[0]).picture
    offered = [sorted_out(model, first) for model in models]
    found: dict[tuple[str, str], list[Evaluation | None]] = {}
    for kind, fewer in (
        ("quick", 1),
        ("slow", FEWER),
    ):  # the slow ones last: of a run that is broken off, the rest is there
        for lesson, half, steps in (("clutter", 1, STEPS), ("two", HALF, 0)):
            few = count // fewer // half
            for model, some in zip(models, offered, strict=True):
                names = chosen(some[kind], only)
                one = looked(model, lesson, names, few, CHOSEN_ON, steps, kept, clock, say) if few >= FEWEST else None
                found.setdefault((kind, lesson), []).append(one)
    measured = []
    for at, some in enumerate(offered):
        quick, two, slow, slow_two = (every[at] for every in found.values())
        assert quick is not None
        measured.append(Measured(quick, slow, two, slow_two, some["none"]))
    return measured


def on_photographs(
    model: VisionModel,
    folder: Path,
    kept: Unfinished,
    clock: Clock,
    say: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> Measured:
    """A network that knows photographs, on all of a folder: every method sees each; `only` these."""
    pictures = Folder(folder)
    offered = sorted_out(model, pictures.example(0, 0).picture)
    one, other = (
        looked(model, str(folder), chosen(offered[kind], only), len(pictures.files), 0, STEPS, kept, clock, say)
        for kind in ("quick", "slow")
    )
    return Measured(one, other, None, None, offered["none"])


def chosen(names: Sequence[str], only: Sequence[str] | None) -> list[str]:
    return [name for name in names if only is None or name in only]


def sorted_out(model: VisionModel, picture: Any) -> dict[str, list[str]]:
    """The "quick" methods, the "slow" ones, and those that have "none", no map of this network. Baselines are always there."""
    context = vizapp.analyse(model, picture).of_class()
    kinds: dict[str, list[str]] = {"quick": [], "slow": [], "none": []}
    for one in methods().values():
        if not one.baseline:
            kinds["none" if one.refusal(context) else one.cost].append(one.name)
    return kinds


def looked(
    model: VisionModel,
    lesson: str,
    names: Sequence[str],
    count: int,
    first: int,
    steps: int,
    kept: Unfinished,
    clock: Clock,
    say: Callable[[str], None],
) -> Evaluation:
    """As `vizapp.data.evaluation.evaluate`, one process, from picture `first` on, with what an earlier run has kept."""
    count = at_most(set_named(lesson), count, first)
    key = f"{key_of(model, lesson, names, steps)} from {first}"
    before = kept.of(key, list)[:count]
    for one in before:
        clock.passed, clock.computed = clock.passed + one["passed"], clock.computed + one["computed"]
    now = [time.monotonic(), time.process_time()]

    def told(stats: RunningStats) -> None:
        then, now[:] = tuple(now), (time.monotonic(), time.process_time())
        passed, computed = now[0] - then[0], now[1] - then[1]
        clock.passed, clock.computed = clock.passed + passed, clock.computed + computed
        kept.keep(key, {**stats.answers[-1].content(), "passed": passed, "computed": computed})
        say(f"{model.name} on {Path(lesson).name}: {stats.looked_at} of {count}, {passed:.1f} s")

    stats = RunningStats(map(Answer.of, before))
    return evaluate(model, lesson, methods=names, count=count, first=first, steps=steps, stats=stats, on_progress=told)


# ---- what is kept


def content(found: Sequence[Measured], clock: Clock, said: str) -> dict[str, Any]:
    """Its part of results.json; `said` of the weights of a network that knows photographs."""
    return {
        "date": str(date.today()),
        "processor": processor(),
        "core_minutes": round(clock.computed / 60),
        "minutes": round(clock.passed / 60),
        "chosen_on": CHOSEN_ON,
        "steps": STEPS,
        "networks": [of_network(one, said) for one in found],
    }


def of_network(one: Measured, said: str) -> dict[str, Any]:
    """What was looked at, a row for each method, the farthest from random in insertion first, and what cannot be told apart."""
    quick, slow = one.quick, one.slow
    told: dict[str, Any] = {"name": quick.model, "left_out": list(one.left_out)}
    if quick.lesson in LESSONS:
        told |= {
            "taught": RECIPES[quick.model].taught,
            "right": numbers(quick.accuracy),
            "area": round(quick.area.mean, 4),
        }
        told |= {} if slow else {"said": "Slow methods saw none of these pictures."}
    else:
        told |= {"photographs": [answer.picture for answer in quick.answers], "said": said}
    last = max(seen.layer or 0 for seen in quick.fused)
    shown = [(seen, quick, one.two) for seen in quick.fused if seen.layer in (None, last)]
    if slow:
        shown += [(seen, slow, one.slow_two) for seen in slow.fused if methods()[seen.method].cost == "slow"]
    shown.sort(key=lambda row: -beyond_random(row[1], row[0], INSERTION.name).mean)
    columns = [measure.name for measure in metrics().values() if measure.main] if quick.known else []
    rows = []
    for seen, of, two in shown:
        row: dict[str, Any] = {"method": seen.counted_from(1), "pictures": of.count}
        row |= {name: numbers(of[seen].get(name)) for name in (*columns, DELETION.name, INSERTION.name)}
        for name in (DELETION.name, INSERTION.name):
            row[f"{name}_beyond"] = None if seen == RANDOM else numbers(beyond_random(of, seen, name))
        if one.two:
            own = two and two.scores.get(MapKey(seen.method), {}).get(OWN_OBJECT.name)
            row |= {"own": numbers(own or None), "of_two": two.count if two else 0}
        rows.append(row)
    return told | {"rows": rows, "verdicts": verdicts([(seen, of) for seen, of, _ in shown])}


def numbers(value: Interval | None) -> list[float] | None:
    """Mean, low and high end."""
    if value is None or math.isnan(value.mean):
        return None
    return [round(one, 4) for one in (value.mean, value.low, value.high)]


def verdicts(ranked: Sequence[tuple[MapKey, Evaluation]]) -> dict[str, dict[str, Any]]:
    """By measure: what these pictures do not tell apart from the "best", and what not from a random order ("chance")."""
    found = {}
    for measure in (DELETION, INSERTION):
        sign = 1 if measure.direction == "higher" else -1
        asked = [(seen, of) for seen, of in ranked if not methods()[seen.method].baseline]
        best, best_of = max(asked, key=lambda one: sign * beyond_random(one[1], one[0], measure.name).mean)
        level, chance = [], []
        for seen, of in asked:
            apart = difference(best_of.of_each(best, measure.name), of.of_each(seen, measure.name))
            if seen != best and not clear(apart):
                level.append(seen.counted_from(1))
            if not clear(beyond_random(of, seen, measure.name), sign):
                chance.append(seen.counted_from(1))
        found[measure.name] = {"best": best.counted_from(1), "level": level, "chance": chance}
    return found


def clear(apart: Interval, sign: int = 0) -> bool:
    """Does the interval of a difference leave zero out; on the side of `sign`, where there is one?"""
    above, below = apart.low > 0, apart.high < 0
    return (above or below) if sign == 0 else (above if sign > 0 else below)


def beyond_random(of: Evaluation, seen: MapKey, measure: str) -> Interval:
    """How far a method is from a random order on the same pictures: the one figure that compares methods of many and of few."""
    return difference(of.of_each(seen, measure), of.of_each(RANDOM, measure))


if __name__ == "__main__":
    main()
