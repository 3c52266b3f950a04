"""The way from one language to another, on the page itself, and how Chinese is set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.serving import Server
from vizapp.ui.words import languages, words_for

SHOWN = '#viewer .viz[data-state="ready"]'  # in Gradio's component: the first map may be there before it


@pytest.fixture
def visitor(browser: Any) -> Iterator[Any]:
    made = browser.new_context(locale="en", viewport={"width": 1280, "height": 800})
    yield made
    made.close()


def test_the_switch_takes_along_what_is_shown_and_is_remembered(server: Server, visitor: Any) -> None:
    """By keyboard: the same layer in Chinese, Chinese at the next visit, and back."""
    page = visitor.new_page()
    page.goto(f"{server.url}#layer=1&head=1")
    page.wait_for_selector(SHOWN)
    page.wait_for_function("location.hash.includes('picture=')")
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
    again = visitor.new_page()
    again.goto(server.url)
    again.wait_for_url(re.compile(r"/zh\?lang=zh"), wait_until="commit")
    again.wait_for_selector(SHOWN)
    again.get_by_role("link", name="English", exact=True).click()
    again.wait_for_url(re.compile(r":\d+/\?lang=en"), wait_until="commit")
    again.wait_for_selector(SHOWN)
    assert again.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize(("language", "width"), [("en", 360), ("zh", 360), ("zh", 1280)])
def test_the_switch_has_room(browser: Any, server: Server, language: str, width: int) -> None:
    """Beside the tabs and the button that copies a link: on none of them, and nothing moves for it."""
    visitor = browser.new_context(viewport={"width": width, "height": 800}, has_touch=width < 1280)
    page = visitor.new_page()
    page.goto(f"{server.url}?lang={language}")
    page.wait_for_selector(SHOWN)
    area = page.locator("#languages a").first.bounding_box()
    assert min(area["width"], area["height"]) >= 24
    assert area["x"] + area["width"] <= width
    for other in page.locator("#tabs button[role=tab], #copy-link").all():
        box = other.bounding_box()
        assert area["x"] >= box["x"] + box["width"] or area["x"] + area["width"] <= box["x"]
    top = "document.querySelector('.viz').getBoundingClientRect().top"
    shown = page.evaluate(top)
    page.evaluate("document.querySelector('#languages').remove()")
    assert page.evaluate(top) == shown
    visitor.close()


def test_chinese_is_set_as_chinese(browser: Any, server: Server) -> None:
    """Named letters, nothing slanted, lines apart where there is something to read; English as it was."""
    visitor = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 800})
    page = visitor.new_page()
    look = """(css) => { const one = getComputedStyle(document.querySelector(css));
      return [one.fontFamily, parseFloat(one.lineHeight) / parseFloat(one.fontSize), one.fontStyle]; }"""
    page.goto(server.url)
    page.wait_for_selector(SHOWN)
    for css, lines in (("#heading details p", 1.7), ("#concepts p", 1.7), (".viz-status", 1.5)):
        family, height, style = page.evaluate(look, css)
        assert "PingFang SC" in family
        assert "Noto Sans CJK SC" in family
        assert (height, style) == (pytest.approx(lines), "normal")
    page.goto(f"{server.url}?lang=en")
    page.wait_for_selector(SHOWN)
    page.wait_for_function("document.documentElement.lang === 'en'")
    family, height, _ = page.evaluate(look, ".viz-status")
    assert "PingFang" not in family
    assert height == pytest.approx(1.35)
    visitor.close()
