"""A browser that loses its connection: the page says so, what is shown goes on, and so does the visitor when the line is back."""

from __future__ import annotations

from ui.viz import Viz

PICTURE = "viewer.payload.id"


def test_a_lost_line_is_said_and_the_visitor_goes_on_without_a_reload(viz: Viz) -> None:
    page, items = viz.page, viz.page.locator("#choose .gallery-item")
    first = viz.js(PICTURE)
    page.context.set_offline(True)
    try:
        items.last.click()
        page.get_by_text("Connection to the server was lost").wait_for()
        viz.hover(1, 1)
        one = viz.find("status").inner_text()
        viz.hover(2, 2)
        assert "patch (3, 3)" in viz.find("status").inner_text() != one, "attention is in the browser"
        assert viz.js(PICTURE) == first
    finally:
        page.context.set_offline(False)
    page.get_by_text("Connection to the server was lost").wait_for(state="hidden")
    items.last.click()
    viz.wait_for_maps()
    assert viz.js(PICTURE) != first
    viz.errors.clear()  # the browser itself reports requests without a line
