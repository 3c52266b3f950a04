"""One processor for all: maps overtake long runs, places in the queue are true, and what nobody waits for ends."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
import torch

from vizapp.core.checkpoint import checkpoint, stepping
from vizapp.errors import VizError
from vizapp.ui.jobs import Job, Place, Processor, Stopped

LONG = 30.0  # seconds after which a test has hung


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Steps:
    """Work whose steps a test lets happen one by one; `done` says which have begun, in the order of all jobs."""

    def __init__(self, name: str, count: int, done: list[str]) -> None:
        self.name, self.count, self.done = name, count, done
        self.begun: queue.Queue[int] = queue.Queue()
        self.go = threading.Semaphore(0)

    def __call__(self) -> str:
        for step in range(self.count):
            if step:
                checkpoint()
            self.done.append(f"{self.name}{step}")
            self.begun.put(step)
            assert self.go.acquire(timeout=LONG)
        return self.name

    def finish(self) -> None:
        self.go.release(self.count)


class Waits:
    """The places that a job was told, to be awaited one after the other."""

    def __init__(self) -> None:
        self.told: queue.Queue[Place | None] = queue.Queue()

    def next(self) -> Place | None:
        return self.told.get(timeout=LONG)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def start(threads: ThreadPoolExecutor) -> Callable[..., tuple[Future[Any], Waits]]:
    def start_one(processor: Processor, work: Callable[[], Any], *about: Any, **more: Any) -> tuple[Future[Any], Waits]:
        waits = Waits()
        return threads.submit(processor.run, Job(*about, on_wait=waits.told.put, **more), work), waits

    return start_one


def test_a_map_overtakes_a_long_run_between_two_of_its_steps(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=0), list[str]()
    run, map_ = Steps("run", 3, done), Steps("map", 1, done)
    running, _ = start(processor, run, "A", "long")
    run.begun.get(timeout=LONG)
    mapping, waits = start(processor, map_, "B", "map")
    assert waits.next() == Place(0, 0), "nothing is before it but the step that is under way"
    assert done == ["run0"], "a step is not cut in two"
    run.go.release()
    map_.begun.get(timeout=LONG)
    map_.finish()
    assert mapping.result(LONG) == "map"
    run.finish()
    assert running.result(LONG) == "run"
    assert done == ["run0", "map0", "run1", "run2"]


def test_two_jobs_never_compute_at_once(threads: ThreadPoolExecutor) -> None:
    processor, at_work, most = Processor(), 0, 0

    def work() -> None:
        nonlocal at_work, most
        for _ in range(50):
            at_work += 1
            most = max(most, at_work)
            at_work -= 1
            checkpoint()

    kinds = ["long", "map"] * 6
    list(threads.map(lambda kind: processor.run(Job(kind, kind), work), kinds))
    assert most == 1


def test_long_runs_come_one_after_the_other_and_maps_before_all_that_wait(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=0), list[str]()
    works = [Steps(name, 2, done) for name in ("a", "b", "c")]
    started = []
    for name, work in zip("abc", works, strict=True):
        future, waits = start(processor, work, name, "long")
        work.begun.get(timeout=LONG) if name == "a" else waits.next()
        started.append((future, waits))
    maps = [Steps(name, 1, done) for name in ("m", "n")]
    for number, map_ in enumerate(maps):
        future, waits = start(processor, map_, "M", "map")
        assert waits.next() == Place(number, 0)
        started.append((future, waits))
    for one in (*works, *maps):
        one.finish()
    for future, _ in started:
        future.result(LONG)
    assert done == ["a0", "m0", "n0", "a1", "b0", "b1", "c0", "c1"]


def test_the_place_in_the_queue_is_true_at_each_moment(start: Callable[..., Any]) -> None:
    """Of a run that waits: what is at work, what was paused for maps, and each map that goes first."""
    processor, done = Processor(patience=0), list[str]()
    first, second = Steps("first", 2, done), Steps("second", 1, done)
    start(processor, first, "A", "long")
    first.begun.get(timeout=LONG)
    waiting, waits = start(processor, second, "B", "long")
    assert waits.next() == Place(0, 1)
    map_ = Steps("map", 1, done)
    mapping, _ = start(processor, map_, "C", "map")
    assert waits.next() == Place(1, 1)
    first.go.release()  # it makes way: paused, it is still before the second
    map_.begun.get(timeout=LONG)
    map_.finish()
    mapping.result(LONG)
    assert waits.next() == Place(0, 1)
    first.finish()
    assert waits.next() is None, "the waiting is over"
    second.finish()
    assert waiting.result(LONG) == "second"
    assert waits.told.empty()


def test_a_short_wait_is_not_told(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=1e6), list[str]()
    first, second = Steps("first", 1, done), Steps("second", 1, done)
    start(processor, first, "A", "map")
    first.begun.get(timeout=LONG)
    waiting, waits = start(processor, second, "B", "map")
    first.finish()
    second.finish()
    waiting.result(LONG)
    assert waits.told.empty()


@pytest.mark.parametrize("state", ["running", "waiting", "paused"])
def test_what_is_ended_ends_before_its_next_step(start: Callable[..., Any], state: str) -> None:
    processor, done = Processor(patience=0), list[str]()
    run, other = Steps("run", 3, done), Steps("other", 1, done)
    if state == "waiting":
        start(processor, other, "B", "map")
        other.begun.get(timeout=LONG)
    running, waits = start(processor, run, "A", "long")
    if state == "waiting":
        waits.next()
    else:
        run.begun.get(timeout=LONG)
    if state == "paused":
        start(processor, other, "B", "map")
        run.go.release()
        other.begun.get(timeout=LONG)
    before = list(done)
    assert processor.end("stopped", lambda job: job.visitor == "A") == 1
    assert processor.end("stopped", lambda job: job.visitor == "A") == 0
    run.finish()
    with pytest.raises(Stopped) as raised:
        running.result(LONG)
    assert raised.value.why == "stopped"
    assert done == before
    other.finish()
    last = Steps("last", 1, done)
    last.finish()
    assert processor.run(Job("C"), last) == "last", "the processor is free again"


def test_what_became_obsolete_in_its_last_step_is_not_handed_on(start: Callable[..., Any]) -> None:
    processor, done = Processor(), list[str]()
    run = Steps("run", 1, done)
    running, _ = start(processor, run, "A", "long")
    run.begun.get(timeout=LONG)
    processor.end("obsolete", lambda job: True)
    run.finish()
    with pytest.raises(Stopped):
        running.result(LONG)


def test_a_silent_line_ends_a_run_and_a_living_one_does_not(start: Callable[..., Any]) -> None:
    clock, done = Clock(), list[str]()
    processor = Processor(patience=0, silence=30, clock=clock)
    run = Steps("run", 4, done)
    running, _ = start(processor, run, "A", "long", listens=True)
    run.begun.get(timeout=LONG)
    for now in (20.0, 40.0):
        clock.now = now
        processor.hear("A")
        processor.hear("B")
        run.go.release()
        run.begun.get(timeout=LONG)
    clock.now = 71.0
    processor.hear("B")
    run.go.release()
    with pytest.raises(Stopped) as raised:
        running.result(LONG)
    assert raised.value.why == "silent"
    assert done == ["run0", "run1", "run2"]


def test_the_limit_counts_work_and_not_waiting(start: Callable[..., Any]) -> None:
    clock, done = Clock(), list[str]()
    processor = Processor(patience=0, clock=clock)
    run, map_ = Steps("run", 4, done), Steps("map", 1, done)
    running, _ = start(processor, run, "A", "long", limit=60.0)
    run.begun.get(timeout=LONG)
    mapping, _ = start(processor, map_, "B", "map")
    clock.now = 50.0
    run.go.release()
    map_.begun.get(timeout=LONG)
    clock.now = 1000.0
    map_.finish()
    mapping.result(LONG)
    run.begun.get(timeout=LONG)
    clock.now = 1009.0
    run.go.release()
    run.begun.get(timeout=LONG)
    clock.now = 1011.0
    run.go.release()
    with pytest.raises(Stopped) as raised:
        running.result(LONG)
    assert raised.value.why == "too_long"
    assert done == ["run0", "map0", "run1", "run2"]


def test_too_many_are_sent_away_with_words(start: Callable[..., Any]) -> None:
    processor, done = Processor(most=2, patience=0), list[str]()
    works = [Steps(str(number), 1, done) for number in range(3)]
    futures = []
    for work in works:
        future, waits = start(processor, work, "A", "map")
        futures.append(future)
        work.begun.get(timeout=LONG) if work is works[0] else waits.next()
    with pytest.raises(VizError, match=r"Too many visitors wait for this computer: 2\. Try again"):
        processor.run(Job("B"), lambda: None)
    for work in works:
        work.finish()
    assert [future.result(LONG) for future in futures] == ["0", "1", "2"]


def test_a_job_inside_a_job_is_a_part_of_it() -> None:
    processor = Processor()
    assert processor.run(Job("A", "long"), lambda: processor.run(Job("B"), lambda: "both")) == "both"


def test_an_error_frees_the_processor() -> None:
    processor = Processor()

    def broken() -> None:
        raise VizError("Broken.")

    with pytest.raises(VizError):
        processor.run(Job("A"), broken)
    assert processor.run(Job("A"), lambda: 1) == 1


def test_random_numbers_of_a_paused_run_go_on_where_they_were(start: Callable[..., Any]) -> None:
    def run() -> torch.Tensor:
        torch.manual_seed(3)
        first = torch.rand(2)
        begun.set()
        assert waits_for_map.wait(LONG)
        checkpoint()
        return torch.cat([first, torch.rand(2)])

    def map_() -> None:
        mapped.append(torch.rand(5))

    processor, begun, waits_for_map, mapped = Processor(patience=0), threading.Event(), threading.Event(), []
    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        expected = torch.rand(4)
    running, _ = start(processor, run, "A", "long")
    assert begun.wait(LONG)
    mapping, waits = start(processor, map_, "B", "map")
    waits.next()
    waits_for_map.set()
    mapping.result(LONG)
    torch.testing.assert_close(running.result(LONG), expected, rtol=0, atol=0)
    assert mapped


def test_a_checkpoint_calls_whoever_asked_and_nobody_else() -> None:
    """Without a caller it does nothing; behind the block, and in another thread, there is none."""
    called: list[str] = []
    checkpoint()
    with stepping(lambda: called.append("step")):
        checkpoint()
        other = threading.Thread(target=checkpoint)
        other.start()
        other.join()
    checkpoint()
    assert called == ["step"]
