"""What must never be broken, in a real browser: each kind of page opens, with Python's numbers. The rest: tests/whole/browser."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import vizapp
from support.english import VIEWER
from support.expected import assert_close, maps_of, opens, seen_by
from support.methods_tab import Tab
from support.one_file import Opened, rows_by, rows_of
from support.serving import Server
from support.viz import Viz
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.core.trust.faithfulness import FINE
from vizapp.ui import comparison_html, examples
from vizapp.ui.words import words_for
from vizapp.vocabulary import ORDERS

METHODS = ("attention", "chefer")
DESK = "document.querySelector('.viz').desk"


def test_the_page_opens_with_pythons_first_map(visit: Callable[..., Viz], models: SimpleNamespace, cache: Path) -> None:
    """Without a click, and with an empty console: `visit` sees to that."""
    viz = visit()
    seen = seen_by(models.registers, Path(examples.first("scenes", str(cache))))
    assert_close(viz.shown(), maps_of(seen.trace)[opens(seen)].mean(0)[0])
    where = VIEWER["where_mean"].format(layer=opens(seen) + 1)
    assert viz.find("status").inner_text().startswith(where)
    assert len(np.unique(viz.pixels()[..., :3].reshape(-1, 3), axis=0)) > 100, "a picture is painted"


def test_the_rows_of_an_upload_are_pythons(viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace) -> None:
    viz.upload(pictures.landscape)
    maps = maps_of(seen_by(models.registers, pictures.landscape).trace)
    one = 'valuesOf(0, {layer, head, fusion: "one", method: "attention"})'
    heads = f"Array.from({{ length: heads }}, (_, head) => Array.from({one}))"
    rows = f"payload.layers.map(({{ heads }}, layer) => {heads})"
    assert_close(np.array(viz.js(rows)), maps[:, :, 0])


def test_ten_gestures_ask_nothing_of_the_server(viz: Viz) -> None:
    """All that one scrubs through is computed in the browser."""
    viz.requests.clear()
    paints = viz.js("viewer.paints")
    viz.hover(1, 2)
    viz.click(1, 1)
    for key in ("ArrowLeft", "[", ",", "Escape"):
        viz.press(key)
    viz.slide("layer", 1)
    viz.show_map("rollout")
    viz.button("direction", "to").click()
    viz.go("atlas")
    assert viz.js("viewer.paints") >= paints + 10
    assert viz.requests == []


def test_methods_compares_as_python_does(viz: Viz, models: SimpleNamespace, cache: Path) -> None:
    tab = Tab(viz)
    tab.tick_only(*METHODS)
    tab.compare()
    seen = seen_by(models.registers, Path(examples.first("scenes", str(cache))))
    found = vizapp.compare(seen, METHODS, steps=FINE, orders=ORDERS)
    shown = {cells[0]: [float(cell) for cell in cells[2:4]] for cells in tab.rows()}
    for row in found.rows():
        if row["method"] in METHODS:
            title = comparison_html.name_of(words_for("en"), row["method"])
            assert shown[title] == pytest.approx([row["deletion"], row["insertion"]], abs=1e-3)


def test_an_exported_page_looks_at_ones_own_picture(opened: Opened, tmp_path: Path, own: np.ndarray) -> None:
    """From the disk, with no server behind it."""
    page = tmp_path / "page.html"
    one_file(content(Wanted(("toy",), examples.photos()[:1])), page)
    viz = opened(page)
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "own.png")
    viz.wait_for_maps()
    np.testing.assert_allclose(rows_of(viz), rows_by(vizapp.analyse("toy", own)), atol=2e-3)
    assert [one for one in viz.requests if not one.startswith(("blob:", "data:"))] == [page.as_uri()]
    assert viz.page.locator("[title=undefined]").count() == 0, "a word that there is not"
    assert viz.errors == []


def test_the_same_page_asks_a_server(
    opened: Opened, server: Server, models: SimpleNamespace, own: np.ndarray, tmp_path: Path
) -> None:
    """The exported page at /page: an own picture, and two maps with their curves, are Python's."""
    viz = opened(f"{server.url}page/")
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "own.png")
    viz.page.wait_for_function(f"{DESK}.shown?.picture.startsWith('upload')")
    seen = seen_by(models.registers, tmp_path / "own.png")
    np.testing.assert_allclose(rows_of(viz), rows_by(seen), atol=2e-3)
    viz.page.get_by_role("tab").nth(1).click()
    cells = "[row.dataset.method, ...[...row.cells].slice(2).map((one) => Number(one.textContent))]"
    table = f"[...document.querySelectorAll('#methods-table tr[data-method]')].map((row) => {cells})"
    viz.page.wait_for_function(f"{table}.filter(([name]) => {list(METHODS)}.includes(name)).length === {len(METHODS)}")
    shown = {name: areas for name, *areas in viz.page.evaluate(table)}
    for row in vizapp.compare(seen, METHODS, steps=FINE).rows():
        if row["method"] in METHODS:
            assert shown[row["method"]] == pytest.approx([row["deletion"], row["insertion"]], abs=1e-3)
    viz.page.get_by_role("tab").first.click()
    viz.find("present").click()
    viz.page.wait_for_function("document.fullscreenElement?.classList.contains('viz')")
    layer = viz.js("view.layer")
    viz.find("play").click()
    viz.page.wait_for_function("(one) => document.querySelector('.viz').viewer.view.layer !== one", arg=layer)
    assert viz.errors == []


def test_the_page_speaks_chinese(visit: Callable[..., Viz]) -> None:
    viz = visit("?lang=zh")
    assert viz.page.evaluate("document.documentElement.lang").startswith("zh")
    assert viz.page.get_by_role("tab", name=words_for("zh")["page"]["tab_methods"]).count() == 1
    assert viz.shown().size > 0
