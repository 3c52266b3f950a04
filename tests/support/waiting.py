"""Waiting for what must come: one limit for all tests. No test asserts a time; what is slow is measured in bench/."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

LONG = 300.0  # seconds after which a test has hung, on a machine that does other things, too


def until(
    is_so: Callable[[], object],
    why: Callable[[], object] = lambda: "it never comes",
    pause: Callable[[], object] = lambda: time.sleep(0.01),
) -> None:
    """Return as soon as `is_so()` is true; fail with `why()` if that takes LONG. `pause` passes the time between two looks."""
    end = time.monotonic() + LONG
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
