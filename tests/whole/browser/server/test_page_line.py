"""The page that loses its server: it says so, keeps what is shown, and goes on by itself when the server is there again."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.middleware import Middleware

from bench.proxy import wire_to
from bench.server import unused_port
from support.late_ends import LateEnds
from support.methods_tab import Gate, jobs
from support.one_file import Opened, visited
from support.restarts import servers
from support.serving import Server
from support.viz import assert_same, hash_of, painted
from support.waiting import until
from vizapp.server import address
from vizapp.ui.app import build
from vizapp.ui.server.start import launch
from vizapp.ui.words import words_for

LOST = words_for("en")["export"]["lineLost"]
SAYS_NOTHING = "!document.querySelector('#lost').textContent"
TABLE = "[...document.querySelectorAll('#methods-table tr[data-method]')].length"


def test_a_server_that_was_started_anew_gets_all_that_it_needs(
    browser: Any, tmp_path: Path, pictures: SimpleNamespace
) -> None:
    port = unused_port()
    with servers(port) as running:
        with running(tmp_path / "one"):
            viz = visited(browser, f"http://127.0.0.1:{port}/page/")
            page = viz.page
            page.set_input_files("#choose input[type=file]", pictures.landscape)
            viz.wait_for_maps()
            viz.js("state.set({ layer: 2, fusion: 'one', head: 1, place: [0.4, 0.4], pinned: true })")
            link, before, picture = hash_of(viz), painted(viz), viz.js("viewer.payload.id")
        page.get_by_text(LOST).wait_for()
        viz.hover(1, 1)
        assert viz.js("viewer.payload.id") == picture, "attention is in the browser"
        page.locator("#lesson-two").click()
        page.wait_for_function("document.querySelector('.viz').dataset.waiting === 'true'")
        with running(tmp_path / "two"):
            page.wait_for_function("location.hash.includes('lesson/two')")
            page.wait_for_function(SAYS_NOTHING)
            page.go_back()  # to a picture that this server has never had
            page.wait_for_function("(id) => document.querySelector('.viz').viewer.payload.id === id", arg=picture)
            viz.wait_for_rest()
            assert hash_of(viz) == link
            assert_same(painted(viz), before)
        page.get_by_text(LOST).wait_for()
        answer = (
            "document.querySelector('.viz').viewer.ask('classes', document.querySelector('.viz').viewer.payload.run)"
        )
        page.evaluate(f"{answer}.then((told) => (window.told = told))")
        with running(tmp_path / "three"):  # nothing is chosen: a question names maps of a server that is gone
            page.wait_for_function("window.told")
            assert len(page.evaluate("window.told.classes")) == 2
            page.wait_for_function(SAYS_NOTHING)
            assert hash_of(viz) == link
        page.context.close()


def test_what_was_asked_when_the_line_broke_is_asked_again(browser: Any, server: Server, gate: Gate) -> None:
    with wire_to(server.url) as wire:
        viz = visited(browser, f"{wire.url}page/")
        viz.page.get_by_role("tab").nth(1).click()
        gate.wait()
        (job,) = jobs("long")
        wire.cut()
        until(lambda: job.ended == "left")
        gate.step(1000)
        viz.page.wait_for_function(f"{TABLE} > 1")
        assert viz.page.locator("#lost").inner_text() == "", "the server was there again at once"
        viz.page.context.close()


def test_a_line_that_stands_still_is_given_up(browser: Any, server: Server, gate: Gate) -> None:
    """The network has changed, or the machine has slept: no connection ends, and nothing comes any more."""
    with wire_to(server.url) as wire:
        viz = visited(browser, f"{wire.url}page/")
        viz.page.get_by_role("tab").nth(1).click()
        gate.wait()
        wire.silent.set()
        viz.page.evaluate(
            "(() => { const { line } = document.querySelector('.viz').desk.source; line.now.heard = 0; line.hint(); })()"
        )
        viz.page.get_by_text(LOST).wait_for()
        wire.silent.clear()
        gate.step(1000)
        viz.page.wait_for_function(f"{TABLE} > 1")
        viz.page.wait_for_function(SAYS_NOTHING)
        viz.page.context.close()


def test_the_page_tells_that_somebody_waits_and_a_closed_one_that_nobody_does(
    browser: Any,
    server: Server,
    gate: Gate,
) -> None:
    viz = visited(browser, f"{server.url}page/")
    viz.page.get_by_role("tab").nth(1).click()
    gate.wait()
    (job,) = jobs("long")
    first = job.heard
    until(lambda: job.heard > first + 1)
    assert job.ended is None
    viz.page.close()
    until(lambda: job.ended == "left")
    viz.page.context.close()


def test_what_is_asked_while_the_last_answers_end_is_answered(
    browser: Any, cache: Path, models: SimpleNamespace
) -> None:
    """Gradio's client alone would put it on a stream that the server has ended, and wait for ever."""
    page = build(models.registers, device="cpu")
    try:
        url = launch(page, host="127.0.0.1", inside=[*address.offer(page), Middleware(LateEnds)])
        viz = visited(browser, f"{url}page/")
        for lesson in ("two", "one"):
            viz.page.locator(f"#lesson-{lesson}").click()
            viz.page.wait_for_function("(lesson) => location.hash.includes(`lesson/${lesson}/`)", arg=lesson)
        viz.page.context.close()
    finally:
        page.close(verbose=False)


def test_a_page_that_comes_out_of_the_browsers_drawer_goes_on(opened: Opened, server: Server) -> None:
    """Leaving it ends the visit; going back finds a line again, whether the browser has kept the page or not."""
    viz = opened(f"{server.url}page/")
    viz.page.locator("#lesson-two").click()
    viz.wait_for_maps()
    with viz.leaving():
        viz.page.goto(f"{server.url}health")
        viz.page.go_back()
    viz.page.wait_for_function("document.querySelector('.viz')?.viewer?.payload")
    viz.page.locator("#lesson-one").click()
    viz.page.wait_for_function("location.hash.includes('lesson/one/')")
