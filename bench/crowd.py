"""1, 8 and 50 visitors with distinct pictures at once: who gets an error, who gets another's map, and how long each waits.

python -m bench --only crowd                       # of this checkout
python -m bench --only crowd --before PATH         # and of another one

HTTP clients, not browsers, on the machine of the server. A visitor waits in turn, so what counts is a ratio: the time over that
of a visitor alone, times the requests that had begun before and were not answered, and itself. Maps are compared to the last
byte with those that another, fresh server makes for visitors who come one by one.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from statistics import median

from bench.client import Client, Page, picture
from bench.measure import Result
from bench.server import ROOT, running

MODEL = "toy"
SIZES = (1, 8, 50)
ALONE = 8  # visitors one by one, before each crowd
TARGET = 1.3


@dataclass(frozen=True)
class Visit:
    """One look: when it was asked for, when its maps were there, and which they were ("": an error)."""

    seed: int
    began: float
    joined: float
    ended: float
    maps: str


def measure(repeats: int, before: Path | None = None) -> list[Result]:
    """Crowds of each size, `repeats` / 5 times, at rest and beside a long run."""
    rounds = max(2, repeats // 5)
    return [*measure_root(before, "before: ", rounds)] * bool(before) + measure_root(ROOT, "", rounds)


def measure_root(root: Path | None, title: str, rounds: int) -> list[Result]:
    """All figures of one checkout; targets are for this one only."""
    if root is None:
        return []
    results, visits = list[Result](), list[Visit]()
    with running(MODEL, root) as (url, _):
        page, seeds = Page(url), iter(range(10**6))
        one_by_one(page, seeds, 3)  # does not count: the network is loaded, the processor warms up
        for beside in ("", ", beside long runs"):
            for size in SIZES:
                with long_runs(page, next(seeds)) if beside else nullcontext():
                    found, ratios, alone = crowds(page, seeds, size, rounds)
                visits += found
                results += said(f"{title}{size} at once{beside}", found, ratios, alone, root == ROOT)
    with running(MODEL, root) as (url, _):
        page = Page(url)
        wrong = [one.seed for one in visits if one.maps and one.maps != look(page, one.seed).maps]
    mixed = Result(
        f"{title}maps that differ from those of a visitor alone, of {len(visits)}", "maps", (float(len(wrong)),), 0
    )
    return [*results, mixed]


def crowds(page: Page, seeds: Iterator[int], size: int, rounds: int) -> tuple[list[Visit], list[float], list[float]]:
    """What each visitor of some crowds got, the ratios of their waiting, and seconds of visitors alone beside them."""
    visits, ratios, times = list[Visit](), list[float](), list[float]()
    for _ in range(rounds):
        alone = [one.ended - one.began for one in one_by_one(page, seeds, ALONE)]
        crowd = at_once(page, [next(seeds) for _ in range(size)])
        one = median(alone)
        for visit in crowd:
            before = sum(1 for other in crowd if other.joined < visit.joined and other.ended > visit.began)
            ratios.append((visit.ended - visit.began) / ((before + 1) * one))
        visits += crowd
        times += alone
    return visits, ratios, times


def said(what: str, visits: list[Visit], ratios: list[float], alone: list[float], is_ours: bool) -> list[Result]:
    """The figures of crowds of one size."""
    errors = sum(1 for one in visits if not one.maps)
    times = [one.ended - one.began for one in visits if one.maps]
    fair = sorted(ratios)[min(len(ratios) - 1, int(0.95 * len(ratios)))]
    return [
        Result(f"{what}: errors, of {len(visits)}", "visitors", (float(errors),), 0 if is_ours else None),
        Result(f"{what}: until the maps are there", "s", tuple(times) or (float("nan"),)),
        Result(f"{what}: a visitor alone beside them", "s", tuple(alone)),
        Result(f"{what}: p95 over (those before + 1) x alone", "times", (fair,), TARGET if is_ours else None),
    ]


def one_by_one(page: Page, seeds: Iterator[int], count: int) -> list[Visit]:
    """Visitors who never meet."""
    return [look(page, next(seeds)) for _ in range(count)]


def at_once(page: Page, seeds: list[int]) -> list[Visit]:
    """Visitors who have their pictures on the page, and ask at the same moment."""
    start = threading.Barrier(len(seeds))
    with ThreadPoolExecutor(len(seeds)) as threads:
        return list(threads.map(lambda seed: look(page, seed, start), seeds))


def look(page: Page, seed: int, start: threading.Barrier | None = None) -> Visit:
    """One visitor's look at a picture of its own."""
    client = Client(page)
    client.show(picture(seed))
    if start:
        start.wait()
    began = time.perf_counter()
    try:
        maps = hashlib.sha256(client.look()[0]).hexdigest()
    except (RuntimeError, OSError, HTTPException) as error:
        print(f"an error: {error!r}", file=sys.stderr, flush=True)
        maps = ""
    return Visit(seed, began, client.joined, time.perf_counter(), maps)


@contextmanager
def long_runs(page: Page, seed: int) -> Iterator[None]:
    """Another visitor compares meanwhile."""
    client = Client(page)
    client.show(picture(seed))
    client.look()
    with client.comparing():
        yield
