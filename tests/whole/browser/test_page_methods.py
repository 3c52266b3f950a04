"""The tab "Methods" of the page at /page/, which asks a server: what runs, with which settings, for what, and its files."""

import csv
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vizapp
from support.axe import Looker, needs_axe
from support.checkpoints import add_clip, save_vit
from support.english import EXPORT, PAGE
from support.methods_tab import methods_done, name_of
from support.one_file import Opened
from support.serving import Server
from support.viz import Viz
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.core.methods import baseline_names, methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, FINE
from vizapp.pipeline.comparison import Comparison
from vizapp.pipeline.teaching import from_prototypes
from vizapp.ui import examples
from vizapp.vocabulary import ORDERS

BASELINES = set(baseline_names())
QUICK = {name for name, one in methods().items() if one.chosen}
NAMES = ["chefer", "legrad", "rollout"]
COLUMNS = ("deletion", "insertion", *(one.name for one in metrics().values() if one.main))


@pytest.fixture
def seen(models: SimpleNamespace, cache: Path) -> Analysis:
    """What the page opens with, without the page."""
    path = examples.first("scenes", str(cache))
    return pipeline.analyse(pipeline.load(models.registers, "cpu"), path, truth=examples.known_of(path, str(cache)))


class Tab:
    """The tab in the words of its user."""

    def __init__(self, viz: Viz) -> None:
        self.viz, self.page = viz, viz.page
        self.page.get_by_role("tab", name=PAGE["tab_methods"]).click()
        methods_done(viz)

    def open(self, button: str) -> None:
        opener = self.page.locator(f"#methods-{button}")
        if opener.get_attribute("aria-expanded") != "true":
            opener.click()

    def tick_only(self, *names: str) -> None:
        self.open("chip")
        for box in self.page.locator("#methods-pick input[type=checkbox][value]").all():
            if box.is_visible() and box.is_checked() != (box.input_value() in names):
                box.click()
        methods_done(self.viz)

    def cards(self) -> dict[str, Any]:
        found = self.page.locator(".methods-grid figure[data-method]:has(img)")
        return {card.get_attribute("data-method"): card for card in found.all()}

    def rows(self) -> list[list[str]]:
        read = (
            "rows => rows.map(row => [row.dataset.method, ...[...row.cells].slice(1).map((cell) => cell.textContent)])"
        )
        return self.page.locator("#methods-table tbody tr").evaluate_all(read)

    def shows(self, found: Comparison, label: str, names: list[str]) -> None:
        """Wait until the table has the areas of a comparison."""
        every = {row["method"]: row for row in found.rows()}
        expected = {name: [f"{every[name][area]:.3f}" for area in ("deletion", "insertion")] for name in names}
        own = [[name, label if methods()[name].class_specific else None] for name in names]
        read = f"""(expected) => {json.dumps(own)}.every(([name, label]) => {{
          const rows = [...document.querySelectorAll(`#methods-table tr[data-method=${{name}}]`)];
          const texts = rows.map((row) => [...row.cells].map((cell) => cell.textContent));
          const cells = texts.find((one) => !label || one[1] === label);
          return cells && [2, 3].every((at) => Math.abs(cells[at] - expected[name][at - 2]) < 1.5e-3);
        }})"""
        self.page.wait_for_function(read, arg=expected)

    def save(self, kind: str) -> bytes:
        self.open("more")
        with self.page.expect_download() as arriving:
            self.page.locator(f"#methods-{kind}").click()
        assert arriving.value.suggested_filename.endswith(f"-methods.{kind}")
        return Path(arriving.value.path()).read_bytes()


def test_what_runs_is_chosen_set_compared_and_saved(opened: Opened, server: Server, seen: Analysis) -> None:
    """Boxes, a setting, a wrong one, another class, another filling; and each file has what Python has."""
    tab = Tab(opened(f"{server.url}page/"))
    page, ((first, _), (second, _)) = tab.page, seen.top(2)
    assert set(tab.cards()) == QUICK | BASELINES
    chip = page.locator("#methods-chip")
    assert chip.inner_text() == PAGE["methods_chip"].format(n=len(QUICK))
    assert not page.locator("#methods-class").is_visible(), "the choices wait behind their button"
    tab.tick_only(*NAMES)
    assert chip.inner_text() == PAGE["methods_chip"].format(n=len(NAMES))
    assert set(tab.cards()) == {*NAMES, *BASELINES}
    cross = page.locator("#methods-every label", has_text=name_of("cross_attention"))
    assert cross.inner_text().strip() == PAGE["name_not_here"].format(method=name_of("cross_attention"))
    found = vizapp.compare(seen, NAMES, steps=FINE, orders=ORDERS)
    tab.shows(found, first, NAMES)
    assert page.inner_text("#methods-heading h2") == PAGE["title_class"].format(label=first, model=seen.model_name)

    # What is said of them all: which is ahead, and how far they agree.
    tab.open("more")
    best, *_ = ranked = found.ranking(DELETION)
    said = page.locator(".methods-verdict").all_inner_texts()
    assert name_of(best) in said[0]
    better = [name_of(one) for one in ranked if found.beats_chance(one, DELETION)]
    assert (", ".join(better) in said[0]) if better else said[0].endswith(PAGE["verdict_none"])
    assert f"itself and {found.orders} random orders" in said[2]
    page.locator("#methods-agreement summary").click()
    names, agreement = found.agreement()
    cells = page.locator(".methods-matrix tbody td").all_inner_texts()
    assert page.locator(".methods-matrix tbody th").all_inner_texts() == [name_of(name) for name in names]
    np.testing.assert_allclose([float(one) for one in cells], agreement.ravel(), atol=6e-3)

    # A wrong setting is answered in the server's words, and nothing is lost; a right one makes its map anew.
    tab.open("chip")
    page.locator("#methods-settings summary").click()
    field = page.locator("#settings-legrad-start_layer input")
    assert field.input_value() == "1", "counted from 1"
    assert not page.locator("#settings-attention-head").is_visible()
    field.fill("0")
    field.press("Enter")
    page.get_by_text("First layer = 0 is not possible. Write a whole number from 1 on").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert set(tab.cards()) == {*NAMES, *BASELINES}
    field.fill("2")
    field.press("Enter")
    share = page.locator("#settings-rollout-skip_weight input")
    share.fill("0.25")
    share.press("Enter")
    settings = {"legrad": {"start_layer": 1}, "rollout": {"skip_weight": 0.25}}
    how: dict[str, Any] = {"settings": settings, "steps": FINE, "orders": ORDERS}
    tab.shows(vizapp.compare(seen, NAMES, **how), first, NAMES)

    # Another class, and another filling.
    page.locator("#methods-other").select_option(label=second)
    page.get_by_role("radio", name=PAGE["empty_blur"]).check()
    specific = ["chefer", "legrad"]
    result = vizapp.compare(seen, NAMES, empty="blur", **how)
    other = vizapp.compare(
        seen, specific, target=second, empty="blur", **how | {"settings": {"legrad": settings["legrad"]}}
    )
    tab.shows(result, first, NAMES)
    tab.shows(other, second, specific)
    methods_done(tab.viz)
    both = PAGE["title_classes"].format(label=first, other=second, model=seen.model_name)
    assert page.inner_text("#methods-heading h2") == both
    cards = tab.cards()
    assert cards["legrad"].locator("small").all_inner_texts() == [first, second, f"{first} \u2212 {second}"]
    assert cards["rollout"].locator("img").count() == 1, "every class alike: nothing to compare"
    page.keyboard.press("Escape")
    cards["legrad"].locator("button").nth(1).click()
    charts = page.locator("#methods-curves figcaption:visible").all_inner_texts()
    assert [PAGE["curve_y"].format(label=second) in one for one in charts] == [True, True]

    # Files: the table's numbers, and where they come from.
    rows = list(csv.DictReader(io.StringIO(tab.save("csv").decode())))
    shown = [[float(cell) for cell in cells[2:]] for cells in tab.rows()]
    in_file = [[float(row[name]) for name in COLUMNS] for row in rows]
    np.testing.assert_allclose(shown, in_file, atol=5.01e-4, rtol=0)  # three digits
    expected = [row | {"class": label} for label, one in ((first, result), (second, other)) for row in one.rows()]
    for row, its in zip(rows, expected, strict=True):
        assert (row["class"], row["method"]) == (its["class"], its["method"])
        assert its.keys() <= row.keys()
        for name in COLUMNS:
            assert float(row[name]) == pytest.approx(its[name], abs=1e-6)
        over = its["insertion over random"]
        assert row["insertion over random"] == ("" if over is None else str(over))
        assert row["empty"] == "blur"
        assert len(row["weights_sha256"]) == 64
    page.locator("#methods-width").select_option("1600")
    with Image.open(io.BytesIO(tab.save("png"))) as sheet:
        assert sheet.width == 1600
        about = json.loads(sheet.info["Comment"])
    assert about["settings"]["legrad"] == {"start_layer": 1}
    assert about["second_class"] == second
    numbers = np.load(io.BytesIO(tab.save("npz")))
    np.testing.assert_allclose(numbers["scores_legrad"], result.maps["legrad"].scores, rtol=1e-5)
    np.testing.assert_allclose(numbers["second_insertion_chefer"], other.curves["chefer"].insertion, atol=1e-6)

    # What is left when the network forgets.
    page.locator("#methods-forget summary").click()
    page.locator("#methods-forget-go").click()
    page.locator("#methods-forgotten polyline").first.wait_for(state="attached")
    assert page.locator("#methods-forgotten li[data-line]").all_inner_texts() == [name_of(name) for name in NAMES]
    assert not tab.viz.errors


def test_a_thing_is_compared_with_a_class(opened: Opened, server: Server, seen: Analysis) -> None:
    """Numbers are Python's with what the browser made of the marks; a method without a map here says so, and stays ticked."""
    viz = opened(f"{server.url}page/")
    viz.find("teach-open").click()
    viz.click(0, 1)
    viz.page.locator(".viz-teach-choose").nth(1).click()
    viz.click(1, 0)
    viz.page.wait_for_function("document.querySelector('.viz').viewer.state.get('taught')")
    tab, page, label = Tab(viz), viz.page, seen.top(1)[0][0]
    thing, rest = (PAGE["taught_class"].format(name=name) for name in viz.js("viewer.lesson.names"))
    name = viz.js("viewer.lesson.names[0]")
    # While the server computes nothing: both are one process here.
    means = np.array(viz.js("viewer.lesson.prototypes.map((row) => [...row])"), np.float32)
    model = from_prototypes(seen, [thing, rest], means).model
    of_things = pipeline.analyse(model, seen.picture, truth=seen.truth)
    by_thing = vizapp.compare(of_things, ["chefer"], target=thing, steps=FINE, orders=ORDERS)
    by_class = vizapp.compare(seen, ["chefer"], target=label, steps=FINE, orders=ORDERS)
    page.locator("#methods-target").select_option(index=0)
    page.get_by_text(EXPORT["methodsTaught"].format(label=name)).wait_for()
    tab.tick_only("chefer", "transformer_attribution")
    tab.open("chip")
    page.locator("#methods-other").select_option(label=label)
    tab.shows(by_thing, name, ["chefer"])
    tab.shows(by_class, label, ["chefer"])
    methods_done(viz)
    expect(page.locator("#methods-heading summary")).to_contain_text(name_of("transformer_attribution"))
    assert tab.cards()["chefer"].locator("small").all_inner_texts() == [name, label, f"{name} \u2212 {label}"]
    assert {row["class"] for row in csv.DictReader(io.StringIO(tab.save("csv").decode()))} == {thing, label}
    assert not viz.errors


def test_a_network_without_classes_has_an_output(opened: Opened, server: Server, tmp_path: Path) -> None:
    """The largest one, called by its number."""
    viz = opened(f"{server.url}page/")
    tab, page = Tab(viz), viz.page
    bare = save_vit(tmp_path / "features.safetensors", num_classes=0)
    page.evaluate("(model) => document.querySelector('.viz').desk.look({ model })", bare)
    target = page.locator("#methods-target option:checked")
    expect(target).to_have_text(re.compile(r"^output \d+, the largest$"))
    methods_done(viz)
    output = target.inner_text().removesuffix(", the largest")
    assert page.inner_text("#methods-heading h2").startswith(PAGE["title_class"].format(label=output, model="")[:-1])
    assert {"chefer", "transformer_attribution"} <= set(tab.cards())
    assert not page.locator("#methods-heading details").is_visible(), "nothing had to be left out"
    assert PAGE["no_curves"] not in page.inner_text("#methods-curves")
    assert not viz.errors


@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "zh")])
def test_axe_finds_nothing(opened: Opened, server: Server, width: int, language: str) -> None:
    """On the tab, in its drawers, and in what unfolds there; nothing is wider than the window."""
    needs_axe()
    viz, found = opened(f"{server.url}page/?lang={language}", width=width), dict[tuple[str, str], str]()
    looker = Looker(viz, found, language)
    viz.page.get_by_role("tab").nth(1).click()
    methods_done(viz)
    for drawer, button in (("pick", "chip"), ("numbers", "more")):
        viz.page.locator(f"#methods-{button}").click()
        viz.page.locator(f"#methods-{drawer}").wait_for()
        looker.look(drawer)
        looker.unfold(f"#methods-{drawer}")
        assert viz.page.evaluate("document.documentElement.scrollWidth") <= width, drawer
        viz.page.keyboard.press("Escape")
        expect(viz.page.locator(f"#methods-{drawer}")).to_be_hidden()
    assert not found, "\n".join(map(str, found.items()))
    assert not viz.errors


def test_a_network_that_reads_explains_a_sentence(opened: Opened, server: Server, tmp_path: Path) -> None:
    """Two towers with random weights; the field is there for such networks only, and a slow method waits for its box."""
    pytest.importorskip("open_clip")
    viz = opened(f"{server.url}page/")
    tab, page = Tab(viz), viz.page
    field = page.locator("#methods-sentence input")
    assert not field.is_visible()
    tab.tick_only("chefer", "rollout")
    model = f"open_clip:{add_clip(tmp_path)}?pretrained=no"
    page.evaluate("(model) => document.querySelector('.viz').desk.look({ model })", model)
    field.wait_for()
    methods_done(viz)
    field.fill("a photo of a cat")
    field.press("Enter")
    expect(page.locator("#methods-heading h2")).to_contain_text("a photo of a cat")
    methods_done(viz)
    assert set(tab.cards()) == {"chefer", "rollout", *BASELINES}
    assert "score of \u201ca photo of a cat\u201d" in page.inner_html("#methods-curves")
    rows = list(csv.DictReader(io.StringIO(tab.save("csv").decode())))
    assert {row["class"] for row in rows} == {"\u201ca photo of a cat\u201d"}
    tab.tick_only("rollout", "integrated_gradients")
    assert set(tab.cards()) == {"integrated_gradients", "rollout", *BASELINES}
    assert not viz.errors
