"""Ten minutes of visitors who look, ask, compare, do not listen and hang up: memory stays flat, and no map waits for two steps.

Every picture is another one. Before the clock runs, the server has as many analyses as it keeps.

python -m bench --only soak --minutes 10           # by hand: it is not among the parts that are measured if nothing is named

The server is `launch.py` in a process of its own, with one thing added: at each step of a long run it is counted how many steps
each waiting map has seen end.
"""

import itertools
import os
import random
import runpy
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.client import API, Client, Page, picture
from bench.measure import Result
from bench.server import ROOT, held, running

LOOKING = 4  # visitors who look at one picture after the other
FULL = 400  # analyses after which the server keeps no more of them (512 MB, and 1.5 MB each)
STEPS = "VIZAPP_BENCH_STEPS"  # the file that the probe writes


def measure(repeats: int, minutes: float = 10.0) -> list[Result]:
    """What became of a server after so many minutes."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        steps = Path(folder) / "steps"
        stack.callback(os.environ.pop, STEPS, None)
        os.environ[STEPS] = str(steps)
        url, process = stack.enter_context(running("toy", ROOT, ["-m", "bench.soak"]))
        load = Load(Page(url))
        load.fill()
        began, memory = time.perf_counter(), list[tuple[float, float]]()
        with load.going():
            while (now := time.perf_counter() - began) < 60 * minutes:
                memory.append((now, held(process.pid) / 1e6))
                time.sleep(5)
        worst = int(steps.read_text()) if steps.exists() else 0
    end = 60 * minutes
    middle, last = (_over(memory, low * end, high * end) for low, high in ((0.5, 0.6), (0.9, 1.0)))
    third, fourth = (_over(load.looks, low * end + began, (low + 0.25) * end + began) for low in (0.5, 0.75))
    return [
        Result(f"memory at the end over memory in the middle, of {minutes:g} minutes", "times", (last / middle,), 1.05),
        Result("time of a map in the last quarter over the one before", "times", (fourth / third,)),
        Result("memory after a minute", "MB", (_over(memory, 50, 70),)),
        Result("memory in the middle", "MB", (middle,)),
        Result("memory at the end", "MB", (last,)),
        Result("steps of a long run that ended while a map waited, at most", "steps", (float(worst),), 1),
        Result(f"errors of {len(load.looks)} looks", "looks", (float(load.errors),), 0),
        Result("until the maps are there, beside a comparison", "s", tuple(seconds for _, seconds in load.looks)),
        Result("comparisons that were done", "runs", (float(load.compared),)),
        Result("runs without a listener, and with one that hangs up", "runs", (float(load.rude),)),
    ]


class Load:
    """Visitors of all kinds. `looks`: when each was answered, and its seconds."""

    def __init__(self, page: Page) -> None:
        self.page, self.looks = page, list[tuple[float, float]]()
        self.errors = self.rude = self.compared = 0
        self._over = threading.Event()
        self._seeds = itertools.count()

    def fill(self) -> None:
        """Let the server keep as many analyses as it ever will: what grows from here on is a leak."""

        def looks(_: int) -> None:
            client = Client(self.page)
            client.show(picture(next(self._seeds)))
            client.look()

        with ThreadPoolExecutor(LOOKING) as threads:
            list(threads.map(looks, range(FULL)))

    def going(self) -> ExitStack:
        """They come until it is closed."""
        stack = ExitStack()
        client = Client(self.page)
        client.show(picture(-1 % 2**32))
        client.look()
        comparing = stack.enter_context(client.comparing())
        kinds = [self._look] * LOOKING + [self._does_not_listen, self._hangs_up]
        threads = [threading.Thread(target=self._again, args=(one,), daemon=True) for one in kinds]
        stack.callback(lambda: [one.join() for one in threads])
        stack.callback(self._over.set)
        stack.callback(lambda: setattr(self, "compared", comparing.done))
        for one in threads:
            one.start()
        return stack

    def _again(self, visit: Callable[[random.Random], None]) -> None:
        chance = random.Random(threading.get_ident())
        while not self._over.is_set():
            try:
                visit(chance)
            except (RuntimeError, OSError, HTTPException) as error:
                self.errors += 1
                print(f"an error: {error!r}", file=sys.stderr, flush=True)
            self._over.wait(chance.uniform(0.2, 1.0))

    def _look(self, chance: random.Random) -> None:
        client = Client(self.page)
        for _ in range(5):
            client.show(picture(next(self._seeds)))
            began = time.perf_counter()
            _, run = client.look()
            self.looks.append((time.perf_counter(), time.perf_counter() - began))
            client.ask(chance.choice(["sinks", "proof"]), run)
            self._over.wait(chance.uniform(0.2, 1.0))

    def _does_not_listen(self, chance: random.Random) -> None:
        Client(self.page).join(self.page.look)
        self.rude += 1

    def _hangs_up(self, chance: random.Random) -> None:
        client = Client(self.page)
        client.join(self.page.fired("methods-go", "click") if chance.random() < 0.5 else self.page.look)
        stream = HTTPConnection(self.page.host, timeout=10)
        stream.request("GET", f"{API}queue/data?session_hash={client.session}")
        self._over.wait(chance.uniform(0, 0.5))
        stream.close()
        self.rude += 1


def _over(values: list[tuple[float, float]], low: float, high: float) -> float:
    """The median of what was seen from one second to another."""
    return median([value for at, value in values if low <= at <= high] or [float("nan")])


def probe() -> None:
    """Count, in this process, the steps of long runs that end while a map waits."""
    from vizapp.ui.jobs import Job, Processor

    step, seen, worst = Processor._step, Counter[int](), 0

    def counted(self: Any, job: Job) -> None:
        nonlocal worst
        with self._lock:
            maps = [one.number for one in self._waiting if one.priority == "map" and self._may(one)]
        if job.priority == "long":
            for one in [one for one in seen if one not in maps]:
                del seen[one]
            seen.update(maps)
            if maps and max(seen.values()) > worst:
                worst = max(seen.values())
                Path(os.environ[STEPS]).write_text(str(worst), "ascii")
        step(self, job)

    Processor._step = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    probe()
    sys.argv[0] = str(ROOT / "launch.py")
    runpy.run_path(sys.argv[0], run_name="__main__")
