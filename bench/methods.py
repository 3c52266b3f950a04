"""How well each method finds the object, and how faithful it is: python -m bench.methods [--count 40] [--photographs MODEL]

On held-out scenes that no recipe was chosen on, for three bundled networks, and on the photographs that come with installed
packages, for a network that knows photographs; beside random and the middle of the picture. Writes bench/METHODS.md. About an
hour and a half of one core, in one process; a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import torch

import vizapp
from bench.__main__ import processor
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
# All that these packages ship of things and animals; drawings, textures, and what a microscope or telescope saw are left out.
PHOTOGRAPHS: Mapping[str, Sequence[str]] = {
    "gradio": [f"media_assets/images/{name}.jpg" for name in ("cheetah", "cheetah1", "lion", "tower")],
    "skimage": [
        f"data/{name}"
        for name in (
            "astronaut.png",
            "camera.png",
            "chelsea.png",
            "clock_motion.png",
            "coffee.png",
            "coins.png",
            "motorcycle_left.png",
            "rocket.jpg",
        )
    ],
    "matplotlib": ["mpl-data/sample_data/grace_hopper.jpg"],
}
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
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "METHODS.md")
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
        photographs = photographs_in(build / "photographs")
        found.append(on_photographs(vizapp.load(asked.photographs, "cpu"), photographs, kept, clock, say))
    asked.output.write_text(page(found, clock, asked.said), "utf-8")
    kept.done()
    print(f"\n{asked.output}", file=sys.stderr)


def photographs_in(folder: Path) -> Path:
    """The folder, with the photographs of those packages that are installed, each by the name of its package."""
    folder.mkdir(exist_ok=True)
    for package, files in PHOTOGRAPHS.items():
        spec = importlib.util.find_spec(package)
        for file in files if spec and spec.origin else ():
            there = Path(str(spec and spec.origin)).parent / file
            if there.is_file():
                shutil.copy2(there, folder / f"{package}-{there.name}")
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


# ---- the page


def page(found: Sequence[Measured], clock: Clock, said: str) -> str:
    """All of bench/METHODS.md."""
    lines = [
        "# How far each method may be believed",
        "",
        f"Made by `python -m bench.methods` on {date.today()}: {clock.computed / 60:.0f} minutes of one core "
        f"({processor()}), {clock.passed / 60:.0f} minutes beside other work.",
        "",
        "- Every method with its defaults; 95 % intervals of means over pictures in brackets.",
        f"- Scenes are held out, from number {CHOSEN_ON} on: the first {CHOSEN_ON} of each set served to choose the recipes.",
        "  `pictures`: slow methods see fewer, so that their means are of other pictures than those of the rest.",
        "- Deletion and insertion: area under the probability of the best class while patches become the picture's mean colour,",
        f"  or come back, in {STEPS} steps, the most important first. In parentheses: how far from a random order, on the same",
        "  pictures, with the interval of that difference (paired). Sorted by this difference in insertion.",
        f"- {OWN_OBJECT.title}: pictures of two objects of two classes, as many as its last column says. Each class",
        "  is explained in turn; a map is right if it is brighter on that object than on the other. What does not depend on the",
        "  class is right half of the time.",
        "- One training run of each network, one seed: a difference between two networks is that of these two.",
    ]
    for one in found:
        lines += ["", *section(one, said)]
    return "\n".join([*lines, ""])


def section(one: Measured, said: str) -> list[str]:
    """One network: what it is, its table, and what cannot be told apart."""
    quick, slow = one.quick, one.slow
    said = said if quick.lesson not in LESSONS else "" if slow else "Slow methods saw none of these pictures."
    last = max(seen.layer or 0 for seen in quick.fused)
    shown = [(seen, quick, one.two) for seen in quick.fused if seen.layer in (None, last)]
    if slow:
        shown += [(seen, slow, one.slow_two) for seen in slow.fused if methods()[seen.method].cost == "slow"]
    shown.sort(key=lambda row: -beyond_random(row[1], row[0], INSERTION.name).mean)
    columns = [measure for measure in metrics().values() if measure.main] if quick.known else []
    titles = [*(f"{measure.short}, {measure.direction} is better" for measure in [*columns, DELETION, INSERTION])]
    titles += [f"{OWN_OBJECT.short} of two", "pictures of two"] if one.two else []
    lines = [*about(one, said), "", f"| method | pictures | {' | '.join(titles)} |", "|---|---|" + "---|" * len(titles)]
    for seen, on_one, on_two in shown:
        cells = [told(on_one[seen].get(measure.name)) for measure in columns]
        cells += [beside_random(on_one, seen, measure.name) for measure in (DELETION, INSERTION)]
        if one.two:
            own = on_two and on_two.scores.get(MapKey(seen.method), {}).get(OWN_OBJECT.name)
            cells += [told(own or None), str(on_two.count if on_two else 0)]
        lines.append(f"| {seen.counted_from(1)} | {on_one.count} | {' | '.join(cells)} |")
    return [*lines, "", *verdicts([(seen, of) for seen, of, _ in shown])]


def about(one: Measured, said: str) -> list[str]:
    """What was looked at, and what has no map."""
    quick = one.quick
    left_out = f"No map of it by {', '.join(one.left_out)}." if one.left_out else ""
    if quick.lesson not in LESSONS:
        names = ", ".join(answer.picture for answer in quick.answers)
        return [
            f"## {quick.model}, on photographs",
            "",
            f"Only {quick.count} photographs, those that installed packages bring with them ({names}): what they show",
            f"is not what a network usually meets, and intervals are wide. Where their objects are is not known. {said}".rstrip(),
            *([left_out] if left_out else []),
        ]
    return [
        f"## {quick.model}",
        "",
        f"Taught {RECIPES[quick.model].taught}. Right on {told(quick.accuracy)} of the scenes. The object takes",
        f"{quick.area.mean:.1%} of the picture: what a uniform map has for energy. {left_out} {said}".rstrip(),
    ]


def verdicts(ranked: Sequence[tuple[MapKey, Evaluation]]) -> list[str]:
    """A sentence for each measure: what these pictures do not tell apart from the best, and from a random order."""
    lines = []
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
        told_apart = f"not told apart from it, one by one: {', '.join(level) or 'none'}"
        lines.append(
            f"- {measure.title}: farthest from a random order lies {best.counted_from(1)}; {told_apart}. "
            f"Not shown to be better than a random order: {', '.join(chance) or 'none'}."
        )
    return lines


def clear(apart: Interval, sign: int = 0) -> bool:
    """Does the interval of a difference leave zero out; on the side of `sign`, where there is one?"""
    above, below = apart.low > 0, apart.high < 0
    return (above or below) if sign == 0 else (above if sign > 0 else below)


def beyond_random(of: Evaluation, seen: MapKey, measure: str) -> Interval:
    """How far a method is from a random order on the same pictures: the one figure that compares methods of many and of few."""
    return difference(of.of_each(seen, measure), of.of_each(RANDOM, measure))


def beside_random(of: Evaluation, seen: MapKey, measure: str) -> str:
    """A mean with its interval, and how far it is from random."""
    apart = beyond_random(of, seen, measure)
    beyond = "" if seen == RANDOM else f" ({apart.mean:+.3f} [{apart.low:+.3f}, {apart.high:+.3f}])"
    return told(of[seen].get(measure)) + beyond


def told(value: Interval | None) -> str:
    if value is None or math.isnan(value.mean):
        return "-"
    return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


if __name__ == "__main__":
    main()
