"""For a room: the picture and one sentence as large as the screen, and back."""

from collections.abc import Iterator

import pytest

from support.viz import Viz

ONE_PAGE = "as it opened"

SHOWN = {"stage", "legend", "layers", "status", "prediction", "present"}
PANELS = """() => [...document.querySelectorAll('.viz-panel')].filter((panel) =>
  [...panel.querySelectorAll('*')].some((one) => one.checkVisibility())).map((panel) => panel.dataset.panel)"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll('.viz *')]
  .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.fixture
def resized(viz: Viz) -> Iterator[Viz]:
    """The page, whose window has its size again in the end."""
    yield viz
    viz.page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768)])
def test_a_room_can_read_it(resized: Viz, size: tuple[int, int]) -> None:
    viz = resized
    viz.page.set_viewport_size({"width": size[0], "height": size[1]})
    viz.idle()
    before = viz.find("picture").bounding_box()["width"]
    viz.find("present").click()
    viz.painted()
    assert set(viz.page.evaluate(PANELS)) == SHOWN
    assert viz.page.evaluate(SMALLEST) >= 20
    assert viz.page.evaluate("document.fullscreenElement?.className").startswith("viz")
    box = viz.find("picture").bounding_box()
    assert box["width"] > before
    assert box["width"] >= min(0.54 * size[0], 0.9 * size[1]), "beside it is room for the layers and a sentence"
    assert box["y"] + box["height"] <= size[1]
    viewer = viz.page.locator(".viz").evaluate(
        "(one) => [one.scrollWidth <= innerWidth, one.scrollHeight <= innerHeight]"
    )
    assert viewer == [True, True], "nothing to scroll"
    viz.slide("layer", 1)
    viz.hover(1, 1)
    assert viz.js("[view.layer, view.hovered]") == [0, [1, 1]], "it goes on as before"


def test_the_key_and_escape(viz: Viz) -> None:
    viz.find("stage").focus()
    for key, is_on in (("p", True), ("p", False), ("p", True)):
        viz.press(key)
        viz.page.wait_for_function("(is) => Boolean(document.fullscreenElement) === is", arg=is_on)
        assert viz.find("present").get_attribute("aria-pressed") == str(is_on).lower()
    viz.page.evaluate("document.exitFullscreen()")  # what the browser does on Escape
    viz.page.wait_for_function("!document.querySelector('.viz').classList.contains('viz-presented')")
    assert viz.page.locator("#choose").is_visible()


def test_the_space_bar_plays_after_a_press_of_the_button(viz: Viz) -> None:
    viz.find("present").click()
    viz.page.wait_for_function("Boolean(document.fullscreenElement)")
    viz.press(" ")
    assert viz.find("present").get_attribute("aria-pressed") == "true"
    assert viz.find("play").get_attribute("aria-pressed") == "true"


def test_escape_undoes_the_last_step_first(viz: Viz) -> None:
    """What was opened while it is presented is closed before it ends; what was open before, after it."""
    is_on = "document.querySelector('.viz').classList.contains('viz-presented')"
    viz.find("stage").focus()
    for before, inside in (([], ["t"]), (["t"], []), ([], ["n", "a"])):
        for key in (*before, "p", *inside):
            viz.press(key)
        viz.page.wait_for_function("Boolean(document.fullscreenElement)")
        depth = viz.js("view.depth")
        viz.page.evaluate("document.exitFullscreen()")  # what the browser does on Escape
        viz.page.wait_for_function("!document.fullscreenElement")
        viz.painted()
        assert viz.page.evaluate(is_on) is bool(inside)
        assert viz.js("view.depth") == ("picture" if inside else depth)
        viz.press("Escape")
        assert viz.page.evaluate(is_on) is False
        assert viz.js("view.depth") == "picture"


def test_where_the_screen_cannot_be_had_it_fills_the_window_until_escape(viz: Viz) -> None:
    viz.page.evaluate(
        "() => { window.had = Element.prototype.requestFullscreen; delete Element.prototype.requestFullscreen; }"
    )
    viz.find("present").click()
    viz.painted()
    box = viz.page.locator(".viz").bounding_box()
    assert (box["x"], box["y"]) == (0, 0)
    assert box["width"] >= viz.page.viewport_size["width"] - 20
    viz.find("present").click()
    assert viz.page.locator("#heading").is_visible()
    assert viz.page.evaluate("document.elementFromPoint(40, 25).closest('#heading') !== null")

    # There Escape is not the browser's (an iPhone, a frame), and P needs no click.
    viz.page.evaluate("document.activeElement.blur()")
    viz.page.keyboard.press("p")
    viz.page.locator(".viz-presented").wait_for()
    viz.page.keyboard.press("Escape")
    viz.page.wait_for_function("!document.querySelector('.viz-presented')")
    viz.drawer("model-chip")
    viz.page.locator("#model input").click()
    viz.page.keyboard.press("p")
    assert not viz.page.locator(".viz-presented").count(), "typed into a field it is a letter"
    viz.press("Escape")
    viz.page.evaluate("() => { Element.prototype.requestFullscreen = window.had; }")
