"""Light on slow lines and slow machines: what is sent first, what is left until it is wanted, what a moved hand leaves alone."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from support.serving import Server
from support.viz import Viz
from support.waiting import patience
from vizapp.ui import zero_gpu

SAVING = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
SHOWN = "() => !document.querySelector('#early') && document.querySelector('.viz')?.viewer?.view?.map.values"
# Attributes that are set to what they are, and nodes that are replaced, outside of the panel named.
NOTED = """() => {
  window.vain = [];
  window.replaced = [];
  const look = (records) => {
    for (const { type, target, attributeName, oldValue } of records)
      if (type === "childList") replaced.push(target.className);
      else if (target.getAttribute(attributeName) === oldValue) vain.push(`${target.className} ${attributeName}`);
  };
  window.noting = new MutationObserver(look);
  for (const box of document.querySelectorAll(".viz-panel:not([data-panel=atlas])"))
    noting.observe(box, { subtree: true, childList: true, attributes: true, attributeOldValue: true });
}"""


def parts_of(requests: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """The parts of the maps that were asked for, in the order of asking."""
    found = [re.fullmatch(r"bytes=(\d+)-(\d+)", part) for url, part in requests if url.endswith(".bin")]
    assert all(found), "the file is never asked for as a whole"
    return [(int(one[1]), int(one[2]) + 1) for one in found if one]


@contextmanager
def visited(browser: Any, server: Server, script: str = "") -> Iterator[tuple[Viz, list[tuple[str, str]]]]:
    """The page of a visitor whose browser runs a script before it, and the requests of that browser."""
    page, requests = browser.new_page(viewport={"width": 1280, "height": 800}), list[tuple[str, str]]()
    page.on("request", lambda request: requests.append((request.url, request.headers.get("range", ""))))
    page.add_init_script(script)
    viz = Viz(page, server.url)
    page.goto(server.url)
    page.wait_for_function(SHOWN)
    yield viz, requests
    page.close()
    assert viz.errors == []


def test_a_first_map_is_asked_for_alone_and_the_rest_with_the_first_gesture(browser: Any, server: Server) -> None:
    """A page that nobody uses fetches what it shows, and not the picture of the stage once more for its thumbnail."""
    here = "payload.pieces.all.filter(({ arrived, to }) => arrived === to).map(({ name }) => name)"
    with visited(browser, server) as (viz, requests):
        first = f"layer {viz.js('view.layer')}"
        shown = {"first", "named", first}
        viz.until(lambda: set(viz.js(here)) >= shown)
        viz.idle()
        assert set(viz.js(here)) == shown
        assert not [url for url, _ in requests if url.endswith(".png")]
        viz.page.mouse.move(*viz.point(1, 1))
        viz.until(lambda: viz.js("payload.complete"))
        pieces, size = viz.js("[payload.pieces.all, payload.buffer.length]")
        viz.until(  # the browser tells of a request when it comes to it
            lambda: sum(to - begin for begin, to in parts_of(requests)) >= size, lambda: (parts_of(requests), size)
        )
        parts = parts_of(requests)
        assert parts[0] == (0, pieces[0]["to"])
        assert parts[1][0] == next(one["from"] for one in pieces if one["name"] == first), "then what is looked at"
        assert sum(to - begin for begin, to in parts) == size, "and nothing twice"


def test_where_data_is_to_be_spared_layers_come_when_they_are_looked_at(browser: Any, server: Server) -> None:
    with visited(browser, server, SAVING) as (viz, requests):
        viz.idle()
        assert len(parts_of(requests)) == 1, "the map of what the classifier reads is there without them"
        pieces = {one["name"]: (one["from"], one["to"]) for one in viz.js("payload.pieces.all")}
        viz.hover(1, 1)
        viz.page.wait_for_function(SHOWN)
        assert viz.js("typeof view.query") == "number"
        assert arrived(viz, requests, 2)[1:] == [pieces[f"layer {viz.js('view.layer')}"]]
        viz.leave()
        other = 0 if viz.js("view.layer") else 1
        viz.slide("layer", other + 1)
        viz.page.wait_for_function(SHOWN)
        viz.painted()
        assert len(parts_of(requests)) == 2, "nor has another layer to come for what is sent ready"
        viz.click(1, 1)
        viz.page.wait_for_function(SHOWN)
        assert arrived(viz, requests, 3)[2:] == [pieces[f"layer {other}"]]


def arrived(viz: Viz, requests: list[tuple[str, str]], count: int) -> list[tuple[int, int]]:
    """The parts that were asked for, as soon as there are so many."""
    viz.until(lambda: len(parts_of(requests)) >= count)
    return parts_of(requests)


def test_a_hover_styles_only_what_it_changes(viz: Viz, browser: Any) -> None:
    """A rule with :has that changes what stands somewhere in the viewer is asked again for all of it with each changed text."""
    viz.page.add_style_tag(content=".viz { container-type: normal !important; }")
    viz.hover(1, 1)
    viz.painted()
    browser.start_tracing(page=viz.page, categories=["devtools.timeline"])
    for row, col in ((1, 2), (2, 2), (3, 3), (4, 3)):
        viz.hover(row, col)
        viz.painted()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styled = [one["args"].get("elementCount", 0) for one in events if one["name"] == "UpdateLayoutTree"]
    assert 0 < sum(styled) / 4 < 12, styled  # 3 are changed; it was 160


def test_a_moved_hand_sets_nothing_to_what_it_is_and_no_clock_runs_on(
    visit: Callable[..., Viz], pictures: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser styles and lays out anew whatever is set, be it the same."""
    viz = visit()
    viz.hover(1, 1)
    viz.page.evaluate(NOTED)
    for row, col in ((1, 2), (2, 2), (3, 3)):
        viz.hover(row, col)
        viz.painted()
    assert viz.page.evaluate("replaced") == [], "a text changes in its place: each rule with :has would be asked again"
    viz.slide("layer", 1)
    viz.painted()
    assert viz.page.evaluate("vain") == []

    viz.leave()
    viz.wait_for_rest()
    viz.page.add_init_script(
        """{
          const asked = window.requestAnimationFrame.bind(window);
          window.askedFor = 0;
          window.requestAnimationFrame = (what) => (window.askedFor++, asked(what));
        }"""
    )
    viz.reload()
    is_quiet = """() => new Promise((done) => {
      window.askedFor = 0;
      setTimeout(() => done(window.askedFor === 0), 500);
    })"""
    viz.wait_for_rest()
    viz.wait_until(is_quiet)
    for name in ("square", "other"):
        viz.upload(getattr(pictures, name))
        viz.wait_for_rest()
    viz.wait_until(is_quiet)
    other = 0 if viz.js("state.get('layer')") else 1
    viz.slide("layer", other + 1)
    viz.painted()
    assert viz.js("state.get('layer')") == other, "what asks for a frame later is given one"

    Image.new("RGB", (64, 64), (200, 30, 90)).save(tmp_path / "new.png")  # one that no server has seen
    analyse, end = zero_gpu.analyse, threading.Event()

    def slow(*asked: Any) -> Any:
        end.wait(patience())
        return analyse(*asked)

    monkeypatch.setattr(zero_gpu, "analyse", slow)
    viz.upload(tmp_path / "new.png", wait=False)
    # "4.2s", and "4.2/0.3s" where Gradio knows how long such waits took. A clock that nobody sees goes on for half of that. The
    # clock is found anew at each look: Gradio may put another in its place, and the first stands still for ever.
    viz.page.wait_for_function(
        """() => [...document.querySelectorAll("#wait .progress-text")].some(
          ({ innerText }) => Number(/([\\d.]+)(\\/[\\d.]+)?s/.exec(innerText)?.[1]) > 4)"""
    )
    end.set()
    viz.wait_for_maps()
