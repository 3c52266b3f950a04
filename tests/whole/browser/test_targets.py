"""What one presses is at least 24 css pixels wide and high (WCAG 2.5.8), in each tab, with all that opens in it."""

from __future__ import annotations

from typing import Any

import pytest

from support.serving import Server
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
    visitor = browser.new_context(viewport=WINDOWS[window], has_touch=window == "narrow")
    viz = Viz(visitor.new_page(), server.url)
    viz.page.goto(server.url)
    viz.wait_for_maps()
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
    visitor.close()
    assert counted > 150
    assert not small, "\n" + "\n".join(sorted(small))
