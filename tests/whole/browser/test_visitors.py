"""Several visitors in real browsers, one processor: who goes first, who is told what, and what ends when somebody leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from bench.proxy import wire_to
from support.serving import Server
from support.viz import Viz
from support.waiting import LONG, until
from vizapp.core.trust import faithfulness
from vizapp.core.trust.faithfulness import Curves
from vizapp.ui import zero_gpu
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.words.en import PAGE

NEW_MAP = """() => {
  const { viewer } = document.querySelector('.viz'), { payload } = viewer;
  viewer.use();
  return payload?.complete && !payload.wasSeen;
}"""
SIZE = {"viewport": {"width": 1280, "height": 800}}  # with options, each visit is another visitor


class Gate:
    """Comparisons whose steps a test lets happen one by one. `steps` counts those that have begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self._begun, self._go, real = threading.Semaphore(0), threading.Semaphore(0), faithfulness.curves_of

        def gated(*args: Any) -> list[Curves]:
            self.steps += 1
            self._begun.release()
            assert self._go.acquire(timeout=LONG)
            return real(*args)

        monkeypatch.setattr(zero_gpu, "computing", lambda request: {"curves": gated})

    def wait(self) -> None:
        """Until a comparison is in the middle of a step."""
        assert self._begun.acquire(timeout=LONG)

    def step(self, count: int = 1) -> None:
        """Let steps end."""
        self._go.release(count)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    one = Gate(monkeypatch)
    yield one
    PROCESSOR.end("stopped", lambda job: True)
    one.step(1000)
    until(lambda: not jobs())


def jobs(priority: str = "") -> list[Job]:
    """What waits or runs."""
    return [job for job in PROCESSOR._all() if priority in ("", job.priority)]


def comparing(viz: Viz, gate: Gate | None = None) -> Viz:
    """Press Compare; with a gate, until the run is in the middle of a step."""
    viz.page.get_by_role("tab", name=PAGE["tab_methods"]).click()
    viz.page.wait_for_function("document.querySelector('#methods-target input')?.value")
    viz.page.click("#methods-go")
    if gate:
        gate.wait()
    return viz


def test_a_map_of_another_visitor_overtakes_a_comparison(
    visit: Callable[..., Viz], gate: Gate, pictures: SimpleNamespace
) -> None:
    a, b = visit(**SIZE), visit(**SIZE)
    comparing(a, gate)
    b.upload(pictures.square, wait=False)
    b.page.locator("#wait [role=progressbar]").wait_for()
    assert b.page.get_attribute("#wait [role=progressbar]", "aria-label") == PAGE["wait_next"]
    gate.step()
    gate.wait()
    b.page.wait_for_function(NEW_MAP)  # while the comparison stands in its next step
    assert gate.steps == 2
    assert len(jobs("long")) == 1
    assert a.page.locator(".methods-grid").count() == 0
    gate.step(1000)
    a.page.locator(".methods-grid").wait_for()
    assert not a.page.get_by_text(PAGE["ended_obsolete"]).is_visible(), "nobody else's choice makes it obsolete"


def test_a_new_picture_ends_the_comparison_of_the_one_before(
    visit: Callable[..., Viz], gate: Gate, pictures: SimpleNamespace
) -> None:
    a = comparing(visit(**SIZE), gate)
    a.upload(pictures.square, wait=False)
    until(lambda: [job.ended for job in jobs("long")] == ["obsolete"])
    gate.step(1000)
    a.wait_for_maps()
    a.page.get_by_text(PAGE["ended_obsolete"]).wait_for()
    assert gate.steps == 1, "it ended before its next step"
    assert a.page.locator(".methods-grid").count() == 0, "and nothing of it is shown"
    assert not jobs()


def test_a_closed_tab_ends_its_comparison_and_no_other(visit: Callable[..., Viz], gate: Gate) -> None:
    a, b = visit(**SIZE), visit(**SIZE)
    comparing(a, gate)
    comparing(b)
    until(lambda: len(jobs("long")) == 2)
    a.page.close()
    until(lambda: [job.ended for job in jobs("long")].count("left") == 1)
    gate.step()
    gate.wait()  # b's
    assert gate.steps == 2
    gate.step(1000)
    b.page.locator(".methods-grid").wait_for()


def test_what_waits_says_so_with_its_place(
    visit: Callable[..., Viz], gate: Gate, server: Server, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    a, b = visit(**SIZE), visit(**SIZE)
    comparing(a, gate)
    comparing(b)
    b.page.get_by_text(PAGE["wait_runs"].format(runs=1)).wait_for()
    with ThreadPoolExecutor(2) as others:
        answers = [
            others.submit(server.payload, pictures.square.read_bytes() + bytes(number), models.registers)
            for number in range(2)
        ]
        b.page.get_by_text(PAGE["wait_both"].format(maps=2, runs=1)).wait_for()
        gate.step()
        assert all(answer.result(LONG) for answer in answers)
    b.page.get_by_text(PAGE["wait_runs"].format(runs=1)).wait_for()
    gate.step(1000)
    for one in (a, b):
        one.page.locator(".methods-grid").wait_for()
    assert PAGE["wait_runs"].format(runs=1) not in b.page.inner_text("#methods-note")


def test_the_browser_is_heard_and_its_silence_ends_the_run(
    browser: Any, server: Server, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire_to(server.url) as wire:
        context = browser.new_context(**SIZE)
        viz = Viz(context.new_page(), wire.url)
        viz.page.goto(wire.url)
        viz.wait_for_maps()
        comparing(viz, gate)
        (job,) = jobs("long")
        first = job.heard
        until(lambda: job.heard > first + 1)
        gate.step()
        gate.wait()
        assert job.ended is None
        wire.silent.set()
        monkeypatch.setattr(PROCESSOR, "silence", 1.0)
        until(lambda: PROCESSOR._clock() - job.heard > PROCESSOR.silence)
        gate.step(1000)
        until(lambda: job.ended == "silent")
        assert gate.steps == 2
        context.close()
    assert viz.foreign == []


def test_a_second_long_run_takes_the_place_of_the_first(visit: Callable[..., Viz], gate: Gate) -> None:
    viz = comparing(visit(**SIZE), gate)
    gate.step(1000)
    viz.page.locator(".methods-grid").wait_for()
    viz.drawer("methods-more")
    viz.page.get_by_text(PAGE["forget"]).click()
    viz.page.locator("#methods-forget-go").wait_for()
    while gate._go.acquire(blocking=False):
        pass
    while gate._begun.acquire(blocking=False):
        pass
    viz.page.click("#methods-go")
    gate.wait()
    viz.drawer("methods-more")
    viz.page.click("#methods-forget-go")
    until(lambda: "replaced" in [job.ended for job in jobs("long")])
    gate.step(1000)
    viz.page.locator("#methods-forgotten .methods-lines svg").wait_for()
    viz.page.get_by_text(PAGE["ended_replaced"]).wait_for()
