"""What those who tap read: the same terms as everybody, and no keys that a phone has not."""

import re
from collections.abc import Callable

from support.viz import Viz
from vizapp.ui.words.en import GLOSSARY, VIEWER

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


def test_a_phone_from_the_headline_to_an_offer(visit: Callable[..., Viz]) -> None:
    """One visitor does it all: a phone is slow to open."""
    phone = visit(**PHONE)
    assert phone.find("headline").is_visible()
    assert phone.find("headline").inner_text().startswith(VIEWER["headline_says"].partition("{")[0])
    the_help_has_its_terms(phone)
    a_presented_page_stands_upright(phone)
    no_sentence_names_a_key(phone)
    an_offer_is_in_view_with_the_picture_it_is_about(phone)


def the_help_has_its_terms(phone: Viz) -> None:
    summary = phone.page.locator("#heading summary")
    summary.tap()
    terms = phone.page.locator("#heading details p b")
    assert terms.count() >= len(GLOSSARY)
    assert all(terms.nth(index).is_visible() for index in range(terms.count()))
    summary.tap()


def a_presented_page_stands_upright(phone: Viz) -> None:
    phone.find("present").tap()
    phone.page.locator(".viz-presented").wait_for()
    phone.painted()
    picture, slider = phone.find("picture").bounding_box(), phone.find("layer").bounding_box()
    assert picture["x"] >= 0
    assert picture["y"] >= 0
    assert picture["width"] >= 300
    assert slider["width"] >= 150
    assert slider["y"] >= picture["y"] + picture["height"]
    phone.find("present").tap()
    phone.page.locator(".viz-presented").wait_for(state="detached")


def no_sentence_names_a_key(phone: Viz) -> None:
    """What is held, what is drawn, and where every map stands: all are told to a finger."""
    seen = []
    phone.page.touchscreen.tap(*phone.point(1, 1))
    phone.painted()
    assert phone.find("status").inner_text().endswith(VIEWER["is_pinned_touch"])
    seen.append(phone.page.locator(".viz").inner_text())
    phone.go("atlas")
    seen.append(phone.page.locator(".viz").inner_text())
    phone.go(None)
    phone.go("score")
    for tool in ("box", "brush"):
        phone.page.locator(f'.viz button[data-tool="{tool}"]').tap()
        phone.painted()
        seen.append(phone.page.locator(".viz").inner_text())
    assert VIEWER["draw_brush_touch"] in seen[-1]
    assert not re.findall(r"\bEsc|\bEnter\b|[Aa]rrow keys|\bmouse\b", " ".join(seen))
    phone.go(None)


def an_offer_is_in_view_with_the_picture_it_is_about(phone: Viz) -> None:
    """A photo that is tapped on the toy: what it asks for is seen without scrolling, and covers nothing of the picture."""
    phone.choose_model("toy")
    phone.page.locator("#shelf .gallery-item").first.tap()
    phone.page.locator("#offer").wait_for()
    offer, tray = phone.page.locator("#offer").bounding_box(), phone.page.locator("#choose").bounding_box()
    picture = phone.find("picture").bounding_box()
    assert (
        0 <= offer["y"] < offer["y"] + offer["height"] <= picture["y"] < tray["y"] <= phone.page.viewport_size["height"]
    )
