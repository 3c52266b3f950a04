"""The atlas: large enough to be read, larger under the mouse, and in the order of a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.together import together
from support.viz import Viz
from vizapp.ui.words.en import VIEWER

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
        viz.js(
            "Array.from(atlas.sheet.getContext('2d').getImageData(...argument).data)",
            [*small, cols, rows],
        )
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
