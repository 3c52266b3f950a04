"""Measure everything, and write bench/results.json and bench/RESULTS.md:  python -m bench [--repeats 20] [--only PART ...]

Parts: capture listening scale heads page alone slow visitors crowd memory launch start scenes. By hand: --only soak --minutes 10,
--only suite --repeats 3, --only browser (its file says what that needs). `--only` without a name makes all pages anew.

    python -m bench --only capture page --before PATH     # another checkout beside this one, in pairs that alternate

On a machine that does nothing else. Half an hour, most of it long sequences; parts that are left out stay as they stand, and
so do the figures of other machines.
"""

import argparse
import importlib
import os
import platform
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from bench import pages, results
from bench.measure import Result
from bench.results import FILE, MEASURES

FEWER = {"launch": 4, "slow": 4}  # starts of a process are slow and vary little: that many times fewer
BESIDE = ("capture", "page", "slow", "visitors", "crowd")  # parts that can measure another checkout, too
BY_HAND = ("soak", "browser", "suite")
PACKAGES = ("torch", "timm", "gradio", "numpy", "playwright")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=str(__doc__))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--only", nargs="*", choices=MEASURES, default=[one for one in MEASURES if one not in BY_HAND])
    parser.add_argument(
        "--minutes", type=float, default=10, help="of the soak, which is measured only where it is named"
    )
    parser.add_argument("--before", type=Path, help=f"another checkout, measured beside this one ({', '.join(BESIDE)})")
    parser.add_argument("--output", type=Path, default=FILE, help="results.json; pages are written beside it")
    asked = parser.parse_args()
    found = results.read(asked.output)
    for name in asked.only:
        print(f"{name} ...", file=sys.stderr, flush=True)
        repeats = max(3, asked.repeats // FEWER.get(name, 1))
        part = importlib.import_module(f"bench.{name}")
        measured = part.measure(repeats, **({"minutes": asked.minutes} if name == "soak" else {}))
        if asked.before and name in BESIDE:
            measured += before(part, asked.before.resolve(), repeats)
        figures = {"conditions": conditions(), "results": [result.to_json() for result in measured]}
        parts: results.Sections = found.get("parts", {})
        parts.setdefault(name, {})[machine()] = figures
        found["parts"] = parts
        pages.keep("parts", parts, asked.output)
        print("\n".join(["", f"{MEASURES[name]}: {figures['conditions']}", "", *results.figures(figures)]), flush=True)
    if not asked.only:
        pages.keep("parts", found.get("parts", {}), asked.output)


def before(part: Any, root: Path, repeats: int) -> list[Result]:
    """Another checkout: in pairs with this one where a part can do so, else by itself; targets are for this one only."""
    if hasattr(part, "beside"):
        return list(part.beside(root, repeats))
    return [Result(f"before: {one.what}", one.unit, one.values) for one in part.measure(repeats, root)]


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


if __name__ == "__main__":
    main()
