"""The pages that are made of bench/results.json: RESULTS.md, METHODS.md, PRECISION.md and EIGHT_BITS.md."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import results
from bench.results import markdown
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.one_picture import OWN_OBJECT

SLOWER = 1.15  # at most: the weights are made float32 once, when the network is opened
ENOUGH = 0.9999
KINDS = ("float32", "bfloat16", "float16")
METHODS = """# How far each method may be believed

Made by `python -m bench.methods` on {date}: {core_minutes} minutes of one core ({processor}), {minutes} beside other work.
[results.json](results.json) has the 95 % interval of every figure, and the plain deletion and insertion.

- Every method with its defaults; means over pictures. Scenes are held out, from number {chosen_on} on: the first {chosen_on} of
  each set served to choose the recipes. Slow methods (*) see fewer, so that their means are of other pictures.
- Deletion and insertion: area under the probability of the best class while patches become the picture's mean colour, or come
  back, in {steps} steps, the most important first. The columns say how far that is from a random order on the same pictures, with
  the half of its 95 % interval (paired). Deletion: lower is better; all else: higher. Sorted by insertion.
  `random` shows its own area.
- **Bold**: the farthest, and what these pictures do not tell apart from it. In parentheses: not shown to be better than random.
- {own}: on pictures of two objects of two classes, each class is explained in turn. A map is right if it is brighter on that
  object than on the other. Without regard to the class it is right half of the time.
- One training run of each network, one seed: a difference between two networks is that of these two."""
PHOTOGRAPHS = """Only photographs that installed packages bring with them ({names}):
what they show is not what a network usually meets, and intervals are wide. Where their objects are is not known."""
PRECISION = """# Does rounding show in a map?

Made by `python -m bench.precision` on {date} ({processor}).
The smallest correlation (Pearson's r) over pictures between the map of a network and that of the same weights in float64, and the
network where it is smallest; [results.json](results.json) has each network: {networks}.
`float32` has the same weights, {pictures} pictures. In `bfloat16` and `float16` weights and pass are rounded, and compared with
the same rounded weights in float64, {half} pictures. **Bold** is below {enough}. A method has its defaults unless a setting is
named. A dash: not measured.
"""
EIGHT_BITS = """# What do weights of 8 bits cost?

Made by `python -m bench.eight_bits` on {date}: {model},
and `vizapp.quantised` of it, which is what a page without a server carries; photographs of installed packages.
The same class on {same}, its probability off by at most {points} points. *Median* and *worst*, over all heads:
how far a share of what the classifier's query attends to is off, in % of the largest share of its row. *r* is rollout's.
"""
TIME = """Milliseconds in Chromium, from the disk: medians of {pairs} pairs of fresh windows in turns, and of their ratios
(bold: above {slower}). {machine}.
"""


def made(found: Mapping[str, Any]) -> dict[str, str]:
    """Each page that there are figures for, by its name."""
    pages: dict[str, Callable[[Any], str]] = {
        "methods": methods_page,
        "precision": precision_page,
        "eight_bits": eight_bits_page,
    }
    some = {f"{part.upper()}.md": page(found[part]) for part, page in pages.items() if part in found}
    return {"RESULTS.md": results.page(found)} | some


def keep(part: str, content: Any, file: Path) -> None:
    """Put one measurement in the place of its own earlier one, in results.json and in the pages beside it."""
    for name, text in made(results.keep(part, content, file)).items():
        file.with_name(name).write_text(text, "utf-8")


def methods_page(found: Mapping[str, Any]) -> str:
    """All of bench/METHODS.md."""
    lines = [METHODS.format(**found, own=OWN_OBJECT.title)]
    for one in found["networks"]:
        lines += ["", *network(one)]
    return "\n".join([*lines, ""])


def network(one: Mapping[str, Any]) -> list[str]:
    """One network: what it is, and its table."""
    rows: Sequence[Mapping[str, Any]] = one["rows"]
    most = max(row["pictures"] for row in rows)
    columns = [measure for measure in metrics().values() if measure.name in rows[0]]
    titles = [measure.short for measure in columns] + ["own object"] * ("own" in rows[0])
    table = []
    for row in rows:
        cells = [mean(row[name]) for name in (*(measure.name for measure in columns), "own") if name in row]
        cells += [beside_random(row, name, one["verdicts"][name]) for name in (DELETION.name, INSERTION.name)]
        table.append([row["method"] + "*" * (row["pictures"] < most), *cells])
    said = [f"No map of it by {', '.join(one['left_out'])}."] * bool(one["left_out"]) + [one.get("said", "")]
    fewest = min(rows, key=lambda row: row["pictures"])
    counts = [f"{most} pictures"]
    if "own" in rows[0]:
        counts.append(f"{max(row['of_two'] for row in rows)} of two objects")
    if fewest["pictures"] < most:
        counts.append(f"slow methods (*) {fewest['pictures']} and {fewest.get('of_two', 0)}")
    if "photographs" in one:
        head = [f"## {one['name']}, on photographs", "", PHOTOGRAPHS.format(names=", ".join(one["photographs"]))]
    else:
        right, area = one["right"][0], f"{one['area']:.1%}"
        head = [
            f"## {one['name']}",
            "",
            f"Taught {one['taught']}. Right on {right:.0%} of scenes. A uniform map's energy: {area}.",
        ]
    best = ", ".join(f"{name} {verdict['best']}" for name, verdict in one["verdicts"].items())
    about = [f"{'; '.join(counts)}. Farthest from random: {best}. {' '.join(filter(None, said))}".rstrip(), ""]
    return [*head, *about, *markdown(["method", *titles, "deletion", "insertion"], table)]


def beside_random(row: Mapping[str, Any], measure: str, verdict: Mapping[str, Any]) -> str:
    """How far from a random order; of random itself, where that is."""
    apart = row[f"{measure}_beyond"]
    if apart is None:
        return f"at {mean(row[measure])}"
    told = f"{apart[0]:+.3f} ±{(apart[2] - apart[1]) / 2:.3f}"
    if row["method"] in verdict["chance"]:
        return f"({told})"
    return f"**{told}**" if row["method"] in (verdict["best"], *verdict["level"]) else told


def mean(value: Sequence[float] | None) -> str:
    return "-" if value is None else f"{value[0]:.3f}"


def precision_page(found: Mapping[str, Any]) -> str:
    """bench/PRECISION.md: of each method and type, the network where rounding shows most."""
    columns: Mapping[str, Any] = found["columns"]
    pictures, half = (
        " or ".join(map(str, sorted({one[name] for one in columns.values() if name in one})))
        for name in ("pictures", "half")
    )
    titles = dict.fromkeys(title for one in columns.values() for kind in KINDS for title in one.get(kind, {}))
    rows = ([title, *(smallest_of(columns, kind, title) for kind in KINDS)] for title in titles)
    about = PRECISION.format(**found, networks="; ".join(columns), pictures=pictures, half=half, enough=ENOUGH)
    return "\n".join([about, *markdown(["method", *KINDS], rows), ""])


def smallest_of(columns: Mapping[str, Any], kind: str, title: str) -> str:
    """The smallest r of all networks, rounded down, and whose it is; "flat" where one of two maps is the same everywhere."""
    found = {name: one[kind][title] for name, one in columns.items() if title in one.get(kind, {})}
    if not found:
        return "-"
    worst = min(found, key=lambda name: -2.0 if found[name] is None else found[name])
    value = found[worst]
    if value is None:
        return f"**flat** {worst}"
    shown = f"{math.floor(value * 1e7) / 1e7:.7f}"
    return f"{shown if value >= ENOUGH else f'**{shown}**'} {worst}"


def eight_bits_page(found: Mapping[str, Any]) -> str:
    """bench/EIGHT_BITS.md."""
    rows = []
    for one in (photos := found["photographs"]):
        other = "" if one["by_8_bits"] == one["label"] else f", by 8 bits **{one['by_8_bits']}**"
        row = [one["photo"], one["label"] + other, f"{one['percent']:.1f}", f"{one['percent_by_8_bits']:.1f}"]
        rows.append([*row, f"{one['median']:.2f}", f"{one['worst']:.1f}", f"{one['r']:.4f}"])
    same = f"{sum(one['by_8_bits'] == one['label'] for one in photos)} of {len(photos)}"
    clock = TIME.format(**found, slower=SLOWER, machine=found["conditions"].partition("; ")[0].rstrip("."))
    lines = [
        EIGHT_BITS.format(**found, same=same),
        *markdown(["photo", "class", "%", "by 8 bits", "median", "worst", "r"], rows),
    ]
    lines += ["", "MB of the network, of it deflated, and of a page with one picture:", ""]
    lines += [
        f"- {one['weights']}: {one['network']:.2f}, {one['deflated']:.2f}, {one['page']:.2f}" for one in found["files"]
    ]
    lines += ["", clock]
    for one in found["times"]:
        lines.append(f"- {one['what']}: {one['half']:.0f}, by 8 bits {one['small']:.0f}, ratio {ratio(one['ratio'])}")
    return "\n".join([*lines, ""])


def ratio(value: float) -> str:
    return f"{value:.2f}" if value <= SLOWER else f"**{value:.2f}**"
