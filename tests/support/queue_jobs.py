"""The processor's places, as threads find them."""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from support.waiting import patience, until
from vizapp.core.pauses import may_pause
from vizapp.ui.jobs import PROCESSOR, Job, Place, Processor
from vizapp.ui.limits import Asker, Limits


class Steps:
    """Work whose steps a test lets happen one by one; `done` says which have begun, in the order of all jobs."""

    def __init__(self, name: str, count: int, done: list[str]) -> None:
        self.name, self.count, self.done = name, count, done
        self.begun: queue.Queue[int] = queue.Queue()
        self.go = threading.Semaphore(0)

    def __call__(self) -> str:
        for step in range(self.count):
            if step:
                may_pause()
            self.done.append(f"{self.name}{step}")
            self.begun.put(step)
            assert self.go.acquire(timeout=patience())
        return self.name

    def next(self) -> None:
        """End a step; the one after it has begun then."""
        self.go.release()
        self.begun.get(timeout=patience())

    def finish(self) -> None:
        self.go.release(self.count)


class Waits:
    """The places that a job was told, to be awaited one after the other."""

    def __init__(self) -> None:
        self.told: queue.Queue[Place | None] = queue.Queue()

    def next(self) -> Place | None:
        return self.told.get(timeout=patience())


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def start(threads: ThreadPoolExecutor) -> Iterator[Callable[..., tuple[Future[Any], Waits]]]:
    used = set[Processor]()

    def start_one(processor: Processor, work: Callable[[], Any], *about: Any, **more: Any) -> tuple[Future[Any], Waits]:
        waits = Waits()
        used.add(processor)
        return threads.submit(processor.run, Job(*about, on_wait=waits.told.put, **more), work), waits

    yield start_one
    for processor in used:  # what a test that failed has left waiting
        processor.grace = 0.0
        processor.end("left", lambda job: True)


class Ear:
    """Somebody who listens when a test says so."""

    def __init__(self, session: str = "", address: str = "", listens: bool = True) -> None:
        self.listens = listens
        self.asker = Asker(session, address, lambda: self.listens)


def hold(processor: Processor, start: Callable[..., Any], ears: list[Ear], priority: str = "map") -> list[Steps]:
    """Jobs of all these, which are there until they are let go."""
    works, there = list[Steps](), len(processor._all())
    for ear in ears:
        works.append(Steps("", 1, []))
        start(processor, works[-1], "", priority, asker=ear.asker)
        until(lambda: len(processor._all()) == there + len(works))
    return works


SMALL = Limits(
    in_all={"map": 6, "ask": 6, "long": 6},
    address={"map": 4, "ask": 4, "long": 4},
    session={"map": 2, "ask": 2, "long": 2},
    unheard=3,
)


@contextmanager
def busy() -> Iterator[None]:
    """The processor is at work for somebody else meanwhile."""
    go, begun = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait()

    thread = threading.Thread(target=PROCESSOR.run, args=(Job(), work))
    thread.start()
    assert begun.wait(patience())
    try:
        yield
    finally:
        go.set()
        thread.join()
