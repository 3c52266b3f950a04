"""bench/results.json, which has all figures, and bench/RESULTS.md, the short page of what vizapp costs."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Measured = dict[str, Any]  # {"conditions": a sentence, "results": see `Result.to_json`}
Sections = dict[str, dict[str, Measured]]  # what was measured -> the machine -> its figures

FILE = Path(__file__).with_name("results.json")
MEASURES = {
    "capture": "Watching a forward pass (ViT-B/16 at 224 x 224)",
    "listening": "Sinks with the first map (224 x 224)",
    "scale": "Long sequences (ViT-S/16)",
    "heads": "`vizapp measure` beside hand-written hooks (DeiT-Ti)",
    "page": "The page in Chromium (photos of 1280 x 960)",
    "browser": "A forward pass in Chromium (one thread; by hand)",
    "alone": "The page in one file, without a server",
    "slow": "Slow lines and machines",
    "visitors": "Two visitors, A and B, on one page (toy)",
    "crowd": "1, 8 and 50 HTTP clients at once (toy)",
    "soak": "Ten minutes of visitors of all kinds (toy; by hand)",
    "memory": "Memory of the page, beside `import torch, gradio` (toy)",
    "launch": "Starting",
    "start": "Processor time of `vizapp --help` beside commit 561e1c0",
    "scenes": "The toy world",
    "suite": "The tests (both commands; by hand)",
}
# Figures without a target that are shown: other ways to get the same, and what docs/deploy.md rests on.
NEEDED = re.compile(r"^(peer:|plain forward pass$|ViT-B/16: server, (forward|pack))")
ABOUT = """# What vizapp costs

`python -m bench` makes this page from [results.json](results.json), which has every figure of every machine. Here stand those
with a target, from the machine that was measured last: medians, quartiles in brackets. **Bold** misses the target. Server and
browser run on one machine, on its CPU; networks other than toy have random weights. [METHODS.md](METHODS.md) says how good each
method is, [docs/coverage.md](../docs/coverage.md) which networks are understood."""


def read(file: Path = FILE) -> dict[str, Any]:
    """All that was ever measured: "parts", "gate", "whole", "planted", "methods", "precision", "eight_bits"."""
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def keep(name: str, content: Any, file: Path = FILE) -> dict[str, Any]:
    """Put one measurement in the place of its own earlier one; the others stay. Returns all of them."""
    every = read(file) | {name: content}
    file.write_text(written(every) + "\n", "utf-8")
    return every


def written(value: Any, indent: str = "") -> str:
    """JSON with a line for each figure, so that a diff shows which ones are new."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= 320 or not isinstance(value, dict | list):
        return text
    more = indent + " "
    if isinstance(value, list):
        return "[\n" + ",\n".join(more + written(one, more) for one in value) + f"\n{indent}]"
    lines = (f"{more}{json.dumps(name, ensure_ascii=False)}: {written(one, more)}" for name, one in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def page(found: Mapping[str, Any]) -> str:
    """bench/RESULTS.md."""
    lines = [ABOUT]
    parts: Sections = found.get("parts", {})
    for name in (name for name in MEASURES if name in parts):
        lines += ["", f"## {MEASURES[name]}", "", *table(parts[name])]
    suites = {"`pytest`": found.get("gate", []), "`pytest tests/whole`": found.get("whole", [])}
    if any(suites.values()):
        lines += ["", "## The tests on a clean clone (by hand, in results.json)", ""]
    for command, runs in suites.items():
        for one in runs[-1:]:
            lines.append(f"- {command}: {one['pytest']}, {one['tests']} tests, {one['result']} ({one['at']})")
    if "planted" in found:
        lines += ["", "## Planted faults: does a test notice?", "", *planted(found["planted"])]
    return "\n".join([*lines, ""])


def table(machines: Mapping[str, Measured]) -> list[str]:
    """The newest machine's figures, ratios first: they say the same on all machines, or that something is tuned for one.

    What was measured of several things alike (networks, crowds) is one row.
    """
    name, of = max(machines.items(), key=lambda one: (one[1]["conditions"][:10], list(machines).index(one[0])))
    some = [one for one in of["results"] if one["target"] is not None or NEEDED.search(one["what"])] or of["results"]
    alike: dict[tuple[str, str, float | None], list[tuple[str, Measured]]] = {}
    for one in sorted(some, key=lambda one: not is_ratio(one["unit"])):
        subject, colon, rest = re.sub(r", of \d+$", "", one["what"]).partition(": ")
        subject, rest = (rest, subject) if subject == "peer" else (subject, rest if colon else subject)
        alike.setdefault((rest, one["unit"], one["target"]), []).append((subject, one))
    rows = []
    for (what, unit, target), ones in alike.items():
        cells = [cell(one, short=len(ones) > 1) for _, one in ones]
        if len(ones) == 1:
            what, measured = ones[0][1]["what"], cells[0]
        elif len(set(cells)) == 1:
            measured = f"{cells[0]} each, of {len(ones)}"
        else:
            measured = "; ".join(f"{subject} {one}" for (subject, _), one in zip(ones, cells, strict=True))
        rows.append([what, f"{measured} {unit}", "" if target is None else f"{target:g}"])
    load = of["conditions"].partition("load ")[2].partition(" ")[0]
    busy = " Not quiet." * ("Not quiet" in of["conditions"])
    return [f"{of['conditions'][:10]}, {name}, load {load}.{busy}", "", *markdown(["", "", "at most"], rows)]


def figures(of: Measured) -> list[str]:
    """All figures of one machine, for whoever has just measured them."""
    rows = [
        [one["what"], f"{cell(one)} {one['unit']}", "" if one["target"] is None else f"{one['target']:g}"]
        for one in of["results"]
    ]
    return markdown(["what", "measured", "at most"], rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(one)} |" for one in rows)]


def is_ratio(unit: str) -> bool:
    return unit.split()[0] in {"x", "times"}


def cell(result: Mapping[str, Any], short: bool = False) -> str:
    """The median, with quartiles in brackets, or the 95 % interval of a ratio to another checkout; bold misses the target."""
    low, high = result.get("interval") or (result["q1"], result["q3"])
    measured = shown(result["median"])
    if shown(low) != shown(high) and not short:
        measured += f" ({shown(low)}–{shown(high)})"
    return measured if result["target"] is None or result["median"] <= result["target"] else f"**{measured}**"


def shown(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def planted(found: Mapping[str, Any]) -> list[str]:
    """How many faults were found, and which were not."""
    faults = found["faults"]
    by, tried = [one for one in faults if one["by"]], [one for one in faults if one["seconds"] is not None]
    gate = [one for one in by if not one["by"].startswith("whole/")]
    lines = [
        f"Of {len(faults)} slips of one line, {len(tried)} were tried (`python -m bench.planted`): a test of the gate found "
        f"{len(gate)}, any test {len(by)}."
    ]
    missed = [one for one in faults if not one["by"]]
    return lines + ["", *(f"- {one['room']}: {one['seen']}: {one['missed']}" for one in missed)] * bool(missed)
