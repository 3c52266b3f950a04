"""Measure everything and write bench/RESULTS.md:  python -m bench [--repeats 20] [--only PART ...] [--before PATH]

Parts: capture listening scale heads page alone slow visitors crowd memory launch start scenes. With --before, slow,
visitors and crowd are measured in another checkout, too. By hand: --only soak --minutes 10, --only suite --repeats 3, --only
browser (its file says what that needs).

On a machine that does nothing else. Half an hour, most of it long sequences; parts that are left out stay as they stand, and
so do the columns of other machines.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

Measured = dict[str, Any]  # {"conditions": a sentence, "results": see `Result.to_json`}
Sections = dict[str, dict[str, Measured]]  # what was measured -> the machine -> its figures

MEASURES = {
    "capture": "Watching a forward pass (ViT-B/16 at 224 x 224, random weights, CPU; pairs of runs that alternate)",
    "listening": "Sinks with the first map: a captured pass, listened to (224 x 224, random weights, CPU; pairs that alternate)",
    "scale": "Long sequences (ViT-S/16, random weights, CPU; the classical way beside it)",
    "heads": "`vizapp measure`: numbers of every head (DeiT-Ti at 224 x 224, random weights, CPU; pictures in turns)",
    "page": "The page in Chromium, server and browser on this machine (photos of 1280 x 960, 60 frames a second)",
    "browser": "A forward pass in the browser (Chromium, one thread, beside onnxruntime-web 1.30; pairs that alternate; by hand)",
    "alone": "The page in one file, without a server (Chromium, from the disk; one Worker)",
    "slow": "Slow lines and machines (toy, and ViT-S/16 at 448 px; Fast 3G: 1.44 Mbit/s and 562 ms for each request)",
    "visitors": "Several visitors on one page (toy, methods as ticked at first; server, browsers and all on this machine)",
    "crowd": "Many visitors at once (toy; 1, 8 and 50 HTTP clients with pictures of their own; server on the same machine)",
    "soak": "Ten minutes of visitors who look, ask, compare, do not listen and hang up (toy; by hand)",
    "memory": "Memory of the page (toy, CPU; beside it a process that has imported torch and gradio)",
    "launch": "Starting",
    "start": "The command line before it needs torch (pairs of processes that take turns)",
    "scenes": "The toy world",
    "suite": "The tests (both commands; by hand)",
}
FEWER = {"launch": 4, "slow": 4}  # starts of a process are slow and vary little: that many times fewer
BESIDE = ("slow", "visitors", "crowd")  # parts that can measure another checkout, too
BY_HAND = ("soak", "browser", "suite")
PLANTED = (
    "## Planted faults: does a test notice?"  # what bench/planted.py has written stays in its place, before the end
)
GATE = "## The gate on a clean clone"  # written by hand, before the planted faults
END = "The same numbers for a program, in one line:"
PACKAGES = ("torch", "timm", "gradio", "numpy", "playwright")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=str(__doc__))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=[one for one in MEASURES if one not in BY_HAND])
    parser.add_argument(
        "--minutes", type=float, default=10, help="of the soak, which is measured only where it is named"
    )
    parser.add_argument(
        "--before", type=Path, help="another checkout, to be measured beside this one (slow, visitors, crowd)"
    )
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "RESULTS.md")
    asked = parser.parse_args()
    sections, kept = read(asked.output), kept_in(asked.output)
    for name in asked.only:
        print(f"{name} ...", file=sys.stderr, flush=True)
        repeats = max(3, asked.repeats // FEWER.get(name, 1))
        more: dict[str, Any] = {"before": asked.before} if name in BESIDE and asked.before else {}
        more |= {"minutes": asked.minutes} if name == "soak" else {}
        measured = importlib.import_module(f"bench.{name}").measure(repeats, **more)
        figures = {"conditions": conditions(), "results": [result.to_json() for result in measured]}
        sections.setdefault(name, {})[machine()] = figures
        asked.output.write_text(page(sections, kept), "utf-8")
    print(asked.output.read_text("utf-8"))


def read(output: Path) -> Sections:
    """What stands in an earlier file: parts that are not measured now, and other machines, stay in it."""
    lines = output.read_text("utf-8").splitlines() if output.exists() else []
    return next((json.loads(line)["sections"] for line in lines if line.startswith('{"sections"')), {})


def kept_in(output: Path) -> str:
    """What no bench of this list makes, from the gate's table to the end of the planted faults; "" without any."""
    text = output.read_text("utf-8") if output.exists() else ""
    _, heading, rest = text.partition(GATE)
    return heading + rest.partition(END)[0] if heading else planted_in(output)


def planted_in(output: Path) -> str:
    """The section of planted faults in such a page; "" without one."""
    _, heading, rest = (output.read_text("utf-8") if output.exists() else "").partition(PLANTED)
    return heading + rest.partition(END)[0]


def page(sections: Sections, kept: str = "") -> str:
    """All of it, with what `kept_in` has found."""
    lines = [
        "# What vizapp costs",
        "",
        "Made by `python -m bench`, a column for each machine. Medians, with quartiles in brackets; **bold** misses the target.",
        "How well each explanation method does stands in",
        "[METHODS.md](METHODS.md), made by `python -m bench.methods`; which networks are understood, in",
        "[docs/coverage.md](../docs/coverage.md), made by `python -m bench.coverage`.",
    ]
    for name in (name for name in MEASURES if name in sections):
        lines += ["", f"## {MEASURES[name]}", "", *table(sections[name])]
    numbers = json.dumps({"sections": sections})
    return "\n".join([*lines, "", kept + END, "", "```json", numbers, "```", ""])


def conditions() -> str:
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := version_of(name)))
    return (
        f"{date.today()}, {platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores, "
        f"{torch.get_num_threads()} threads in torch, load {load} at the end; Python {platform.python_version()}, {versions}."
    )


def version_of(package: str) -> str:
    """Empty where it is not installed: only the part that measures the page needs playwright."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def machine() -> str:
    return f"{processor()}, {os.cpu_count()} cores"


def processor() -> str:
    """The name of the processor, as Linux tells it."""
    try:
        told = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def table(machines: Mapping[str, Measured]) -> list[str]:
    """A column per machine, ratios first: they say the same on all machines, or that something is tuned for one."""
    found = {name: {(one["what"], one["unit"]): one for one in of["results"]} for name, of in machines.items()}
    rows = sorted(dict.fromkeys(key for of in found.values() for key in of), key=lambda key: not is_ratio(key[1]))
    lines = [f"- {name}: {of['conditions']}" for name, of in machines.items()]
    lines += ["", f"| what | unit | target | {' | '.join(machines)} |", "|---|---|---|" + "---|" * len(machines)]
    for key in rows:
        results = [of.get(key) for of in found.values()]
        # The newest measurement knows the target of today.
        target = next(one["target"] for one in reversed(results) if one is not None)
        said = "" if target is None else f"at most {target:g}"
        lines.append(f"| {key[0]} | {key[1]} | {said} | {' | '.join(cell(one, target) for one in results)} |")
    return lines


def is_ratio(unit: str) -> bool:
    return unit.split()[0] in {"x", "times"}


def cell(result: Mapping[str, Any] | None, target: float | None) -> str:
    """The median, with quartiles in brackets; in bold what misses the target."""
    if result is None:
        return "-"
    low, high = result["q1"], result["q3"]
    measured = shown(result["median"]) if low == high else f"{shown(result['median'])} ({shown(low)} to {shown(high)})"
    return measured if target is None or result["median"] <= target else f"**{measured}**"


def shown(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


if __name__ == "__main__":
    main()
