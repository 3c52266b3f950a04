"""What is pressed is large enough (WCAG 2.5.8), is told apart in few colours and on paper, and lies on nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

from support.serving import Server, come
from support.viz import Viz

LEAST = 24
WINDOWS = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}
# The label of a box to tick is pressed with it. What only screen readers find is pressed by nobody.
SMALL = """(least) => {
  const all = "button, input, select, textarea, summary, a[href], label:has(input), [role=button], [role=tab], [role=switch]";
  const seen = [...document.querySelectorAll(all)].filter((one) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest(".unseen, .viz-unseen"));
  const boxOf = (one) => (["checkbox", "radio"].includes(one.type) && one.closest("label")) || one;
  return [seen.length, seen.map((one) => [one, boxOf(one).getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 1 && height > 1 && (width < least - 0.05 || height < least - 0.05))
    .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 120)}: ${width.toFixed(1)} x ${height.toFixed(1)}`)];
}"""


@pytest.mark.parametrize("window", WINDOWS)
def test_targets_are_large_enough(window: str, browser: Any, server: Server) -> None:
    viz = come(browser, server.url, viewport=WINDOWS[window], has_touch=window == "narrow")
    small: set[str] = set()
    counted = 0

    def measure() -> None:
        nonlocal counted
        viz.idle()
        count, found = viz.page.evaluate(SMALL, LEAST)
        counted += count
        small.update(found)

    for number in range(viz.page.locator("#heading details, #viewer details").count()):
        fold = viz.page.locator("#heading details, #viewer details").nth(number)
        fold.evaluate("(one) => { one.open = true; }")
        measure()
        fold.evaluate("(one) => { one.open = false; }")
    for button in ("model-chip", "plus"):
        viz.drawer(button)
        measure()
        viz.press("Escape")
    for depth in ("atlas", "score", "steps", "teach"):
        viz.go(depth)
        measure()
        viz.go(None)
    viz.show_map("rollout")
    viz.display()
    viz.find("scale").select_option("fixed")
    measure()
    viz.page.locator("#tabs button[role=tab]").nth(1).click()
    measure()
    for head in viz.page.locator("#tabs .label-wrap:visible").all():
        head.click()
    measure()
    viz.page.context.close()
    assert counted > 150
    assert not small, "\n" + "\n".join(sorted(small))


# [pressed, others] of all buttons that can be pressed, as `what` of their style.
LOOKS = """(what) => {
  const buttons = [...document.querySelectorAll(".viz button[aria-pressed]")].filter((one) => one.checkVisibility());
  const look = (one) => what.map((key) => getComputedStyle(one)[key]).join();
  const looks = (pressed) => buttons.filter((one) => (one.ariaPressed === "true") === pressed).map(look);
  return [[...new Set(looks(true))], [...new Set(looks(false))]];
}"""
TABS = """(what) => [...document.querySelectorAll("#tabs button[role=tab]")].filter((one) => one.checkVisibility())
  .map((one) => [one.ariaSelected === "true", what.map((key) => getComputedStyle(one)[key]).join()])"""


def told_apart(page: Any, *what: str) -> None:
    pressed, others = page.evaluate(LOOKS, list(what))
    assert pressed
    assert others
    assert not set(pressed) & set(others), (pressed, others)
    tabs = page.evaluate(TABS, list(what))
    assert len({look for chosen, look in tabs if chosen} | {look for chosen, look in tabs if not chosen}) == 2, tabs


def test_in_forced_colours(visit: Callable[..., Viz]) -> None:
    viz = visit(forced_colors="active", viewport={"width": 1280, "height": 800})
    told_apart(viz.page, "backgroundColor", "color")
    shown = viz.page.evaluate("getComputedStyle(document.querySelector('.viz-chips i')).backgroundColor")
    ground = viz.page.evaluate("getComputedStyle(document.querySelector('.viz-chips button')).backgroundColor")
    assert shown != ground, "the bar of a token's share"


def test_on_paper(viz: Viz) -> None:
    """Browsers print no backgrounds: a frame and bold letters say it without."""
    viz.page.emulate_media(media="print")
    told_apart(viz.page, "fontWeight")
    pressed, _ = viz.page.evaluate(LOOKS, ["outlineStyle", "printColorAdjust"])
    assert pressed == ["solid,exact"]
    viz.page.emulate_media(media="screen")


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
