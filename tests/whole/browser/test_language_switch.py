"""The way from one language to another, on the page itself, and how Chinese is set."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from support.serving import Server
from support.viz import Viz
from vizapp.ui.gradio_words import UNSAID
from vizapp.ui.words import languages, words_for

SHOWN = '#viewer .viz[data-state="ready"]'  # in Gradio's component: the first map may be there before it

LOOK = """(css) => { const one = getComputedStyle(document.querySelector(css));
  return [one.fontFamily, parseFloat(one.lineHeight) / parseFloat(one.fontSize), one.fontStyle]; }"""


def is_set_as_english(page: Any) -> None:
    family, height, _ = page.evaluate(LOOK, ".viz-status")
    assert "PingFang" not in family
    assert height == pytest.approx(1.35)


def is_set_as_chinese(page: Any) -> None:
    """Named letters, nothing slanted, lines apart where there is something to read."""
    for css, lines in (("#heading details p", 1.7), ("#concepts p", 1.7), (".viz-status", 1.5)):
        family, height, style = page.evaluate(LOOK, css)
        assert "PingFang SC" in family
        assert "Noto Sans CJK SC" in family
        assert (height, style) == (pytest.approx(lines), "normal")


def the_switch_has_room(page: Any, width: int) -> None:
    """Beside the tabs and the network: on none of them, and nothing moves for it. It is gone then."""
    area = page.locator("#languages a").first.bounding_box()
    assert min(area["width"], area["height"]) >= 24
    assert area["x"] + area["width"] <= width
    for other in page.locator("#tabs button[role=tab], #model-chip").all():
        box = other.bounding_box()
        beside = area["x"] >= box["x"] + box["width"] or area["x"] + area["width"] <= box["x"]
        assert beside or area["y"] >= box["y"] + box["height"]
    top = "document.querySelector('.viz').getBoundingClientRect().top"
    shown = page.evaluate(top)
    page.evaluate("document.querySelector('#languages').remove()")
    assert page.evaluate(top) == shown


def test_the_switch_takes_along_what_is_shown_and_is_remembered(server: Server, browser: Any) -> None:
    """By keyboard: the same layer in Chinese, Chinese at the next visit, and back."""
    visitor = browser.new_context(locale="en", viewport={"width": 1280, "height": 800})
    page = visitor.new_page()
    page.goto(f"{server.url}#layer=1&head=1")
    page.wait_for_selector(SHOWN)
    page.wait_for_function("location.hash.includes('picture=')")
    is_set_as_english(page)
    hash_ = page.evaluate("location.hash")
    links = page.locator("#languages a")
    assert links.all_inner_texts() == [words_for(one)["page"]["language"] for one in languages() if one != "en"]
    assert page.get_by_role("link", name="中文", exact=True).count() == 1
    page.get_by_role("link", name="中文").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/zh\?lang=zh#"), wait_until="commit")
    page.wait_for_selector(SHOWN)
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert page.evaluate("location.hash") == hash_
    assert page.evaluate("document.querySelector('.viz').viewer.state.get('layer')") == 1
    is_set_as_chinese(page)
    the_switch_has_room(page, 1280)
    page.goto(server.url)
    page.wait_for_url(re.compile(r"/zh\?lang=zh"), wait_until="commit")
    page.get_by_role("link", name="English", exact=True).click()
    page.wait_for_url(re.compile(r":\d+/\?lang=en"), wait_until="commit")
    page.wait_for_function("document.documentElement.lang === 'en'")
    visitor.close()


def test_the_switch_has_room_on_a_phone(browser: Any, server: Server) -> None:
    visitor = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    page = visitor.new_page()
    for language in ("en", "zh"):
        page.goto(f"{server.url}?lang={language}")
        page.wait_for_selector(SHOWN)
        the_switch_has_room(page, 360)
    visitor.close()


# Keeps what a screen reader is told of the events of the page.
HEAR = """() => {
  const one = document.querySelector(".sr-only[role=status]");
  window.heard = [];
  new MutationObserver(() => heard.push(one.textContent)).observe(one, { characterData: true, childList: true, subtree: true });
}"""


@pytest.mark.parametrize("language", languages())
def test_a_screen_reader_is_told_words_and_no_keys(visit: Callable[..., Viz], language: str) -> None:
    """Gradio has "common.complete" in no table of words, and told it after each event."""
    viz = visit(f"?lang={language}", locale="de-DE")
    viz.page.evaluate(HEAR)
    viz.page.click("#lesson-two")
    said = words_for(language)["page"]["gradio_complete"]
    viz.until(lambda: {said, UNSAID} & {*viz.page.evaluate("heard")})
    assert UNSAID not in viz.page.evaluate("heard")
