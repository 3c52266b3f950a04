"""One processor for all: maps overtake long runs, places in the queue are true, and what nobody waits for ends."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from support.queue_jobs import SMALL, Ear, Steps, hold
from support.waiting import Clock, patience, until
from vizapp.core.pauses import may_pause, pausing
from vizapp.errors import VizError
from vizapp.ui.jobs import Job, Place, Processor, Stopped
from vizapp.ui.limits import Asker, Full, Limits


def test_a_map_overtakes_a_long_run_between_two_of_its_steps(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=0, look=0.02), list[str]()
    run, map_ = Steps("run", 3, done), Steps("map", 1, done)
    running, _ = start(processor, run, "A", "long")
    run.begun.get(timeout=patience())
    mapping, waits = start(processor, map_, "B", "map")
    assert waits.next() == Place(0, 0), "nothing is before it but the step that is under way"
    assert done == ["run0"], "a step is not cut in two"
    run.go.release()
    map_.begun.get(timeout=patience())
    map_.finish()
    assert mapping.result(patience()) == "map"
    run.finish()
    assert running.result(patience()) == "run"
    assert done == ["run0", "map0", "run1", "run2"]


def test_two_jobs_never_compute_at_once(threads: ThreadPoolExecutor) -> None:
    processor, at_work, most = Processor(), 0, 0

    def work() -> None:
        nonlocal at_work, most
        for _ in range(50):
            at_work += 1
            most = max(most, at_work)
            at_work -= 1
            may_pause()

    kinds = ["long", "map"] * 6
    list(threads.map(lambda kind: processor.run(Job(kind, kind), work), kinds))
    assert most == 1


def test_long_runs_come_one_after_the_other_and_maps_before_all_that_wait(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=0, look=0.02), list[str]()
    works = [Steps(name, 2, done) for name in ("a", "b", "c")]
    started = []
    for name, work in zip("abc", works, strict=True):
        future, waits = start(processor, work, name, "long")
        work.begun.get(timeout=patience()) if name == "a" else waits.next()
        started.append((future, waits))
    maps = [Steps(name, 1, done) for name in ("m", "n")]
    for number, map_ in enumerate(maps):
        future, waits = start(processor, map_, "M", "map")
        assert waits.next() == Place(number, 0)
        started.append((future, waits))
    for one in (*works, *maps):
        one.finish()
    for future, _ in started:
        future.result(patience())
    assert done == ["a0", "m0", "n0", "a1", "b0", "b1", "c0", "c1"]


def test_the_place_in_the_queue_is_true_at_each_moment(start: Callable[..., Any]) -> None:
    """Of a run that waits: what is at work, what was paused for maps, and each map that goes first."""
    processor, done = Processor(patience=0, look=0.02), list[str]()
    first, second = Steps("first", 2, done), Steps("second", 1, done)
    start(processor, first, "A", "long")
    first.begun.get(timeout=patience())
    waiting, waits = start(processor, second, "B", "long")
    assert waits.next() == Place(0, 1)
    map_ = Steps("map", 1, done)
    mapping, _ = start(processor, map_, "C", "map")
    assert waits.next() == Place(1, 1)
    first.go.release()  # it makes way: paused, it is still before the second
    map_.begun.get(timeout=patience())
    map_.finish()
    mapping.result(patience())
    assert waits.next() == Place(0, 1)
    first.finish()
    assert waits.next() is None, "the waiting is over"
    second.finish()
    assert waiting.result(patience()) == "second"
    assert waits.told.empty()


def test_a_short_wait_is_not_told(start: Callable[..., Any]) -> None:
    processor, done = Processor(patience=1e6), list[str]()
    first, second = Steps("first", 1, done), Steps("second", 1, done)
    start(processor, first, "A", "map")
    first.begun.get(timeout=patience())
    waiting, waits = start(processor, second, "B", "map")
    first.finish()
    second.finish()
    waiting.result(patience())
    assert waits.told.empty()


@pytest.mark.parametrize("state", ["running", "in its last step", "waiting", "paused"])
def test_what_is_ended_ends_before_its_next_step_and_is_not_handed_on(start: Callable[..., Any], state: str) -> None:
    processor, done = Processor(patience=0, look=0.02), list[str]()
    run, other = Steps("run", 1 if "last" in state else 3, done), Steps("other", 1, done)
    if state == "waiting":
        start(processor, other, "B", "map")
        other.begun.get(timeout=patience())
    running, waits = start(processor, run, "A", "long")
    if state == "waiting":
        waits.next()
    else:
        run.begun.get(timeout=patience())
    if state == "paused":
        start(processor, other, "B", "map")
        run.go.release()
        other.begun.get(timeout=patience())
    before = list(done)
    assert processor.end("stopped", lambda job: job.visitor == "A") == 1
    assert processor.end("stopped", lambda job: job.visitor == "A") == 0
    run.finish()
    with pytest.raises(Stopped, match=r"^stopped$"):
        running.result(patience())
    assert done == before
    other.finish()
    last = Steps("last", 1, done)
    last.finish()
    assert processor.run(Job("C"), last) == "last", "the processor is free again"


def test_a_silent_line_ends_a_run_and_a_living_one_does_not(start: Callable[..., Any]) -> None:
    clock, done = Clock(), list[str]()
    processor = Processor(patience=0, look=0.02, silence=30, clock=clock)
    run = Steps("run", 4, done)
    running, _ = start(processor, run, "A", "long", listens=True)
    run.begun.get(timeout=patience())
    for now in (20.0, 40.0):
        clock.now = now
        processor.hear("A")
        processor.hear("B")
        run.next()
    clock.now = 71.0
    processor.hear("B")
    run.go.release()
    with pytest.raises(Stopped, match=r"^silent$"):
        running.result(patience())
    assert done == ["run0", "run1", "run2"]


def test_the_limit_counts_work_and_not_waiting(start: Callable[..., Any]) -> None:
    clock, done = Clock(), list[str]()
    processor = Processor(patience=0, look=0.02, clock=clock)
    run, map_ = Steps("run", 4, done), Steps("map", 1, done)
    running, _ = start(processor, run, "A", "long", limit=60.0)
    run.begun.get(timeout=patience())
    mapping, _ = start(processor, map_, "B", "map")
    clock.now = 50.0
    run.go.release()
    map_.begun.get(timeout=patience())
    clock.now = 1000.0
    map_.finish()
    mapping.result(patience())
    run.begun.get(timeout=patience())
    clock.now = 1009.0
    run.next()
    clock.now = 1011.0
    run.go.release()
    with pytest.raises(Stopped, match=r"^too_long$"):
        running.result(patience())
    assert done == ["run0", "map0", "run1", "run2"]


def test_a_hundred_long_runs_that_wait_keep_no_map_out(threads: ThreadPoolExecutor) -> None:
    processor, go = Processor(Limits(in_all={"map": 4, "ask": 4, "long": 48})), threading.Event()
    held = [threading.Thread(target=processor.run, args=(Job(priority="long"), go.wait)) for _ in range(48)]
    for one in held:
        one.start()
    until(lambda: len(processor._all()) == 48)
    for _ in range(52):
        with pytest.raises(Full):
            processor.run(Job(priority="long"), go.wait)
    mapped = threads.submit(processor.run, Job(), lambda: "map")
    go.set()
    assert mapped.result(patience()) == "map"
    for one in held:
        one.join()


def test_what_nobody_asked_for_comes_last_and_keeps_nobody_out(start: Callable[..., Any]) -> None:
    """After the long run, though it was there first; of many only some have a place, and those of others are not touched."""
    few = Limits(in_all=Limits().in_all | {"spare": 3})  # fewer than there are threads
    processor, done = Processor(patience=0, look=0.02, limits=few), list[str]()
    first = Steps("first", 1, done)
    futures = [start(processor, first, "", "map")[0]]
    first.begun.get(timeout=patience())
    for number, priority in enumerate(("spare", "long", "ask", "map")):
        work = Steps(priority, 1, done)
        work.finish()
        futures.append(start(processor, work, "", priority)[0])
        until(lambda number=number: len(processor._waiting) == number + 1)
    for _ in range(few.in_all["spare"] - 1):
        futures.append(start(processor, lambda: None, "", "spare")[0])
    until(lambda: len(processor._waiting) == 3 + few.in_all["spare"])
    with pytest.raises(Full):
        processor.run(Job(priority="spare"), lambda: None)
    for priority in ("map", "ask", "long"):
        processor.limits.refuse(priority, Asker(), [])
    first.finish()
    for one in futures:
        one.result(patience())
    assert done == ["first0", "map0", "ask0", "long0", "spare0"]


def test_nobody_behind_a_proxy_that_tells_no_address_is_locked_out_by_another(start: Callable[..., Any]) -> None:
    """Without an address there is no share of it: sessions count, and the whole."""
    processor = Processor(SMALL, look=0.02)
    held = hold(processor, start, [Ear(name) for name in "abcde"])
    mapped, _ = start(processor, lambda: "map", "", "map", asker=Ear("f").asker)
    for one in held:
        one.finish()
    assert mapped.result(patience()) == "map"


@pytest.mark.parametrize("priority", ["map", "ask", "long", "spare"])
def test_addresses_take_turns_whatever_one_of_them_asks_for(start: Callable[..., Any], priority: str) -> None:
    """One with twenty costly pictures made all others wait for fifty seconds."""
    processor, done = Processor(look=0.02), list[str]()
    works = [Steps(name, 1, done) for name in ("near1", "near2", "near3", "near4", "far1", "far2", "third")]
    started = []
    for number, work in enumerate(works):
        asker = Ear(f"page {number}", work.name.rstrip("1234")).asker
        started.append(start(processor, work, work.name, priority, asker=asker)[0])
        until(lambda number=number: len(processor._all()) == number + 1)
    for work in works:
        work.finish()
    for one in started:
        one.result(patience())
    assert done == ["near10", "near20", "far10", "third0", "near30", "far20", "near40"]


def test_what_nobody_listens_to_is_not_computed_until_somebody_does(start: Callable[..., Any]) -> None:
    processor, done = Processor(look=0.02), list[str]()
    deaf, late = Ear(listens=False), Ear(listens=False)
    for ear in (deaf, late):
        work = Steps("", 1, done)
        work.finish()
        future, _ = start(processor, work, asker=ear.asker)
    until(lambda: len(processor._waiting) == 2)
    assert processor.run(Job(), lambda: "map") == "map", "it overtakes them"
    assert done == []
    late.listens = True
    processor.look_again()
    assert future.result(patience()) == ""
    assert len(processor._waiting) == 1
    processor.end("left", lambda job: True)


def test_what_nobody_listens_to_is_dropped_after_a_while_also_in_the_middle(start: Callable[..., Any]) -> None:
    clock, done = Clock(), list[str]()
    processor = Processor(patience=0, look=0.02, grace=10, clock=clock)
    deaf, leaves = Ear(listens=False), Ear()
    waiting, _ = start(processor, Steps("deaf", 1, done), asker=deaf.asker)
    run = Steps("run", 3, done)
    running, _ = start(processor, run, "A", "long", asker=leaves.asker)
    run.begun.get(timeout=patience())
    clock.now = 9.0
    run.next()
    assert not waiting.done()
    leaves.listens, clock.now = False, 11.0
    with pytest.raises(Stopped, match="unheard"):
        waiting.result(patience())
    clock.now = 20.0
    run.go.release()
    with pytest.raises(Stopped, match="unheard"):
        running.result(patience())
    assert done == ["run0", "run1"]


def test_who_begins_to_listen_late_needs_a_place_as_all_do(start: Callable[..., Any]) -> None:
    """A browser opens its stream after it has asked."""
    processor = Processor(SMALL, look=0.02)
    held = hold(processor, start, [Ear(name, "near") for name in "abcd"])
    late = Ear("late", "near", listens=False)
    refused, _ = start(processor, lambda: None, asker=late.asker)
    until(lambda: len(processor._all()) == 5)
    late.listens = True
    processor.look_again()
    with pytest.raises(Full, match="of your network"):
        refused.result(patience())
    for one in held:
        one.finish()


def test_two_threads_compute_whoever_asks(start: Callable[..., Any]) -> None:
    """Each that computes has helpers of PyTorch's and memory of the C library's: as many as cores, for each."""
    processor, found = Processor(), set[str]()

    def work() -> None:
        found.add(threading.current_thread().name)

    kinds = ["map", "long", "ask"] * 5
    for future in [start(processor, work, "", kind)[0] for kind in kinds]:
        future.result(patience())
    assert found == {"vizapp maps", "vizapp runs"}


def test_a_job_inside_a_job_is_a_part_of_it_and_an_error_frees_the_processor() -> None:
    processor = Processor()
    assert processor.run(Job("A", "long"), lambda: processor.run(Job("B"), lambda: "both")) == "both"
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
        assert waits_for_map.wait(patience())
        may_pause()
        return torch.cat([first, torch.rand(2)])

    def map_() -> None:
        mapped.append(torch.rand(5))

    processor, begun, waits_for_map, mapped = Processor(patience=0, look=0.02), threading.Event(), threading.Event(), []
    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        expected = torch.rand(4)
    running, _ = start(processor, run, "A", "long")
    assert begun.wait(patience())
    mapping, waits = start(processor, map_, "B", "map")
    waits.next()
    waits_for_map.set()
    mapping.result(patience())
    torch.testing.assert_close(running.result(patience()), expected, rtol=0, atol=0)
    assert mapped


def test_a_pause_calls_whoever_asked_and_nobody_else() -> None:
    """Without a caller it does nothing; behind the block, and in another thread, there is none."""
    called: list[str] = []
    may_pause()
    with pausing(lambda: called.append("step")):
        may_pause()
        other = threading.Thread(target=may_pause)
        other.start()
        other.join()
    may_pause()
    assert called == ["step"]
