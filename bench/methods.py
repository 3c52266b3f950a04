"""How well each method finds the object, and how faithful it is: python -m bench.methods [--count 200] [--workers 2]

On held-out scenes of the bundled ViT, beside random and the middle of the picture; writes bench/METHODS.md. About half an
hour on two cores; a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import math
import sys
from datetime import date
from pathlib import Path

import vizapp
from bench.__main__ import processor
from vizapp.core.methods import methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.engines import engine_named
from vizapp.data.look import OWN_OBJECT
from vizapp.data.run import run
from vizapp.data.statistics import Evaluation, Interval, MapKey
from vizapp.model.toy.lessons import LESSONS

STEPS = 8
FEWER = 5  # times fewer pictures for the slow ones


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.methods", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="toy")
    parser.add_argument("--count", type=int, default=200, help="pictures of each set; slow methods see a fifth of them")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "METHODS.md")
    asked = parser.parse_args()
    model, engine = vizapp.load(asked.model, "cpu"), engine_named("processes", asked.workers)
    trace = vizapp.analyse(model, LESSONS["two"].example(0).picture).trace
    # Baselines are always there; a network without cross attention, say, has no map of it.
    offered = [one for one in methods().values() if not one.baseline and not one.why_not(trace)]
    folder = Path("build")
    folder.mkdir(exist_ok=True)

    def on_progress(line: str) -> None:
        print(f"\r{line:78}", end="", file=sys.stderr, flush=True)

    rest = {"on_progress": on_progress, "engine": engine}
    found: dict[str, tuple[Evaluation, Evaluation]] = {}
    for kind, count in (("quick", asked.count), ("slow", max(1, asked.count // FEWER))):
        some = [one.name for one in offered if one.cost == kind]
        [clutter] = run([model], ["clutter"], some, count, folder / f"methods_{kind}.csv", steps=STEPS, **rest)
        [two] = run([model], ["two"], some, count, folder / f"methods_{kind}_two.csv", **rest)
        found[kind] = clutter, two
    asked.output.write_text(page(*found["quick"], *found["slow"]), "utf-8")
    print(f"\n{asked.output}", file=sys.stderr)


def page(clutter: Evaluation, two: Evaluation, slow: Evaluation, slow_two: Evaluation) -> str:
    last = max(seen.layer or 0 for seen in clutter.fused)
    shown = [(seen, clutter, two) for seen in clutter.fused if seen.layer in (None, last)]
    shown += [(seen, slow, slow_two) for seen in slow.fused if methods()[seen.method].cost == "slow"]
    shown.sort(key=lambda one: -one[1][one[0]][INSERTION.name].mean)
    columns = [*metrics().values(), DELETION, INSERTION]
    titles = [
        "pictures",
        *(f"{one.short} ({one.direction} is better)" for one in columns),
        f"{OWN_OBJECT.short} of two",
    ]
    lines = [
        "# How far each method may be believed",
        "",
        f"Made by `python -m bench.methods` on {date.today()} ({processor()}).",
        "",
        f"- `{clutter.model}` on its {clutter.count} first held-out pictures of one object among clutter ({slow.count} if slow),",
        "  every method with its defaults; 95 % intervals in brackets. Sorted by insertion.",
        f"- The object takes {clutter.area.mean:.1%} of the picture: what a uniform map has for energy.",
        "- Deletion and insertion: area under the probability of the best class while patches become the picture's mean colour,",
        f"  or come back, in {STEPS} steps, the most important first.",
        "- Own object: as many pictures of two objects of two classes. Each class is explained in turn; a map is right if it is",
        "  brighter on that object than on the other. What does not depend on the class is right half of the time.",
        "",
        f"| method | {' | '.join(titles)} |",
        "|---|" + "---|" * len(titles),
    ]
    for seen, one, other in shown:
        cells = [told(one[seen].get(measure.name)) for measure in columns]
        own = other.scores.get(MapKey(seen.method), {}).get(OWN_OBJECT.name)
        lines.append(f"| {seen.counted_from(1)} | {one.count} | {' | '.join(cells)} | {told(own)} |")
    return "\n".join([*lines, ""])


def told(value: Interval | None) -> str:
    if value is None or math.isnan(value.mean):
        return "-"
    return f"{value.mean:.3f} [{max(0.0, value.low):.3f}, {min(1.0, value.high):.3f}]"


if __name__ == "__main__":
    main()
