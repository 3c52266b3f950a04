"""What those who tap read: the same terms as everybody, and no keys that a phone has not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ui.viz import Viz
from vizapp.ui.words.en import GLOSSARY

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture
def phone(visit: Callable[..., Viz]) -> Viz:
    return visit(**PHONE)


def test_the_help_has_its_terms(phone: Viz) -> None:
    phone.page.locator("#heading summary").tap()
    terms = phone.page.locator("#heading details p b")
    assert terms.count() >= len(GLOSSARY)
    assert all(terms.nth(index).is_visible() for index in range(terms.count()))


def test_the_page_says_what_it_is(phone: Viz) -> None:
    assert phone.page.locator("#heading p > span").first.is_visible()


def test_an_offer_stands_above_the_picture_it_is_about(phone: Viz) -> None:
    """A photo that is tapped on the toy: what it asks for is seen without scrolling."""
    phone.choose_model("toy")
    phone.page.locator("#shelf .gallery-item").first.tap()
    phone.page.locator("#offer").wait_for()
    assert phone.page.locator("#offer").bounding_box()["y"] < phone.find("picture").bounding_box()["y"]


def test_a_presented_page_stands_upright(phone: Viz) -> None:
    phone.find("present").tap()
    phone.page.locator(".viz-presented").wait_for()
    phone.painted()
    picture, slider = phone.find("picture").bounding_box(), phone.find("layer").bounding_box()
    assert picture["x"] >= 0
    assert picture["y"] >= 0
    assert picture["width"] >= 300
    assert slider["width"] >= 150
    assert slider["y"] >= picture["y"] + picture["height"]
