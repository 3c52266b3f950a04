"""The atlas: large enough to be read, larger under the mouse, in the order of a number; and a table for those without eyes."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np

from support.english import VIEWER
from support.together import together
from support.viz import Viz

ONE_PAGE = "as it opened"

LARGE_ENOUGH = 40  # css pixels


def point_at(viz: Viz, row: int, column: int) -> None:
    """Put the mouse on a small map."""
    x, y = viz.js(
        """(() => {
          const { x, y, w, h } = atlas.box(...argument), area = atlas.canvas.getBoundingClientRect();
          return [area.left + (x + w / 2) / atlas.ratio, area.top + (y + h / 2) / atlas.ratio];
        })()""",
        [row, column],
    )
    viz.page.mouse.move(x, y)
    viz.painted()


def test_maps_of_a_network_whose_grids_shrink_are_large_enough(viz: Viz) -> None:
    """At 1280 x 800; and where the atlas is higher than the screen, the picture stays in view beside its lowest map."""
    viz.choose_model("timm:swin_tiny_patch4_window7_224?pretrained=no&size=112")
    viz.go("atlas")
    last = viz.js("payload.layers.length - 1")
    for column in (0, viz.js("atlas.heads")):
        box = viz.js("atlas.box(...argument)", [last, column])
        assert min(box["w"], box["h"]) >= LARGE_ENOUGH - 1e-6
    width, _ = viz.page.evaluate("[document.documentElement.scrollWidth, 0]")
    assert width <= 1280
    viz.page.evaluate("scrollTo(0, 1e6)")
    viz.painted()
    assert viz.find("picture").bounding_box()["y"] >= 0
    viz.page.evaluate("scrollTo(0, 0)")
    viz.go(None)


def test_a_map_under_the_mouse_is_shown_larger_with_its_numbers(viz: Viz) -> None:
    viz.go("atlas")
    assert viz.js("payload.truth.length"), "the object is known, so that each map has a number"
    title = viz.page.locator(".viz-metric option:checked").text_content()
    assert VIEWER["atlas_scored"].format(title=title) in viz.find("atlas-numbers").inner_text()
    assert viz.find("lens").is_hidden()
    point_at(viz, 1, 2)
    row = viz.values(0, layer=1, fusion="one", head=2)
    said = viz.find("lens-said").inner_text()
    assert viz.find("lens").is_visible()
    assert said.startswith(VIEWER["where_head"].format(layer=2, head=3))
    entropy = -np.sum(row[row > 0] * np.log(row[row > 0]))
    assert VIEWER["lens_entropy"].format(entropy=f"{entropy:.2f}", n=f"{np.exp(entropy):.0f}") in said
    # its middle pixel of each patch has the colour of the small map
    large, small = viz.pixels("lens-map"), viz.js("atlas.places[1][2]")
    rows, cols = viz.js("payload.grid")
    sheet = np.array(
        viz.js("Array.from(atlas.sheet.getContext('2d').getImageData(...argument).data)", [*small, cols, rows])
    ).reshape(rows, cols, 4)
    step = large.shape[0] // rows
    assert np.array_equal(large[step // 2 :: step, step // 2 :: step], sheet)
    viz.leave()
    assert viz.find("lens").is_hidden()


@together("order", ["entropy", "distance", "cls"])
def test_heads_stand_in_the_order_of_a_number(viz: Viz, order: str) -> None:
    """The order is that of the row on the stage. A click opens the head under it, and moving the mouse reorders nothing."""
    viz.go("atlas")
    viz.click(1, 1)  # CLS has no place, so that nothing is far from it
    viz.find("order").select_option(order)
    viz.painted()
    layers, heads = viz.js("[payload.layers.length, payload.layers[0].heads]")
    query = viz.js("view.chosen")
    size = viz.js("payload.input")
    rows, cols = viz.js("payload.grid")
    numbers = {}
    for layer in range(layers):
        for head in range(heads):
            values = viz.values(query, layer=layer, fusion="one", head=head)
            numbers[layer, head] = number(order, values, (rows, cols), size, (1, 1))
    sign = 1 if order == "entropy" else -1
    expected = sorted(numbers, key=lambda place: (sign * numbers[place], place))
    boxes = viz.js("argument.map(([row, column]) => atlas.box(row, column))", [list(place) for place in expected])
    places = [(round(box["y"]), box["x"]) for box in boxes]
    assert places == sorted(places)
    assert viz.js("atlas.plan.spots.flat().filter(Boolean).length") == layers * heads
    best = boxes[0]
    ratio = viz.js("atlas.ratio")
    viz.find("atlas").click(
        position={"x": (best["x"] + best["w"] / 2) / ratio, "y": (best["y"] + best["h"] / 2) / ratio}
    )
    viz.painted()
    assert viz.js("[view.layer, view.head]") == list(expected[0])
    viz.click(1, 1)  # nothing is pinned: other patches are asked by pointing at them
    assert not viz.js("view.pinned")
    before = viz.js("JSON.stringify(atlas.plan.spots)")
    viz.hover(0, 2)
    viz.hover(2, 3)
    assert viz.js("JSON.stringify(atlas.plan.spots)") == before
    viz.find("order").select_option("layers")
    viz.painted()
    assert viz.js("atlas.box(0, 0)")["x"] == viz.js("atlas.box(1, 0)")["x"]
    viz.leave()
    viz.go(None)


def number(order: str, values: np.ndarray, grid: tuple[int, int], size: Any, cell: tuple[int, int]) -> float:
    """In NumPy what the browser sorts by; three prefix tokens, the first of them CLS."""
    if order == "entropy":
        return float(-np.sum(values[values > 0] * np.log(values[values > 0])))
    if order == "cls":
        return float(values[0])
    patches = values[3:].reshape(grid)
    y, x = np.mgrid[: grid[0], : grid[1]]
    far = np.hypot((y - cell[0]) * size[0] / grid[0], (x - cell[1]) * size[1] / grid[1])
    return float((patches * far).sum() / patches.sum())


def test_what_nothing_can_be_sorted_by_is_not_offered(viz: Viz) -> None:
    """CLS has no place in the picture, and sinks were not looked for; the object of the first picture is known."""
    viz.go("atlas")
    disabled = viz.find("order").evaluate(
        "(list) => [...list.options].filter((one) => one.disabled).map((one) => one.value)"
    )
    assert disabled == ["distance", "sinks"]


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
