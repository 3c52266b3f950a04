"""A server that is killed and started again: the page comes back to the same view, with the visitor's own picture."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.server import unused_port
from support.restarts import servers
from support.viz import Viz, assert_same, hash_of, painted


def test_after_a_new_start_the_page_is_as_it_was(browser: Any, tmp_path: Path, pictures: SimpleNamespace) -> None:
    """Twice: noticed by a choice that fails, and while the server is away, which ends in a reload."""
    port, context = unused_port(), browser.new_context(viewport={"width": 1280, "height": 800})
    viz = Viz(context.new_page(), f"http://127.0.0.1:{port}/")
    page = viz.page
    with servers(port) as running:
        with running(tmp_path / "one"):
            page.goto(f"http://127.0.0.1:{port}/")
            viz.wait_for_maps()
            viz.upload(pictures.landscape)
            viz.js(
                "state.set({ layer: 2, fusion: 'one', head: 1, place: [0.4, 0.4], pinned: true, colours: 'cividis' })"
            )
            viz.drawer("plus")
            page.locator("#keeps-pictures").wait_for()
            address, before, picture = hash_of(viz), painted(viz), viz.js("viewer.payload.id")

        def assert_it_is_as_it_was(how: str) -> None:
            page.wait_for_function("() => document.querySelector('.viz')?.viewer?.payload?.wasSeen !== true")
            viz.wait_for_maps()
            assert viz.js("viewer.payload.id") == picture, how
            assert hash_of(viz) == address, how
            assert_same(painted(viz), before, how)
            assert page.locator("#link-line p").inner_text() == "", how

        with running(tmp_path / "two"):  # noticed by nobody: the picture is on the stage, but not on this server
            viz.choose_model("crate", wait=False)
            assert_it_is_as_it_was("a choice that fails")
        page.locator("#lesson-two").click()  # Gradio says that the line is lost, and waits for it
        page.get_by_text("Connection to the server was lost").wait_for()
        with running(tmp_path / "three"):
            assert_it_is_as_it_was("a lost line")
    context.close()
