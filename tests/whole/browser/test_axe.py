"""The page before axe-core: each tab with all that opens in it, light in a wide window, dark and in Chinese in a narrow one."""

from typing import Any

import pytest

from support.axe import Looker, needs_axe
from support.serving import Server, come

WINDOWS = {"light": {"width": 1280, "height": 800}, "dark": {"width": 390, "height": 844}}

LANGUAGE = {"light": "en", "dark": "zh"}

GRADIO: set[tuple[str, str]] = set()  # (rule, where)


def walk(looker: Looker, whole: bool) -> None:
    """Both tabs, and what can be opened, chosen and run in them; without each fold and each step of a number if not whole."""
    page, viz = looker.page, looker.viz
    looker.look("start")
    if whole:
        looker.unfold("#heading")
        looker.unfold("#viewer")
    viz.find("number").click()
    page.locator(".viz-steps-list li").first.wait_for()
    for step in range(page.locator(".viz-steps-list li").count() if whole else 1):
        viz.js(f"state.set({{ step: {step} }})")
        looker.look(f"how a number is made, step {step + 1}")
    viz.go(None)
    for depth in ("atlas", "score", "teach"):
        viz.go(depth)
        looker.look(depth)
        viz.go(None)
    for button in ("model-chip", "plus"):
        viz.drawer(button)
        looker.look(f"the drawer of {button}")
        page.keyboard.press("Escape")
    viz.go("score")
    viz.find("lesson-answer").click()
    viz.go(None)
    viz.open_book()
    looker.look("the textbook")
    for chapter in ("cls", "yours"):  # with a picture to be marked; with the reader's guesses
        if viz.find("book-whole").is_visible():
            viz.find("book-whole").click()
        page.locator(f'[data-chapter="{chapter}"]').click()
        viz.wait_for("state.get('chapter') === argument", chapter)
        viz.wait_for_rest()
        looker.look(f"chapter {chapter}")
    viz.close_book()
    viz.click(1, 1)
    viz.show_map("rollout")
    viz.go("score")
    page.locator('.viz button[data-tool="box"]').click()
    looker.look("pinned, rollout, a tool")
    page.locator("#tabs button[role=tab]").nth(1).click()
    looker.look("methods")
    viz.drawer("methods-chip")
    for fold in page.locator("#methods-pick .label-wrap:visible").all():
        fold.click()
    looker.look("methods, their choices unfolded")
    page.keyboard.press("Escape")
    page.locator("#methods-go").click()
    page.locator(".methods-grid figure").first.wait_for()
    looker.look("results")
    page.locator(".methods-grid button").nth(1).click()
    looker.look("another map in large")
    viz.drawer("methods-more")
    for fold in page.locator("#methods-numbers .label-wrap:visible").all():
        fold.click()
    looker.look("the numbers, unfolded")
    page.keyboard.press("Escape")


@pytest.fixture(scope="module")
def found(browser: Any, server: Server) -> dict[tuple[str, str], str]:
    needs_axe()
    found: dict[tuple[str, str], str] = {}
    for theme, size in WINDOWS.items():
        query = f"?__theme={theme}&lang={LANGUAGE[theme]}"
        viz = come(browser, server.url, query, viewport=size, has_touch=size["width"] < 400)
        # What stands in a fold or a step has the colours and the sizes of what stands around it.
        walk(Looker(viz, found, f"{theme}, {size['width']} pixels"), theme == "light")
        viz.page.context.close()
    return found


def test_axe_finds_nothing_of_ours_and_the_list_of_gradios_only_shrinks(found: dict[tuple[str, str], str]) -> None:
    strange = [f"{rule} at {where} ({said})" for (rule, where), said in found.items() if (rule, where) not in GRADIO]
    assert not strange, "\n" + "\n".join(sorted(strange))
    over = sorted(GRADIO - found.keys())
    assert not over, f"axe does not find these any more, so they can go: {over}"
