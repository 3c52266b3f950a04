"""Words of the page are explained where they stand: by mouse, by Tab and by a tap; the help has them all, and the concepts."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from support.english import GLOSSARY, PAGE
from support.viz import Viz
from vizapp.ui.glossary import concepts

ONE_PAGE = "as it opened"

TERMS = "[data-term]"


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def said(viz: Viz) -> str | None:
    """What is explained, if anything."""
    box = viz.page.locator("#term-said")
    return " ".join(box.inner_text().split()) if box.count() and box.is_visible() else None


def term(viz: Viz, key: str) -> Any:
    return viz.page.locator(f'.viz [data-term~="{key}"]').first


def test_a_mouse_asks_and_leaves(viz: Viz) -> None:
    term(viz, "layer").hover()
    expect(viz.page.locator("#term-said")).to_have_text(plain(GLOSSARY["layer"]))
    box, maps = viz.page.locator("#term-said").bounding_box(), viz.find("layer-strip").bounding_box()
    assert box["y"] + box["height"] <= maps["y"], "the maps that the word is about stay in view"
    viz.page.locator("#term-said").hover()  # what comes up can be reached
    viz.after(0.5)  # it would have gone
    assert said(viz) is not None
    viz.leave()
    expect(viz.page.locator("#term-said")).to_be_hidden()


def test_keys_ask_and_escape_puts_it_away(viz: Viz) -> None:
    """The explanation is a description of the word, as screen readers have it. Escape does one thing at a time."""
    viz.click(1, 1)
    viz.find("save").locator("summary").focus()
    for _ in range(12):
        viz.press("Tab")
        if viz.page.evaluate("document.activeElement.dataset.term") == "uniform":
            break
    assert said(viz) == plain(GLOSSARY["uniform"])
    assert term(viz, "uniform").get_attribute("aria-describedby") == "term-said"
    viz.press("Escape")
    assert said(viz) is None
    assert viz.choice("pinned")
    viz.press("Enter")
    assert said(viz) == plain(GLOSSARY["uniform"])
    viz.press("Tab")
    assert said(viz) is None


def test_a_tap_asks_and_another_puts_it_away(visit: Callable[..., Viz]) -> None:
    """On a phone, where no title comes up; each word that can be seen, in full and within the window."""
    viz = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    viz.show_map("rollout")
    asked = set[str]()

    def tap_all(within: str, opened: Callable[[], None] = lambda: None) -> None:
        opened()
        for one in viz.page.locator(f"{within} {TERMS}:visible").all():
            opened()  # a tap elsewhere has closed it
            tap(one)

    def tap(one: Any) -> None:
        keys = str(one.get_attribute("data-term")).split()
        one.scroll_into_view_if_needed()
        viz.idle()
        one.tap()
        assert said(viz) == " ".join(plain(GLOSSARY[key]) for key in keys)
        box = viz.page.locator("#term-said").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390  # noqa: PT018
        assert box["y"] >= 0 and box["y"] + box["height"] <= 844  # noqa: PT018
        viz.page.touchscreen.tap(385, 840 if box["y"] < 420 else 4)
        assert said(viz) is None
        asked.update(keys)

    tap_all("body")
    tap_all(".viz-foot", viz.display)
    for depth in ("score", "atlas"):
        viz.go(depth)
        tap_all("body")
        viz.go(None)
    assert asked >= {"layer", "head", "skip", "rollout", "uniform", "score", "auc", "iou", "entropy", "scale", "object"}
    assert viz.choice("scale") == "map"
    assert viz.choice("layer") == viz.js("view.opens.layer"), "a tap on a label's word moves nothing"


def test_the_help_closes_and_leads_to_the_concepts(viz: Viz) -> None:
    """Escape and a press elsewhere close it; the concepts are read in the page, without network."""
    page, help_ = viz.page, viz.page.locator("#heading details")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(640, 790)):
        help_.locator("summary").click()
        assert help_.locator("p[data-word]").count() == len(GLOSSARY)
        close()
        assert not help_.evaluate("(one) => one.open")
    help_.locator("summary").click()
    page.context.set_offline(True)
    page.get_by_role("button", name=PAGE["concepts"]).click()
    dialog = page.get_by_role("dialog")
    heads = re.findall(r"^#+ (.+)$", concepts("en"), flags=re.MULTILINE)
    assert dialog.get_by_role("heading").all_inner_texts() == heads
    assert "softmax over j of" in dialog.inner_text()
    for close in (
        lambda: page.keyboard.press("Escape"),
        lambda: page.mouse.click(5, 400),
        dialog.get_by_role("button", name=PAGE["close"]).click,
    ):
        if not dialog.is_visible():
            if not help_.evaluate("(one) => one.open"):
                help_.locator("summary").click()
            page.get_by_role("button", name=PAGE["concepts"]).click()
        close()
        assert not dialog.is_visible()
    page.context.set_offline(False)
    viz.errors.clear()  # of the line that was cut
