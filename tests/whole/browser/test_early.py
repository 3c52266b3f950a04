"""The first map stands in the page before Gradio is there, and Gradio's component takes it over."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.serving import Server
from support.viz import Viz
from support.waiting import until

PLACES = """() => {
  const root = document.querySelector(".viz");
  return ["stage", "headline", "layer-strip", "status"].map((one) => {
    const { x, y, width, height } = root.querySelector(`.viz-${one}`).getBoundingClientRect();
    return [x, y, width, height].map(Math.round);
  });
}"""


@pytest.fixture(scope="module", autouse=True)
def made(server: Server) -> None:
    """The first maps are made: they are as soon as the server has answered a while."""
    until(lambda: '"value": {' in server.http.get(server.url).text, lambda: "the server made no first maps")


@contextmanager
def held(browser: Any, url: str, **options: Any) -> Iterator[tuple[Viz, Callable[[], None]]]:
    """A visitor to whom Gradio's scripts do not come, until the function is called."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
    page = context.new_page()
    viz, waiting = Viz(page, url), list[Any]()
    page.route("**/assets/index-*.js", lambda one: waiting.append(one))
    page.goto(url, wait_until="commit")

    def release() -> None:
        for one in waiting:
            one.continue_()
        page.unroute("**/assets/index-*.js")

    yield viz, release
    context.close()
    assert viz.errors == []


@pytest.mark.parametrize(("query", "size"), [("?lang=zh", (1280, 800)), ("", (390, 844))])
def test_gradio_takes_over_what_is_there(browser: Any, server: Server, query: str, size: tuple[int, int]) -> None:
    viewport = {"width": size[0], "height": size[1]}
    with held(browser, server.url + query, viewport=viewport) as (viz, release):
        viz.page.wait_for_selector('#early .viz[data-state="ready"]')
        assert viz.page.locator("gradio-app").inner_text() == ""
        maps = [one for one in viz.requests if one.endswith(".bin")]
        assert len(maps) == 1
        assert sum("/gradio_api/" in one for one in viz.requests) == 1, "nobody waits for Gradio"
        viz.js("state.set({ layer: 0 })")  # as a visitor who looks around
        viz.page.evaluate("window.before = document.querySelector('.viz').viewer")
        before = viz.page.evaluate(PLACES)
        release()
        viz.wait_for_rest()
        assert viz.page.evaluate("document.querySelector('#viewer .viz').viewer === window.before")
        assert viz.choice("layer") == 0, "what was done before stays"
        assert viz.page.evaluate(PLACES) == before
        assert viz.page.locator("#early").count() == 0
        assert {one for one in viz.requests if one.endswith(".bin")} == {
            viz.page.evaluate("new URL(window.vizappStage.value.file.url, document.baseURI).href")
        }
        proof = viz.js("viewer.ask('proof', payload.run)")
        assert proof, "the server knows the maps that the page brought"


def test_a_link_shows_nothing_before_its_own_picture_and_the_rest_does_not_wait_for_the_queue(
    browser: Any, server: Server
) -> None:
    with held(browser, server.url) as (viz, release):
        viz.page.wait_for_selector('#early .viz[data-state="ready"]')
        asked = list[Any]()
        viz.page.route("**/queue/join*", lambda one: asked.append(one))
        release()
        viz.until(lambda: asked)
        viz.until(lambda: viz.js("payload.hasLayer(view.layer)"))
        asked[0].continue_()
        viz.page.unroute("**/queue/join*")
        viz.wait_for_rest()
    with held(browser, f"{server.url}#v=1&picture=lesson/single/3") as (viz, release):
        viz.page.wait_for_selector("gradio-app", state="attached")
        assert viz.page.locator("#early").count() == viz.page.locator(".viz").count() == 0
        assert not [one for one in viz.requests if one.endswith(".bin")]
        release()
        viz.wait_for_maps()
        assert viz.page.locator("#viewer .viz").is_visible()


def test_the_page_names_gradios_files_at_once(viz: Viz) -> None:
    """Each is fetched once, and none that the page had not named; the style sheets it contains (see gradio_files.py)."""
    named = viz.page.evaluate("window.vizappStage.files")
    fetched = [one.split("?")[0].rsplit("/", 1)[1] for one in viz.requests if "/assets/" in one or "/theme.css" in one]
    assert len(named["scripts"]) > 30
    assert len(named["sheets"]) > 20
    assert len(set(fetched)) == len(fetched)
    assert {one for one in fetched if one.endswith(".js")} == set(named["scripts"])
    assert [one[:6] for one in fetched if one.endswith(".css")] == ["index-"], "the one that Gradio's page names itself"


def test_each_page_carries_the_viewer_once(server: Server) -> None:
    for query in ("", "zh"):
        page = server.http.get(server.url + query).text
        assert page.count("var vizapp=(") == 1
        assert page.index("var vizapp=(") < page.index("window.gradio_config = {")
