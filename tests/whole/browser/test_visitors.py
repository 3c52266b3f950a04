"""Several visitors in real browsers, one processor: who goes first, what ends when somebody leaves, what a full queue says."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from bench.proxy import wire_to
from support.chinese import english
from support.english import PAGE
from support.methods_tab import Gate, Tab, jobs
from support.queue_jobs import busy
from support.serving import Server, come
from support.viz import Viz
from support.waiting import patience, until
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.limits import Limits
from vizapp.ui.server import queue_entry

NEW_MAP = """() => {
  const { viewer } = document.querySelector('.viz'), { payload } = viewer;
  viewer.use();
  return payload?.complete && !payload.wasSeen;
}"""
NEW = ".methods-grid:not([data-old])"  # the results that have come since Compare was pressed
SIZE = {"viewport": {"width": 1280, "height": 800}}  # with options, each visit is another visitor


def one_method(viz: Viz, name: str = "attention") -> Viz:
    """Of which a comparison is soon over."""
    Tab(viz).tick_only(name)
    return viz


def comparing(viz: Viz, gate: Gate | None = None) -> Viz:
    """Press Compare; with a gate, until the run is in the middle of a step."""
    viz.tab("methods")
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
        viz = come(browser, wire.url, **SIZE)
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
        viz.page.context.close()
    assert viz.foreign == []


TINY = Limits(in_all={"map": 1, "ask": 1, "long": 1})
FULL = "Too many visitors wait for this computer: 1."


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """There is one place for a map, and one for a long run, and both are taken; what it hands out gives them back."""
    go, free = threading.Event(), threading.Event()
    monkeypatch.setattr(PROCESSOR, "limits", TINY)

    def work() -> None:
        assert go.wait(120)

    held = [threading.Thread(target=PROCESSOR.run, args=(Job("", kind), work)) for kind in ("map", "long")]
    for one in held:
        one.start()
    until(lambda: len(PROCESSOR._all()) == 2)

    def give_back() -> None:
        go.set()
        for one in held:
            one.join()
        free.set()

    yield give_back
    give_back()


def line(viz: Viz, name: str) -> Any:
    return viz.page.locator(f"#{name} p")


def test_the_first_maps_come_when_there_is_a_place(browser: Any, server: Server, full: Callable[[], None]) -> None:
    """With a full queue, the page used to say "The map is on its way" for ever."""
    context = browser.new_context(**SIZE)
    viz = Viz(context.new_page(), server.url)
    viz.page.add_init_script("Math.random = () => 0.5")  # pauses vary
    viz.page.goto(server.url)
    for seconds in (2, 4):
        said = PAGE["again_later"].format(why=FULL, seconds=seconds)
        line(viz, "look-again").get_by_text(said, exact=True).wait_for()
    assert viz.page.locator(".toast-body").count() == 0
    full()
    viz.wait_for_maps()
    viz.page.locator("#look-again").wait_for(state="hidden")
    assert viz.errors == []
    context.close()


def test_a_choice_waits_for_its_place_and_is_not_taken_back(
    kept: Viz, pictures: SimpleNamespace, models: SimpleNamespace, request: pytest.FixtureRequest
) -> None:
    viz = kept
    until(lambda: not PROCESSOR._all())
    give_back = request.getfixturevalue("full")
    viz.upload(pictures.square, wait=False)
    line(viz, "look-again").get_by_text(FULL).wait_for()
    viz.choose_model(models.average, wait=False)
    line(viz, "look-again").get_by_text(FULL).wait_for()
    assert viz.page.get_by_label(PAGE["model"], exact=True).input_value() == models.average
    give_back()
    viz.wait_for_maps()
    assert viz.js("payload.model") in models.average
    viz.page.locator("#look-again").wait_for(state="hidden")


def test_a_comparison_waits_for_its_place_until_it_is_stopped(kept: Viz, request: pytest.FixtureRequest) -> None:
    viz = kept
    viz.tab("methods")
    viz.page.wait_for_function("document.querySelector('#methods-target input')?.value")
    until(lambda: not PROCESSOR._all())
    give_back = request.getfixturevalue("full")
    viz.page.click("#methods-go")
    line(viz, "methods-again").get_by_text(FULL).wait_for()
    viz.page.click("#methods-stop")
    viz.page.locator("#methods-again").wait_for(state="hidden")
    viz.page.click("#methods-go")
    line(viz, "methods-again").get_by_text(FULL).wait_for()
    give_back()
    viz.page.locator(".methods-grid").wait_for()
    viz.page.locator("#methods-again").wait_for(state="hidden")


def test_a_flood_before_gradios_own_door_is_said_and_waited_for(
    visit: Callable[..., Viz], pictures: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the Chinese page: no English stands beside it."""
    viz = visit("zh")
    monkeypatch.setattr(queue_entry, "FLOOD", 0)
    viz.upload(pictures.other, wait=False)
    line(viz, "look-again").get_by_text("同时来的访问者太多。").wait_for()
    said = [*viz.page.get_by_test_id("toast-text").all_inner_texts(), line(viz, "look-again").inner_text()]
    assert {one: left for one in said if (left := english(one))} == {}
    monkeypatch.setattr(queue_entry, "FLOOD", 100)
    viz.wait_for_maps()
    viz.errors[:] = [one for one in viz.errors if "429" not in one]  # the browser notes the answer


def test_the_viewer_asks_again_for_what_found_no_place(kept: Viz, monkeypatch: pytest.MonkeyPatch) -> None:
    viz = kept
    until(lambda: not PROCESSOR._all())
    with busy():
        monkeypatch.setattr(PROCESSOR, "limits", Limits(in_all={"map": 96, "ask": 0, "long": 48}))
        viz.js("state.set({ sinks: false, sinksFound: {} })")
        viz.page.locator(".viz-sinks-more summary").click()
        viz.find("sinks").check()
        viz.until(lambda: viz.js("viewer.asking") == 1)
        monkeypatch.setattr(PROCESSOR, "limits", Limits())
    viz.page.wait_for_function("!document.querySelector('.viz').viewer.asking")
    assert viz.find("sinks-said").inner_text() not in ("", "undefined")
