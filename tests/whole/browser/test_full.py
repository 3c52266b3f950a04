"""A full queue in a browser: it is said in words, nothing that was chosen is lost, and the page asks again by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from support.busy import busy
from support.chinese import english
from support.serving import Server
from support.viz import Viz
from support.waiting import until
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.limits import Limits
from vizapp.ui.server import queue_entry
from vizapp.ui.words.en import PAGE

SIZE = {"viewport": {"width": 1280, "height": 800}}
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
    viz.page.get_by_role("tab", name=PAGE["tab_methods"]).click()
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
