"""The tab "Methods" of a page without a server: its numbers are Python's, and slow methods wait for a click."""

import csv
from pathlib import Path

import numpy as np
import pytest

import vizapp
from support.english import PAGE
from support.methods_tab import methods_done, tried
from support.one_file import Opened
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.browser.shelf import lesson
from vizapp.core.methods import methods
from vizapp.core.trust.faithfulness import DELETION, FINE, INSERTION
from vizapp.pipeline.comparison import compare
from vizapp.ui import textbook
from vizapp.vocabulary import ORDERS


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with toy itself and the drawn scenes."""
    path = tmp_path_factory.mktemp("export") / "live.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textbook, "chapters", lambda: ())
        one_file(content(Wanted(("toy",), lessons=True)), path)
    return path


def test_methods_run_in_the_page(live: Path, opened: Opened) -> None:
    """Their areas, their curves and the band of chance are Python's, on the screen that the served page has."""
    viz = opened(live, "#v=1&picture=lesson/two/1&model=toy")
    viz.page.locator("#tabs button").nth(1).click()
    methods_done(viz)
    assert viz.page.evaluate("document.documentElement.scrollHeight") <= 800
    seen = vizapp.analyse("toy", lesson("two/1").pixels)
    informed = ["attention", "rollout", "value_attention", "value_rollout", "alti"]
    found = compare(seen, informed, steps=FINE, orders=ORDERS)
    # Patches that are equally far from the centre come in another order: the last digit of a browser's exp.
    for name in found.maps:
        assert tried(viz, name) == pytest.approx(found.curves[name].areas, abs=0.02 if name == "centre" else 3e-3), name
    figures = viz.page.locator(".methods-grid figure[data-method]:has(img)")
    assert figures.count() == len(found.maps)
    figures.locator("button").nth(1).click()
    assert methods()["rollout"].sentence in viz.page.inner_text(".methods-told")
    ahead = [round(found.beaten("rollout", measure) * found.orders) for measure in (DELETION, INSERTION)]
    said = [PAGE["beaten"].format(n=n, of=found.orders) for n in ahead]
    assert viz.page.locator(".methods-told small").all_inner_texts()[:2] == said
    points = viz.page.locator("[data-which=deletion] polygon").get_attribute("points").split(" ")
    drawn = np.array([one.deletion for one in found.drawn])
    low_then_high = np.concatenate([drawn.min(0), drawn.max(0)[::-1]])
    np.testing.assert_allclose([1 - float(one.split(",")[1]) / 100 for one in points], low_then_high, atol=5e-3)
    # What is told of a map that is not the large one stands beside a picture of that, with its value.
    told, here = viz.page.locator(".methods-told"), viz.page.locator(".methods-here")
    assert told.locator(".methods-of").count() == 0, "the large one is told of"
    other = figures.nth(0)
    area = other.locator(".methods-picture").bounding_box()
    viz.page.mouse.move(area["x"] + area["width"] * 4.5 / 14, area["y"] + area["height"] * 9.5 / 14)
    told.locator(".methods-of").wait_for()
    assert told.locator(".methods-of").get_attribute("src") == other.locator("img").get_attribute("src")
    value = other.locator(".methods-value").inner_text()
    assert value != viz.page.locator(".methods-large .methods-value").inner_text()
    assert here.inner_text() == PAGE["patch_value"].format(row=10, col=5, value=value)
    other.locator("button").click()
    assert told.locator(".methods-of").count() == 0, "now it is large"
    viz.page.locator("#methods-more").click()
    with viz.page.expect_download() as download:
        viz.page.locator("#methods-csv").click()
    rows = {row["method"]: row for row in csv.DictReader(Path(download.value.path()).read_text().splitlines())}
    assert rows.keys() == found.maps.keys()
    assert {row["class"] for row in rows.values()} == {seen.top(1)[0][0]}
    assert float(rows["alti"]["insertion over random"]) == pytest.approx(found.beaten("alti", INSERTION))
    assert rows["random"]["insertion over random"] == ""
    assert not viz.errors


def test_a_slow_method_waits_for_a_click_and_ends_with_its_picture(live: Path, opened: Opened) -> None:
    viz = opened(live, "#v=1&picture=lesson/two/1&model=toy")
    viz.page.locator("#tabs button").nth(1).click()
    methods_done(viz)
    note = viz.page.locator("#methods-note")
    runs = "document.querySelector('#methods-note').textContent.includes('%')"
    viz.page.locator("button[data-run=occlusion]").click()
    viz.page.wait_for_function(runs)
    viz.page.locator("#methods-stop").click()
    assert note.inner_text() == PAGE["stopped"]
    viz.page.locator("#methods-go").click()  # goes on with what is left
    viz.page.wait_for_function(runs)
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/one/2&model=toy'")
    viz.wait_for_maps()
    assert "picture=lesson/one/2" in viz.page.evaluate("location.hash"), "the picture did not wait for the method"
    methods_done(viz)
    assert viz.page.locator("button[data-run]:enabled").count() == 2, "nothing slow runs for the next picture unasked"
    found = compare(vizapp.analyse("toy", lesson("one/2").pixels), ["attention"], steps=FINE)
    assert tried(viz, "attention") == pytest.approx(found.curves["attention"].areas, abs=3e-3)
    assert not viz.errors
