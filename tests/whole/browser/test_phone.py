"""A phone: what is looked at stays in view, a finger does what a mouse does, and what is read names no keys."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from support.english import VIEWER
from support.viz import Viz

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.fixture
def phone(visit: Callable[..., Viz]) -> Viz:
    return visit(**PHONE)


def drag(viz: Viz, path: list[tuple[float, float]]) -> list[Any]:
    """Lay a finger down, move it from place to place, lift it; what was under it each time."""
    session = viz.page.context.new_cdp_session(viz.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
        viz.painted()

    seen = []
    send("touchStart", path[0])
    for place in path[1:]:
        send("touchMove", place)
        seen.append(viz.js("view.hovered"))
    send("touchEnd")
    return seen


def test_the_picture_stays_in_view_to_the_end_of_the_maps(phone: Viz) -> None:
    """The slider and the player are right under it."""
    picture, title = (phone.find(one).first.bounding_box() for one in ("picture", "strip-title"))
    for name in ("layer", "play"):
        control = phone.find(name).bounding_box()
        assert control["y"] + control["height"] < 844, "without scrolling"
        assert control["y"] - (picture["y"] + picture["height"]) < title["height"] + 30
    assert phone.find("status").bounding_box()["y"] > control["y"]
    for name in ("atlas", "score", "look"):
        phone.display() if name == "look" else phone.go(name)
        phone.find(name).scroll_into_view_if_needed()
        phone.page.evaluate(
            "(box) => scrollTo(0, scrollY + box - innerHeight / 2)", phone.find(name).bounding_box()["y"]
        )
        phone.painted()
        box = phone.find("picture").bounding_box()
        assert box["y"] >= -2
        assert box["y"] + box["height"] <= 844 / 2
        assert phone.page.evaluate(
            "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.viz-picture'))",
            [box["x"] + 20, box["y"] + 20],
        ), "and nothing lies on it"
        if name != "look":
            phone.find("back").scroll_into_view_if_needed()
            phone.go(None)


def test_on_its_side_what_is_deeper_is_seen_and_a_low_screen_scrolls_all_of_it(visit: Callable[..., Viz]) -> None:
    """Held sideways, a picture that stays would leave no room for anything else."""
    viz = visit(**PHONE | {"viewport": {"width": 600, "height": 360}})
    viz.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    viz.painted()
    box = viz.find("picture").bounding_box()
    assert box["y"] + box["height"] < 0
    # All that stands beside the picture scrolls as one: what is deeper had no height left.
    viz = visit(viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    viz.idle()
    assert viz.page.evaluate("document.documentElement.scrollHeight") < 400
    viz.go("steps")
    viz.idle()
    assert viz.page.locator(".viz-deep").bounding_box()["height"] > 200


def test_a_finger_that_moves_sideways_asks_the_patches_under_it(phone: Viz) -> None:
    """Lifting the finger pins nothing, and a finger that moves up scrolls. A tap holds a patch, and a second lets go."""
    assert phone.page.get_by_text(VIEWER["invite_touch"]).is_visible()
    phone.find("keys-more").locator("summary").tap()
    assert phone.page.get_by_text(VIEWER["touch_help"]).is_visible()
    assert not phone.find("keys").is_visible()
    phone.find("keys-more").locator("summary").tap()
    phone.page.evaluate("scrollTo(0, 0)")
    for is_pinned in (True, False):
        phone.page.touchscreen.tap(*phone.point(1, 1))
        phone.painted()
        assert phone.js("view.pinned") is is_pinned
    places = [(2, 0), (2, 1), (2, 2), (1, 3), (3, 3)]
    seen = drag(phone, [phone.point(*place) for place in places])
    assert [tuple(one) for one in seen[1:]] == places[2:], "at first it is found out which way it goes"
    assert phone.js("[view.hovered, view.pinned]") == [None, False]
    before = phone.page.evaluate("scrollY")
    x, y = phone.point(3, 2)
    drag(phone, [(x, y - 12 * step) for step in range(12)])
    phone.page.wait_for_function("(least) => scrollY > least", arg=before + 40)
    assert phone.js("view.pinned") is False


def test_lessons_and_photos_are_a_strip_at_the_foot_of_the_window(phone: Viz) -> None:
    shelf = phone.page.locator("#shelf").bounding_box()
    assert shelf["height"] <= 60
    assert shelf["y"] > 844 - 62
    assert shelf["y"] + shelf["height"] <= 844, "in view, wherever one has scrolled"
    last = phone.page.locator("#shelf .gallery-item").last
    last.scroll_into_view_if_needed()
    assert phone.page.evaluate("scrollY") == 0, "it moves sideways"
    last.tap()
    phone.wait_for_maps()
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390


# Where these parts of the page begin, from the first frame in which each has a size.
PARTS = ("#heading", "#choose", "#plus", "#shelf", ".viz-stage")
BEGINS = """window.begins = (parts) => Object.fromEntries(parts.flatMap((part) => {
  const { x, y, width, height } = document.querySelector(part)?.getBoundingClientRect() ?? {};
  return width && height ? [[part, [x, y].map(Math.round)]] : [];
}));
window.began = {};
(function look() {
  window.began = { ...begins(PARTS), ...window.began };
  requestAnimationFrame(look);
})();""".replace("PARTS", json.dumps(PARTS))


@pytest.mark.parametrize("screen", [PHONE, {"viewport": {"width": 1280, "height": 800}}])
def test_next_to_nothing_moves_while_the_page_comes(visit: Callable[..., Viz], screen: dict[str, Any]) -> None:
    """Each part stays where it begins."""
    viz = visit("#v=1&picture=lesson/clutter/16&model=toy", **screen)
    viz.wait_for_rest()
    viz.page.add_init_script(BEGINS)
    viz.reload()
    viz.wait_for_rest()
    viz.idle()
    began = viz.page.evaluate("began")
    assert set(began) == set(PARTS)
    assert viz.page.evaluate("begins(argument)".replace("argument", json.dumps(PARTS))) == began


def test_the_headline_a_talk_and_no_sentence_that_names_a_key(phone: Viz) -> None:
    """One visitor does it all: a phone is slow to open."""
    assert phone.find("headline").is_visible()
    assert phone.find("headline").inner_text().startswith(VIEWER["headline_says"].partition("{")[0])
    a_presented_page_stands_upright(phone)
    no_sentence_names_a_key(phone)


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
