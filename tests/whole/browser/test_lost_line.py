"""A browser that loses its connection, or is told late: the page says so, what is shown goes on, and so does the visitor."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from support.late_ends import LateEnds
from support.viz import Viz
from vizapp.ui.app import build
from vizapp.ui.server.start import launch

PICTURE = "viewer.payload.id"


def test_a_lost_line_is_said_and_the_visitor_goes_on(viz: Viz) -> None:
    """When the connection is back, Gradio reloads the page, and the address restores the view."""
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
    """When the page notices, for example at a click, that its server is gone, it reloads the new one's and loses the choice."""
    first, again, window = typing(), typing(), browser.new_page()
    try:
        window.goto(launch(first, host="127.0.0.1"))
        port = first.server_port
        window.locator("#typed textarea").fill("chosen")
        window.evaluate("window.before = true")
        first.close(verbose=False)
        window.get_by_role("button", name="Ask").click()
        window.get_by_text("Connection to the server was lost").wait_for()
        launch(again, host="127.0.0.1", port=port)
        window.wait_for_function("!window.before")
        window.locator("#typed textarea").wait_for()
        assert window.locator("#typed textarea").input_value() == ""
    finally:
        window.close()
        for one in (first, again):
            one.close(verbose=False)


def test_what_is_asked_while_the_last_answers_end_is_answered(
    browser: Any, cache: Path, models: SimpleNamespace
) -> None:
    """Gradio's page would put it on a stream that the server has ended, and wait for ever (early/streams.js)."""
    page, window = build(models.registers, device="cpu"), browser.new_page()
    try:
        url = launch(page, host="127.0.0.1", inside=[Middleware(LateEnds)])
        viz = Viz(window, url)
        window.goto(url)
        viz.wait_for_maps()
        for lesson in ("two", "one"):
            window.locator(f"#lesson-{lesson}").dispatch_event("click")
            window.wait_for_function("(lesson) => location.hash.includes(`lesson/${lesson}/`)", arg=lesson)
    finally:
        window.close()
        page.close(verbose=False)
