"""Several visitors in real browsers, one processor: who goes first, who is told what, and what ends when somebody leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from bench.proxy import wire_to
from support.methods_tab import Tab
from support.serving import Server
from support.viz import Viz
from support.waiting import patience, until
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
NEW = ".methods-grid:not([data-old])"  # the results that have come since Compare was pressed
SIZE = {"viewport": {"width": 1280, "height": 800}}  # with options, each visit is another visitor


class Gate:
    """Comparisons whose steps a test lets happen one by one. `steps` counts those that have begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self._begun, self._go, real = threading.Semaphore(0), threading.Semaphore(0), faithfulness.curves_of

        def gated(*args: Any) -> list[Curves]:
            self.steps += 1
            self._begun.release()
            assert self._go.acquire(timeout=patience())
            return real(*args)

        monkeypatch.setattr(zero_gpu, "computing", lambda request: {"curves": gated})

    def wait(self) -> None:
        """Until a comparison is in the middle of a step."""
        assert self._begun.acquire(timeout=patience())

    def step(self, count: int = 1) -> None:
        """Let steps end."""
        self._go.release(count)

    def again(self) -> None:
        """All that was let go has ended: from here on, steps wait again."""
        until(lambda: not jobs())
        for one in (self._go, self._begun):
            while one.acquire(blocking=False):
                pass
        self.steps = 0


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


def one_method(viz: Viz, name: str = "attention") -> Viz:
    """Of which a comparison is soon over."""
    Tab(viz).tick_only(name)
    return viz


def comparing(viz: Viz, gate: Gate | None = None) -> Viz:
    """Press Compare; with a gate, until the run is in the middle of a step."""
    viz.page.get_by_role("tab", name=PAGE["tab_methods"]).click()
    viz.page.wait_for_function("document.querySelector('#methods-target input')?.value")
    viz.page.evaluate("document.querySelectorAll('.methods-grid').forEach((one) => (one.dataset.old = 'yes'))")
    viz.page.click("#methods-go")
    if gate:
        gate.wait()
    return viz


def test_of_two_visitors_each_has_a_turn(
    visit: Callable[..., Viz], gate: Gate, server: Server, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    a, b = one_method(visit(**SIZE)), one_method(visit())

    # What waits says so, with its place.
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
        assert all(answer.result(patience()) for answer in answers)
    b.page.get_by_text(PAGE["wait_runs"].format(runs=1)).wait_for()
    gate.step(1000)
    for one in (a, b):
        one.page.locator(NEW).wait_for()
    assert PAGE["wait_runs"].format(runs=1) not in b.page.inner_text("#methods-note")

    # A map of another visitor overtakes a comparison.
    gate.again()
    comparing(one_method(a, "rollout"), gate)  # the same results once more would be no change of the page
    b.upload(pictures.square, wait=False)
    b.page.locator("#wait [role=progressbar]").wait_for()
    assert b.page.get_attribute("#wait [role=progressbar]", "aria-label") == PAGE["wait_next"]
    gate.step()
    gate.wait()
    b.page.wait_for_function(NEW_MAP)  # while the comparison stands in its next step
    assert gate.steps == 2
    assert len(jobs("long")) == 1
    assert a.page.locator(NEW).count() == 0
    gate.step(1000)
    a.page.locator(NEW).wait_for()
    assert not a.page.get_by_text(PAGE["ended_obsolete"]).is_visible(), "nobody else's choice makes it obsolete"

    # A closed tab ends its comparison and no other.
    gate.again()
    comparing(a, gate)
    comparing(b)
    until(lambda: len(jobs("long")) == 2)
    a.page.close()
    until(lambda: [job.ended for job in jobs("long")].count("left") == 1)
    gate.step()
    gate.wait()  # b's
    assert gate.steps == 2
    gate.step(1000)
    b.page.locator(NEW).wait_for()


def test_what_one_visitor_asks_for_ends_the_comparison_of_before(
    visit: Callable[..., Viz], gate: Gate, pictures: SimpleNamespace
) -> None:
    """A new picture, and a second long run."""
    viz = comparing(one_method(visit()), gate)
    viz.upload(pictures.square, wait=False)
    until(lambda: [job.ended for job in jobs("long")] == ["obsolete"])
    gate.step(1000)
    viz.wait_for_maps()
    viz.page.get_by_text(PAGE["ended_obsolete"]).wait_for()
    assert gate.steps == 1, "it ended before its next step"
    assert viz.page.locator(".methods-grid").count() == 0, "and nothing of it is shown"
    assert not jobs()

    comparing(viz)
    viz.page.locator(".methods-grid").wait_for()
    viz.drawer("methods-more")
    viz.page.get_by_text(PAGE["forget"]).click()
    viz.page.locator("#methods-forget-go").wait_for()
    gate.again()
    viz.page.click("#methods-go")
    gate.wait()
    viz.drawer("methods-more")
    viz.page.click("#methods-forget-go")
    until(lambda: "replaced" in [job.ended for job in jobs("long")])
    gate.step(1000)
    viz.page.locator("#methods-forgotten .methods-lines svg").wait_for()
    viz.page.get_by_text(PAGE["ended_replaced"]).wait_for()


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
