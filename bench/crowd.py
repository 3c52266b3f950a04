"""1, 8 and 50 visitors with distinct pictures at once: who gets an error, who gets another's map, and how long each waits.

python -m bench --only crowd                       # of this checkout
python -m bench --only crowd --before PATH         # and of another one

HTTP clients, not browsers, on the machine of the server. A visitor waits in turn, so what counts is a ratio: the time over that
of a visitor alone, times the requests before it, and itself. Before it are those that had started when it was queued and were
not answered when it began: serving them is work, too. Beside it stands the stricter ratio that counts those only which were
queued before: of fifty that come in one moment, the first three wait for the doors of all fifty. Maps are compared to the last
byte with those that another, fresh server makes for visitors who come one by one.
"""

import hashlib
import math
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


def measure(repeats: int, root: Path = ROOT) -> list[Result]:
    """Crowds of each size, `repeats` / 5 times, at rest and beside a long run."""
    rounds = max(2, repeats // 5)
    results, visits = list[Result](), list[Visit]()
    with running(MODEL, root) as (url, _):
        page, seeds = Page(url), iter(range(10**6))
        one_by_one(page, seeds, 3)  # does not count: the network is loaded, the processor warms up
        for beside in ("", ", beside long runs"):
            for size in SIZES:
                with long_runs(page, next(seeds)) if beside else nullcontext():
                    crowd = crowds(page, seeds, size, rounds)
                visits += crowd.visits
                results += said(f"{size} at once{beside}", crowd)
    with running(MODEL, root) as (url, _):
        page = Page(url)
        wrong = [one.seed for one in visits if one.maps and one.maps != look(page, one.seed).maps]
    mixed = Result(f"maps that differ from those of a visitor alone, of {len(visits)}", "maps", (float(len(wrong)),), 0)
    return [*results, mixed]


@dataclass(frozen=True)
class Crowd:
    """What the visitors of some crowds got, seconds of visitors alone beside them, and how long each waited for its turn."""

    visits: list[Visit]
    alone: list[float]
    ratios: list[float]
    strict: list[float]


def crowds(page: Page, seeds: Iterator[int], size: int, rounds: int) -> Crowd:
    """Some crowds, with visitors alone before each."""
    found = Crowd([], [], [], [])
    for _ in range(rounds):
        alone = [one.ended - one.began for one in one_by_one(page, seeds, ALONE)]
        crowd = at_once(page, [next(seeds) for _ in range(size)])
        for visit in (one for one in crowd if one.maps):
            others = [one for one in crowd if one is not visit and one.ended > visit.began]
            time_ = (visit.ended - visit.began) / median(alone)
            found.ratios.append(time_ / (1 + sum(one.began < visit.joined for one in others)))
            found.strict.append(time_ / (1 + sum(one.joined < visit.joined for one in others)))
        found.visits.extend(crowd)
        found.alone.extend(alone)
    return found


def said(what: str, crowd: Crowd) -> list[Result]:
    """The figures of crowds of one size."""
    errors = sum(1 for one in crowd.visits if not one.maps)
    times = tuple(one.ended - one.began for one in crowd.visits if one.maps)
    return [
        Result(f"{what}: errors, of {len(crowd.visits)}", "visitors", (float(errors),), 0),
        Result(f"{what}: until the maps are there", "s", times),
        Result(f"{what}: a visitor alone beside them", "s", tuple(crowd.alone)),
        Result(f"{what}: p95 over turns x alone", "times", (p95(crowd.ratios),), TARGET),
        Result(f"{what}: the same, turns by the order of queueing", "times", (p95(crowd.strict),)),
    ]


def p95(values: list[float]) -> float:
    """What 95 of 100 do not exceed."""
    return sorted(values)[max(0, math.ceil(0.95 * len(values)) - 1)]


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
