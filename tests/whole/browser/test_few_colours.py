"""What is pressed can be seen where the visitor's own few colours replace the page's, and on paper without any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.viz import Viz

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
