"""A panel is one file: a throw-away one stands on the page, is told of every paint, and has a key."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.bundles import BUNDLE, built, copy_of_viewer, needs_tools
from support.serving import serving
from support.viz import Viz

PANEL = """
import { flag } from "../state.js";

export const panel = {
  name: "counter",
  place: "below",
  order: 10,
  html: `<p class="viz-counter" title="$counter_help"></p>`,
  words: { counter: "{n} of {tokens} tokens are brighter than {high}", counter_help: "A panel in a test", key_count: "count" },
  keys: { "#": "key_count" },
  state: { counts: flag(false) },
  mount(root, { state, words }) {
    const box = root.querySelector(".viz-counter");
    let pictures = 0;
    return {
      reset: () => (pictures += 1),
      swap: () => {},
      show({ map, counts }) {
        const n = map.values.filter((value) => value > map.high / 2).length;
        box.textContent = counts ? words.say("counter", { n, tokens: map.layout.tokens, high: map.high }) : String(pictures);
      },
      press: () => state.set({ counts: !state.get("counts") }),
    };
  },
};
"""


README = (BUNDLE.parent / "panels" / "README.md").read_text("utf-8")
EXAMPLE = re.search(r"```js\n(.*?)```", README, flags=re.DOTALL)[1]


@needs_tools
def test_a_panel_is_one_file(
    browser: Any, cache: Path, models: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = copy_of_viewer(tmp_path)
    own = viewer / "panels" / "counter.js"
    own.write_text(PANEL, "utf-8")
    built(viewer)
    monkeypatch.setattr("vizapp.ui.viewer.resources.BUNDLE", viewer / "bundle.js")
    with serving(models.registers) as server:
        viz = Viz(browser.new_page(viewport={"width": 1280, "height": 800}), server.url)
        viz.page.goto(server.url)
        viz.wait_for_maps()
        counter = viz.find("counter")
        assert counter.inner_text() == "1", "it was told of the first picture"
        assert counter.get_attribute("title") == "A panel in a test"
        viz.find("look-more").locator("summary").click()
        keys = viz.find("keys").inner_text()
        assert keys.rstrip().endswith("# count"), "its key is shown, behind those of the table"
        viz.find("stage").focus()
        viz.press("#")
        for layer in (1, 2):
            viz.slide("layer", layer)
            n, high = (viz.shown() > viz.js("view.map.high") / 2).sum(), viz.js("String(view.map.high)")
            assert counter.inner_text() == f"{n} of 19 tokens are brighter than {high}"
        viz.page.wait_for_function("location.hash.endsWith('&layer=1&counts=1')")  # what it declares stands in links
        viz.reload()
        assert viz.js("state.get('counts')"), "and is read from them"
        viz.find("stage").focus()
        viz.press("#")
        assert counter.inner_text() == "1"
        assert viz.errors == []
        viz.page.close()
    own.unlink()
    assert built(viewer) == BUNDLE.read_bytes(), "without it, all is as before"


@needs_tools
def test_the_example_of_the_docs(
    browser: Any, cache: Path, models: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The panel shows its text, has its own style, and changes no line of other panels in the bundle."""
    viewer = copy_of_viewer(tmp_path)
    (viewer / "panels" / "hottest.js").write_text(EXAMPLE, "utf-8")
    (viewer / "panels" / "hottest.css").write_text(".viz-hottest { color: rgb(1, 2, 3); }", "utf-8")
    made = built(viewer).decode().splitlines()
    gone = set(BUNDLE.read_text("utf-8").splitlines()) - set(made)
    assert [line for line in gone if not line.startswith("  var panels = [")] == []
    monkeypatch.setattr("vizapp.ui.viewer.resources.BUNDLE", viewer / "bundle.js")
    monkeypatch.setattr("vizapp.ui.viewer.resources.FOLDER", viewer)
    with serving(models.registers) as server:
        viz = Viz(browser.new_page(viewport={"width": 1280, "height": 800}), server.url)
        viz.page.goto(server.url)
        viz.wait_for_maps()
        hottest = viz.find("hottest")
        n = int((viz.shown() > viz.js("view.map.high") / 2).sum())
        assert hottest.inner_text().startswith(f"{n} of 19 tokens have more than ")
        assert hottest.evaluate("(one) => getComputedStyle(one).color") == "rgb(1, 2, 3)"
        viz.find("stage").focus()
        viz.press("h")
        assert hottest.inner_text() == ""
        assert viz.errors == []
        viz.page.close()
