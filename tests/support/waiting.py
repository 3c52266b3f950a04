"""Waiting for what must come: it ends before the run ends the test. No test asserts a time: that is done in bench/."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

SECONDS = 600.0  # that a test has where the run has no limit
_limit, _begun = SECONDS, time.monotonic()


def begin(limit: float) -> None:
    """A test begins, which the run ends after so many seconds. Said by tests/conftest.py."""
    global _limit, _begun
    _limit, _begun = limit, time.monotonic()


def half() -> float:
    """Seconds after which what goes on from test to test, as a browser does, has hung, on a busy machine."""
    return _limit / 2


def patience() -> float:
    """Seconds that this test may wait: it ends before the run ends it, and says what it has waited for."""
    return max(min(half(), _begun + 0.9 * _limit - time.monotonic()), 1.0)


def until(
    is_so: Callable[[], object],
    why: Callable[[], object] = lambda: "it never comes",
    pause: Callable[[], object] = lambda: time.sleep(0.01),
) -> None:
    """Return as soon as `is_so()` is true; fail with `why()` if it does not come. `pause` passes the time between two looks."""
    end = time.monotonic() + patience()
    while not is_so():
        assert time.monotonic() < end, why()
        pause()


def awaited(work: Coroutine[Any, Any, Any], make_loop: Callable[[], asyncio.AbstractEventLoop] | None = None) -> Any:
    """What `work` returns. In a thread of its own: in that of the tests, Playwright has a loop that runs."""

    def run() -> Any:
        with asyncio.Runner(loop_factory=make_loop) as runner:
            return runner.run(work)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Jumping(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to what comes next: a busy machine changes nothing, and nobody waits."""

    def __init__(self) -> None:
        super().__init__()
        self.now, select = 0.0, self._selector.select

        def jump(seconds: float | None) -> Any:
            self.now += seconds or 0
            return select(0)

        self._selector.select = jump

    def time(self) -> float:
        return self.now
