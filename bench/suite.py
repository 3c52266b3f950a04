"""How long the tests take: README's `pytest` and `pytest tests/whole`, quiet and beside two busy processes.

python -m bench --only suite --repeats 3           # by hand: it takes hours

A run that fails is told with its last lines and has no time: a test that breaks off is quick.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measure import Result
from bench.server import ROOT

COMMANDS: dict[str, float] = {
    "pytest": 5.0,
    "pytest tests/whole": 35.0,
}  # and the minutes that it should take on two cores
BUSY = (0, 2)  # processes that work beside the tests


def measure(repeats: int) -> list[Result]:
    """Minutes of each command; the target is for a machine that does nothing else."""
    found = []
    for command, target in COMMANDS.items():
        for others in BUSY:
            with busy(others):
                values = tuple(minutes(command) for _ in range(repeats))
            beside = f", beside {others} busy processes" if others else ""
            found.append(Result(f"`{command}`{beside}", "min", values, None if others else target))
    return found


def minutes(command: str) -> float:
    """The time of one run. Raises RuntimeError with what it printed last if a test fails."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError("\n".join(done.stdout.splitlines()[-20:]))
    return (time.perf_counter() - started) / 60


@contextmanager
def busy(others: int) -> Iterator[None]:
    """So many processes that do nothing but count."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()
