"""Windows of little height or width: a phone on its side, a laptop at 200 %, an old projector. Nothing lies on anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.viz import Viz

# What is seen of each, as (left, top, right, bottom).
BOXES = """(names) => Object.fromEntries(names.map((name) => {
  const found = [...document.querySelectorAll(name)].filter((one) => one.getClientRects().length);
  return [name, found.map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.top, box.right, box.bottom])];
}))"""
CHAPTER = "#picture=lesson/clutter/8&model=toy&chapter=cls"
PRESENTED = ".viz-present"
WAY = ".viz-book-whole .viz-way-part"
BUTTONS = (".viz-book-back", ".viz-book-on", ".viz-book-close")


def boxes(viz: Viz, *names: str) -> dict[str, list[list[float]]]:
    return viz.page.evaluate(BOXES, list(names))


def overlap(one: list[float], other: list[float]) -> bool:
    """By more than a rounding."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return min(width, height) > 1


def way_is_clear(viz: Viz) -> None:
    found = boxes(viz, ".viz-book-whole", WAY, *BUTTONS)
    (around,) = found[".viz-book-whole"]
    assert len(found[WAY]) == 5
    for part in found[WAY]:
        assert around[0] <= part[0] + 1, "each part is within the drawing"
        assert part[2] <= around[2] + 1
        assert not any(overlap(part, button) for name in BUTTONS for button in found[name])
    name = viz.page.locator(".viz-book-whole [data-part=readout] b")
    assert name.bounding_box()["height"] < 24, "CLS is one word"


@pytest.mark.parametrize("window", [(640, 400), (667, 375), (844, 390), (1024, 768), (390, 844)], ids=str)
def test_a_small_window(visit: Callable[..., Viz], window: tuple[int, int]) -> None:
    width, height = window
    viz = visit(CHAPTER, viewport={"width": width, "height": height})
    viz.find("book").wait_for()
    viz.wait_for_rest()
    way_is_clear(viz)
    viz.find("book-close").click()
    viz.wait_for_rest()
    page = viz.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#model-chip").bounding_box()["height"] < 40, "its name is on one line"
    for door in page.locator(".viz-doors button:visible").all():
        assert door.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "a door says all that it opens"
    if height < 500:
        assert page.evaluate("document.documentElement.scrollHeight") <= height + 2, (
            "the page does not scroll, its column does"
        )
        (picture,), (legend,) = boxes(viz, ".viz-picture", ".viz-legend").values()
        assert max(picture[3], legend[3]) <= height + 2


@pytest.mark.parametrize("window", [(1920, 1080), (1024, 768)], ids=str)
def test_a_chapter_before_a_class(visit: Callable[..., Viz], window: tuple[int, int]) -> None:
    viz = visit(CHAPTER, viewport=dict(zip(("width", "height"), window, strict=True)))
    viz.find("book").wait_for()
    viz.page.keyboard.press("p")
    viz.page.wait_for_function("document.querySelector('.viz').classList.contains('viz-presented')")
    viz.wait_for_rest()
    way_is_clear(viz)
    found: dict[str, Any] = boxes(viz, PRESENTED, ".viz-book", ".viz-save")
    assert not overlap(found[PRESENTED][0], found[".viz-book"][0]), "the way back lies beside the book"
    assert not found[".viz-save"], "what is for one person is left out"
    book = found[".viz-book"][0]
    assert book[2] - book[0] > 420, "a line holds some words"
