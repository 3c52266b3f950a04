"""A browser that loses its connection: the page says so, what is shown goes on, and so does the visitor when the line is back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from ui.viz import Viz
from vizapp.ui.server.address import free_port
from vizapp.ui.server.start import launch

PICTURE = "viewer.payload.id"


def test_a_lost_line_is_said_and_the_visitor_goes_on(viz: Viz) -> None:
    """As soon as the line is back, Gradio loads the page anew, and the address brings back what was there."""
    page, items = viz.page, viz.page.locator("#choose .gallery-item")
    first = viz.js(PICTURE)
    page.evaluate("window.before = true")
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
    page.wait_for_function("!window.before")
    viz.wait_for_maps()
    assert viz.js(PICTURE) == first
    items.last.click()
    page.wait_for_function("first => document.querySelector('.viz').viewer.payload.id !== first", arg=first)
    viz.errors.clear()  # the browser itself reports requests without a line


def typing() -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as page:
        typed = gr.Textbox(elem_id="typed", interactive=True)
        gr.Button("Ask").click(lambda: "answer", None, typed)
    return page


def test_a_new_server_reloads_the_page(browser: Any, cache: Path) -> None:
    """If it has noticed that its own is no more, as by a click: it begins anew, and what was chosen is gone."""
    port = free_port("127.0.0.1", 7965)
    first, again, window = typing(), typing(), browser.new_page()
    try:
        window.goto(launch(first, host="127.0.0.1", port=port))
        window.locator("#typed textarea").fill("chosen")
        window.evaluate("window.before = true")
        first.close(verbose=False)
        window.get_by_role("button", name="Ask").click()
        window.get_by_text("Connection to the server was lost").wait_for()
        launch(again, host="127.0.0.1", port=port)
        window.wait_for_function("!window.before", timeout=60_000)
        window.locator("#typed textarea").wait_for()
        assert window.locator("#typed textarea").input_value() == ""
    finally:
        window.close()
        for one in (first, again):
            one.close(verbose=False)
