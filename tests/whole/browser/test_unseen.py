"""The page without eyes: every map of the atlas in a table, and what is said of a map when it has come to rest."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from support.viz import Viz
from vizapp.ui.words.en import VIEWER

ONE_PAGE = "as it opened"

TABLE = "table.viz-listing"

# Until what is written a while after the last paint (the longest while is that of a voice: 700 ms) has been written.
RESTED = """() => new Promise((done) => {
  let timer = 0;
  const count = new MutationObserver(() => again());
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { count.disconnect(); done(); }, 1000);
  };
  for (const one of document.querySelectorAll(".viz-listing, .viz-spoken"))
    count.observe(one, { childList: true, subtree: true, characterData: true, attributes: true });
  again();
})"""


def listed(viz: Viz) -> Any:
    """The table beside all maps, once it has been written."""
    if viz.choice("depth") != "wide":
        viz.go("atlas")
    viz.page.locator(f"{TABLE} td[role=gridcell]").first.wait_for(state="attached")
    viz.page.evaluate(RESTED)
    return viz.page.get_by_role("grid")


def spoken(viz: Viz) -> str:
    return viz.page.locator(".viz-status + [aria-live=polite]").inner_text()


def test_each_map_of_the_atlas_is_a_cell_with_its_score(viz: Viz) -> None:
    """A row per layer, a column per head; in each cell the figure that stands on the small map."""
    table = listed(viz)
    layers, columns = viz.js("payload.layers.length"), viz.js("view.columns.length")
    assert table.get_by_role("rowheader").count() == layers
    assert table.get_by_role("columnheader").count() == columns
    assert table.locator("[tabindex]").count() == layers * columns
    scores = viz.js("view.scores.table")
    for row in range(layers):
        said = table.get_by_role("row").nth(row + 1).locator("[tabindex]").all_inner_texts()
        shares = [float(re.match(r"[\d.]+", one)[0]) for one in said]
        assert all(abs(share - 100 * score) < 0.6 for share, score in zip(shares, scores[row], strict=True))
    viz.find("order").select_option("entropy")
    viz.page.evaluate(RESTED)
    first = table.locator("[tabindex]").first.inner_text()
    assert float(first) == round(viz.js("view.measured({ row: 0, column: 0 }).entropy"), 2)
    assert VIEWER["listing_entropy"] in (table.get_attribute("aria-label") or "")


def test_a_head_is_chosen_by_keys(viz: Viz) -> None:
    """One stop for Tab, arrows from map to map: the atlas shows where, Enter brings the map to the stage."""
    table = listed(viz)
    stop = table.locator('[tabindex="0"]')
    assert stop.count() == 1
    assert stop.get_attribute("aria-selected") == "true"
    start = viz.js("view.selected")
    there = {"row": 1 - min(start["row"], 1), "column": start["column"] - 1}
    stop.focus()
    viz.press("ArrowDown" if there["row"] else "ArrowUp")
    for _ in range(start["row"] - 1):
        viz.press("ArrowUp")
    viz.press("ArrowLeft")
    assert viz.js("view.pointed") == there
    assert viz.find("lens").is_visible(), "who sees the page sees where the focus is"
    assert not viz.choice("pinned"), "the arrows are the table's, not the stage's"
    viz.press("Enter")
    assert viz.js("view.selected") == there
    viz.page.evaluate(RESTED)
    assert table.locator('[aria-selected="true"]').count() == 1
    viz.press("Tab")
    assert viz.js("view.pointed") is None
    assert not viz.find("lens").is_visible()


def test_hovering_does_not_touch_the_table(viz: Viz) -> None:
    """While a mouse moves nothing is said and no cell is written; when it rests, both are."""
    listed(viz)
    before = spoken(viz)
    viz.page.evaluate(
        """() => {
          window.written = 0;
          const count = new MutationObserver((all) => { window.written += all.length; });
          const what = { childList: true, subtree: true, characterData: true, attributes: true };
          for (const one of document.querySelectorAll(".viz-listing, .viz-spoken")) count.observe(one, what);
        }"""
    )
    rows, cols = viz.js("payload.grid")
    # Moved by the page itself: between two commands from outside a busy machine may take longer than a hand that rests. Where
    # two frames are that far apart the hand has rested, and what it writes then is right: those moves do not count.
    moved = viz.page.evaluate(
        """async ([rows, cols]) => {
          const canvas = document.querySelector(".viz-picture"), area = canvas.getBoundingClientRect();
          const frame = () => new Promise(requestAnimationFrame);
          for (let step = 0, last = performance.now(); step < 12; step++) {
            const clientX = area.left + (((step * 3) % cols + 0.5) / cols) * area.width;
            const clientY = area.top + (((step % rows) + 0.5) / rows) * area.height;
            canvas.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", clientX, clientY }));
            await frame();
            const now = performance.now();
            if (now - last > 300) {
              await new Promise((done) => setTimeout(done, 1000));
              window.written = 0;
              step = -1;
            }
            last = performance.now();
          }
          return window.written;
        }""",
        [rows, cols],
    )
    assert moved == 0
    viz.page.evaluate(RESTED)
    assert viz.page.evaluate("window.written") > 0
    assert spoken(viz) != before


def test_a_sentence_says_where_the_map_lies(viz: Viz) -> None:
    """80 % in so many patches, counted here once more, and where; politely, after a pin by keys as well."""
    listed(viz)
    viz.find("stage").focus()
    viz.press("ArrowRight")
    viz.page.evaluate(RESTED)
    said = spoken(viz)
    first = viz.js("view.map.layout.first")
    shares = sorted(viz.shown()[first:], reverse=True)
    held, patches = 0.0, 0
    while held < 0.8 * sum(shares) * (1 - 1e-6):
        held, patches = held + shares[patches], patches + 1
    assert f"80\u00a0% of the map lies in {patches} of {len(shares)} patches" in said, said
    parts = [word for key, word in VIEWER.items() if re.match(r"part_[a-z]+_[a-z]+$", key)]
    assert len(parts) == 16
    assert any(said.endswith(f", {part}.") for part in parts)


def test_another_picture_is_written_into_the_same_table(viz: Viz, pictures: SimpleNamespace) -> None:
    """Nodes do not grow with pictures."""
    table = listed(viz)
    cells = table.locator("*").count()
    viz.upload(pictures.square)
    listed(viz)
    assert table.locator("*").count() == cells
