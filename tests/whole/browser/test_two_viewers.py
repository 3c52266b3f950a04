"""Two viewers on one page, without Gradio: they share a state, and each shows it of its own network."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from support.expected import assert_close, maps_of, seen_by
from support.viz import PAINTED
from vizapp import pipeline
from vizapp.pipeline import Analysis
from vizapp.ui.viewer.payload import pack
from vizapp.ui.viewer.resources import BUNDLE, colour_tables, metric_list, style
from vizapp.ui.words import words_for

URL = "http://two.viewers/"
PAGE = """<!doctype html><style>{css} body {{ display: grid; grid-template-columns: 1fr 1fr; }}</style>
<div class="viz" id="a"></div><div class="viz" id="b"></div><script>{bundle}</script>"""
START = """async ([given, sizes]) => {
  const state = vizapp.newState();
  window.asked = [];
  const ask = async (what) => { asked.push(what); return {}; };
  for (const [name, bytes] of Object.entries(sizes)) {
    const root = document.getElementById(name);
    root.viewer = vizapp.mount(root, { ...given, ask, state });
    await root.viewer.show({ file: { url: `${name}.bin` }, bytes, run: `run of ${name}` });
  }
  window.state = state;
}"""


@pytest.fixture
def both(models: SimpleNamespace, pictures: SimpleNamespace) -> dict[str, Analysis]:
    """Five layers of 14 x 14 patches, and three layers of 4 x 4, which see the middle of the same landscape."""
    toy = pipeline.analyse(pipeline.load("toy", "cpu"), str(pictures.landscape))
    return {"a": toy, "b": seen_by(models.registers, pictures.landscape)}


@pytest.fixture
def page(browser: Any, both: dict[str, Analysis]) -> Iterator[Any]:
    """The page with both, ready."""
    page, words = browser.new_page(viewport={"width": 1280, "height": 1000}), words_for("en")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    html = PAGE.format(css=style(), bundle=BUNDLE.read_text("utf-8"))
    page.route(URL, lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
    packed = {name: pack(seen) for name, seen in both.items()}
    for name, data in packed.items():
        page.route(f"{URL}{name}.bin", answer_with(data))
    page.goto(URL)
    given = {"words": dict(words["viewer"]), "colours": colour_tables(), "metrics": metric_list(words)}
    page.evaluate(START, [given, {name: len(data) for name, data in packed.items()}])
    yield page
    page.close()
    assert errors == []


def answer_with(data: bytes) -> Callable[[Any], None]:
    return lambda route: route.fulfill(body=data)


def of(page: Any, name: str, expression: str) -> Any:
    return page.evaluate(f"() => {{ const {{ viewer }} = document.getElementById('{name}'); return {expression}; }}")


def test_what_one_changes_the_other_shows(page: Any, both: dict[str, Analysis]) -> None:
    slider = page.locator("#a .viz-layer")
    slider.evaluate("(slider) => { slider.value = 2; slider.dispatchEvent(new Event('input')); }")
    page.evaluate(PAINTED)
    for name, seen in both.items():
        assert of(page, name, "viewer.view.layer") == 1
        assert page.locator(f"#{name} .viz-layer-value").inner_text() == f"2 of {len(seen.trace.layers)}"
        shown = np.array(of(page, name, "Array.from(viewer.view.map.values)"))
        assert_close(shown, maps_of(seen.trace)[1].mean(0)[0])
    page.locator("#b .viz-look-more summary").click()
    page.locator("#b button[data-value=max]").click()
    assert page.locator("#a button[data-value=max]").get_attribute("aria-pressed") == "true"
    page.locator("#a .viz-look-more summary").click()
    page.locator("#a .viz-colours").select_option("magma")
    assert page.locator("#b .viz-colours").input_value() == "magma"


def test_a_layer_that_only_one_has_is_the_last_of_the_other(page: Any) -> None:
    page.evaluate("state.set({ layer: 4, head: 1, fusion: 'one' })")
    assert [of(page, name, "viewer.view.layer") for name in "ab"] == [4, 2]
    assert page.locator("#b .viz-layer-value").inner_text() == "3 of 3"


def test_nothing_of_the_one_is_mistaken_for_the_others(page: Any) -> None:
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(ids) == len(set(ids)), "no id stands on the page twice"
    beside = (
        "[...document.querySelectorAll('label[for]')].every((one) => one.closest('.viz-panel').contains(one.control))"
    )
    targets = page.evaluate(f"() => {beside}")
    assert targets, "each label belongs to a control of its own panel"
    # Sinks come with the maps of a network that was looked at before, by another test, say: then nothing is asked.
    without = [name for name in "ab" if of(page, name, "!viewer.payload.sinks")]
    page.wait_for_function("(n) => asked.filter(([kind]) => kind === 'sinks').length === n", arg=len(without))
    runs = page.evaluate("asked.map(([kind, run]) => `${kind}: ${run}`).sort()")
    assert runs == [*(f"proof: run of {name}" for name in "ab"), *(f"sinks: run of {name}" for name in without)]
