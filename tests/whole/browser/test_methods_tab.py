"""The tab "Methods" in a real browser: choose, compare, sort, save, stop; and what is left without a classifier."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vizapp
from support.checkpoints import add_clip, save_vit
from support.english import PAGE
from support.methods_tab import CARDS, Gate, Tab, jobs, name_of
from support.serving import Server
from support.viz import Viz
from support.waiting import until
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.core.methods import baseline_names, methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, FINE, INSERTION
from vizapp.errors import VizError
from vizapp.picture import read_picture
from vizapp.ui import examples, zero_gpu
from vizapp.ui.comparison_files import WIDTHS, drawn_again
from vizapp.ui.words import words_for
from vizapp.vocabulary import ORDERS

ONE_PAGE = "as it opened"  # its tab keeps what the test before has ticked and compared

FIELDS = {"legrad-start_layer": "1", "attention-layer": "", "attention-head": ""}
BASELINES = baseline_names()
QUICK = [name for name, one in methods().items() if one.chosen]
SPECIFIC = [name for name in QUICK if methods()[name].class_specific]


@pytest.fixture
def tab(viz: Viz) -> Tab:
    opened = Tab(viz)
    for drawer in viz.page.locator("#methods-chip[aria-expanded=true], #methods-more[aria-expanded=true]").all():
        drawer.click()
    return opened


@pytest.fixture
def seen(models: SimpleNamespace, cache: Path) -> Analysis:
    """What the page opens with, without the page."""
    path = examples.first("scenes", str(cache))
    truth = examples.known_of(path, str(cache))
    return pipeline.analyse(pipeline.load(models.registers, "cpu"), path, truth=truth)


def stop_one(tab: Tab, gate: Gate, said: str) -> None:
    """Stop a run while curves are measured. The thread at work stops then, not only the page."""
    tab.page.click("#methods-go")
    gate.wait()
    tab.page.click("#methods-stop")
    expect(tab.page.locator("#methods-note")).to_have_text(said)
    gate.step(1000)  # the curves that were being measured come to their end
    until(lambda: not jobs())
    assert gate.steps == 1


def test_choose_stop_compare_sort_and_save(tab: Tab, seen: Analysis, gate: Gate) -> None:
    """A class that is not the most probable one; the table, on the page and in the file, is Python's."""
    # First in this file: of its page nothing has been ticked or compared.
    (best, share), *_, (last, _) = seen.top(5)
    assert tab.options("target")[0] == f"{best} · {share:.1%}"
    assert PAGE["methods_hello"] == tab.page.inner_text("#methods-heading h2")
    assert not tab.page.locator("#methods-class").is_visible(), "the choices wait behind their button"
    tab.choose("target", last)
    stop_one(tab, gate, PAGE["stopped"])  # and not "below": there is nothing from before
    assert tab.page.locator(CARDS).count() == 0
    tab.compare()
    cards = tab.cards()
    assert set(cards) == {*QUICK, *BASELINES}
    for name, card in cards.items():
        said = PAGE["for_class"].format(label=last) if methods()[name].class_specific else PAGE["every_class"]
        assert said in card.inner_text()
        card.locator("button").hover()
        told = tab.page.inner_text(".methods-told")
        assert all(one in told for one in (name_of(name), said, methods()[name].sentence, methods()[name].paper))
        assert set(tab.page.locator(".methods-line").all_inner_texts()) == {name_of(name)}
    found = vizapp.compare(seen, QUICK, target=last, steps=FINE, orders=ORDERS)
    expected = {row["method"]: row for row in found.rows()}
    rows = tab.rows()
    assert len(rows) == len(expected)
    for name, row in expected.items():
        title = PAGE["random_orders"].format(title=name_of(name), n=found.orders) if name == "random" else name_of(name)
        shown = next(cells for cells in rows if cells[0] == title)
        assert [float(cell) for cell in shown[2:4]] == pytest.approx([row["deletion"], row["insertion"]], abs=1e-3)

    tab.drawer("more")
    verdicts = tab.page.locator(".methods-verdict").all_inner_texts()
    for place, (measure, said) in enumerate(zip((DELETION, INSERTION), verdicts, strict=False)):
        ahead, by_chance = said.split("Better than random orders: ")
        best, second, *_ = ranked = found.ranking(measure)
        areas = [found.curves[one].areas[place] for one in (best, second)]
        assert [name_of(best) in ahead, name_of(second) in ahead] == [True, True]
        assert f"{areas[0]:.3f}" in ahead
        assert f"{abs(areas[0] - areas[1]):.3f} behind" in ahead
        better = [name_of(one) for one in ranked if found.beats_chance(one, measure)]
        worse = [name_of(one) for one in ranked if name_of(one) not in better]
        listed = words_for("en").listed
        some = f"{listed(better)}. Not better: {listed(worse)}."
        assert by_chance == (some if better and worse else "every method." if better else "no method.")
    assert f"itself and {found.orders} random orders" in verdicts[2]

    ranking = [row[5] for row in rows]
    assert ranking != sorted(ranking, key=float)
    header = PAGE["column_higher"].format(title=metrics()["auc"].title)
    head = tab.page.locator("#methods-table th", has_text=header)
    for up in (False, True):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == ("ascending" if up else "descending")
        assert [row[5] for row in tab.rows()] == sorted(ranking, key=float, reverse=not up)

    saved = list(csv.DictReader(io.StringIO(tab.download("csv").decode())))
    for row in saved:
        share = expected[row["method"]]["insertion over random"]
        assert row["insertion over random"] == ("" if share is None else str(share))
    deletion = {row["method"]: float(row["deletion"]) for row in saved}
    assert deletion == pytest.approx({name: row["deletion"] for name, row in expected.items()}, abs=1e-6)
    with Image.open(io.BytesIO(tab.download("png"))) as plate:
        assert plate.format == "PNG"
        assert min(plate.size) > 400

    gate.again()
    stop_one(tab, gate, PAGE["stopped_again"])
    assert set(tab.cards()) == {*QUICK, *BASELINES}


BOXES = """(css) => [...document.querySelectorAll(css)].map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [left, top, width, height].map(Math.round);
})"""


def test_eight_methods_are_one_screen_with_one_cursor(tab: Tab, seen: Analysis) -> None:
    """Nothing scrolls, and nothing moves while maps are pointed at; the same patch is marked in all of them, with its values."""
    page, names = tab.page, QUICK[:8]
    tab.choose("target", seen.top(1)[0][0])
    tab.tick_only(*names)
    tab.until(lambda: page.inner_text("#methods-chip") == PAGE["methods_chip"].format(n=8))
    tab.compare()
    assert page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [800, 1280]
    assert page.evaluate("(one => one.scrollHeight - one.clientHeight)(document.querySelector('.methods-grid'))") <= 0
    everything = (
        ".methods-screen > *, .methods-grid *:not(.methods-mark, .methods-value), .methods-charts:not([hidden]) svg"
    )
    before = page.evaluate(BOXES, everything)
    first, other, *_ = tab.cards()

    rows, cols = seen.trace.layout.grid
    cell = (1, cols - 1)
    second = page.locator(f".methods-grid figure[data-method={other}] .methods-picture")
    area = second.bounding_box()
    where = {"x": area["width"] * (cell[1] + 0.5) / cols, "y": area["height"] * (cell[0] + 0.5) / rows}
    second.hover(position=where)
    marks = page.locator(".methods-picture .methods-mark:not([hidden])")
    pictures = page.locator(".methods-picture")
    assert marks.count() == pictures.count() == 1 + len(names) + len(BASELINES)
    read = "marks => marks.map(one => one.dataset.cell)"
    assert set(marks.evaluate_all(read)) == {f"{cell[0]},{cell[1]}"}
    found = vizapp.compare(seen, names, steps=0)
    for name, card in tab.cards().items():
        value = float(card.locator(".methods-value").inner_text())
        assert value == pytest.approx(float(found.maps[name].scores[cell]), rel=5e-3, abs=1e-12), name
    assert page.evaluate(BOXES, everything) == before

    large = page.locator(".methods-large .methods-picture")
    assert name_of(first) in large.locator("> img").get_attribute("alt")
    second.click(position=where)
    assert name_of(other) in large.locator("> img").get_attribute("alt")
    assert page.evaluate(BOXES, everything) == before
    large.focus()
    page.keyboard.press("ArrowDown")
    assert set(marks.evaluate_all(read)) == {f"{cell[0] + 1},{cell[1]}"}
    value = large.locator(".methods-value").inner_text()
    said = PAGE["patch_value"].format(row=cell[0] + 2, col=cell[1] + 1, value=value)
    assert page.inner_text(".methods-here") == said


def ends(found: Any) -> tuple[float, float]:
    """The lowest and the highest value of the charts of a comparison."""
    values = [value for one in found.curves.values() for value in (*one.deletion, *one.insertion)]
    return min(0.0, *values), max(1.0, *values)


def drawn(tab: Tab, found: Any, which: str, css: str) -> np.ndarray:
    """The values of a line of the chart of deletion or insertion."""
    low, high = ends(found)
    points = tab.page.locator(f"[data-which={which}] svg").locator(css).get_attribute("points").split(" ")
    return high - np.array([float(one.split(",")[1]) for one in points]) * (high - low) / 100


def test_curves_are_named_stay_after_an_error_and_lead_to_what_the_network_forgets(
    tab: Tab, seen: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The band is what 19 random orders reach; each line is Python's curve. Two classes are shown with their difference."""
    tab.choose("target", seen.top(1)[0][0])
    tab.tick_only("chefer", "rollout")
    tab.compare()
    found = vizapp.compare(seen, ["chefer", "rollout"], steps=FINE, orders=ORDERS)
    chart, (low, high) = tab.page.locator("[data-which=deletion] svg"), ends(found)
    for name, one in found.curves.items():
        np.testing.assert_allclose(drawn(tab, found, "deletion", f"[data-line={name}]"), one.deletion, atol=1e-5)
    orders = np.array([one.deletion for one in found.drawn])
    band = [*orders.min(0), *orders.max(0)[::-1]]
    np.testing.assert_allclose(drawn(tab, found, "deletion", "polygon"), band, atol=1e-5)

    shown = tab.page.locator("[data-which=deletion] .methods-line")
    assert shown.inner_text() == name_of("chefer")
    area, curve = chart.bounding_box(), found.curves["rollout"]
    apart = np.abs(curve.deletion - found.curves["chefer"].deletion) + np.abs(
        curve.deletion - drawn(tab, found, "deletion", "[data-line=centre]")
    )
    at = int(apart[1:-1].argmax()) + 1
    share, value = curve.share[at], curve.deletion[at]
    down = area["height"] * float((high - value) / (high - low))
    chart.hover(position={"x": area["width"] * float(share), "y": down}, force=True)
    assert shown.inner_text() == name_of("rollout")
    assert "rollout" in chart.locator(".is-shown").get_attribute("data-line")

    # An error is a toast, and the results stay.
    def broken(*args: Any) -> None:
        raise VizError("The lamp is broken.", "Change it.")

    with monkeypatch.context() as patch:
        patch.setattr(zero_gpu, "computing", lambda request: {"curves": broken})
        tab.page.click("#methods-go")
        tab.page.get_by_text("The lamp is broken.").wait_for()
        assert set(tab.cards()) == {"chefer", "rollout", *BASELINES}

    # What is left when the network forgets: of the methods of the comparison on the page, whatever is ticked by now.
    tab.tick_only("rollout")
    tab.drawer("more")
    tab.page.get_by_text(PAGE["forget"]).click()
    tab.page.click("#methods-forget-go")
    tab.page.locator("#methods-forgotten .methods-lines svg").wait_for()
    assert tab.page.locator("#methods-forgotten [id=line-chefer]").count() == 1
    assert tab.page.locator("#methods-forgotten li").count() == 2

    # Two classes and their difference.
    (first, _), (second, _) = seen.top(2)
    tab.tick_only("chefer", "rollout")
    tab.choose("other", second)
    tab.compare()
    cards = tab.cards()
    assert cards["chefer"].locator("small").all_inner_texts() == [first, second, f"{first} \u2212 {second}"]
    assert cards["rollout"].locator("img").count() == 1, "every class alike: nothing to compare"
    both = {
        label: vizapp.compare(seen, ["chefer"], target=label, steps=FINE).curves["chefer"] for label in (first, second)
    }
    rows = [row for row in tab.rows() if row[0] == name_of("chefer")]
    assert {row[1]: float(row[2]) for row in rows} == pytest.approx(
        {label: one.areas[0] for label, one in both.items()}, abs=1e-3
    )
    charts = tab.page.locator("#methods-curves figcaption")
    assert charts.count() == 4, "deletion and insertion of each"
    cards["chefer"].locator("button").nth(1).click()
    seen_now = tab.page.locator("#methods-curves figcaption:visible").all_inner_texts()
    assert [PAGE["curve_y"].format(label=second) in one for one in seen_now] == [True, True]

    # In a window as narrow as a phone's, a map that was chosen is in view.
    tab.page.set_viewport_size({"width": 390, "height": 844})
    try:
        cards["chefer"].locator("button").nth(0).click()
        large = tab.page.locator(".methods-large .methods-picture > img")
        assert name_of("chefer") in large.get_attribute("alt")
        assert large.evaluate("(one) => one.getBoundingClientRect().top") >= 0
    finally:
        tab.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_model_without_a_classifier(tab: Tab, viz: Viz, tmp_path: Path) -> None:
    """Its largest output is explained, and called by its number. A method that means nothing says so, and stays ticked."""
    tab.tick_only(*QUICK)
    ticked = tab.page.locator("#methods-class label:has(input:checked)")
    expect(ticked).to_have_count(len(SPECIFIC))
    viz.choose_model(save_vit(tmp_path / "features.safetensors", num_classes=0))
    expect(tab.page.locator("#methods-target input")).to_have_value(re.compile(r"^output \d+, the largest$"))
    tab.compare()
    assert set(tab.cards()) == {*QUICK, *BASELINES}
    assert re.search(r"\u201coutput \d+\u201d", tab.page.inner_text("#methods-heading"))
    tab.drawer("chip")
    expect(tab.page.locator("#methods-every")).to_be_visible()
    expect(tab.page.locator("#methods-class")).to_be_visible()
    assert tab.page.locator("#methods-heading details").count() == 0, "nothing had to be left out"
    assert PAGE["no_curves"] not in tab.page.inner_text("#methods-curves")
    cross, checked = tab.page.locator("#methods-every label", has_text="Cross attention"), "label:has(input:checked)"
    expect(cross).to_contain_text("(not for this network)")
    assert not [text for text in tab.page.locator(checked).all_inner_texts() if "not for this network" in text]
    cross.locator("input").check()
    viz.choose_model("toy world")
    expect(ticked).to_have_count(len(SPECIFIC))
    expect(cross).to_contain_text("(not for this network)")
    expect(cross.locator("input")).to_be_checked()


def test_a_model_that_reads_explains_a_sentence(tab: Tab, viz: Viz, tmp_path: Path) -> None:
    """Two towers with random weights, and the tokenizer that open_clip ships; the field is there for such models only."""
    pytest.importorskip("open_clip")
    field = tab.page.locator("#methods-sentence textarea, #methods-sentence input")
    assert field.count() == 0
    viz.choose_model(f"open_clip:{add_clip(tmp_path)}?pretrained=no")
    field.wait_for()
    field.fill("a photo of a cat")
    tab.tick_only("chefer", "rollout")
    tab.compare()
    assert set(tab.cards()) == {"chefer", "rollout", *BASELINES}
    assert "a photo of a cat" in tab.page.inner_text("#methods-heading h2")
    assert "score of \u201ca photo of a cat\u201d" in tab.page.inner_html("#methods-curves")


def test_classes_follow_the_picture_and_old_results_are_called_old(
    tab: Tab, viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    tab.tick_only("attention")
    tab.compare()
    viz.upload(pictures.square)
    note = tab.page.locator("#methods-note")
    expect(note).to_contain_text(PAGE["stale"])
    tab.page.click("#methods-stop")  # there is nothing to stop
    viz.after(0.7)
    expect(note).to_contain_text(PAGE["stale"])
    top = pipeline.analyse(pipeline.load(models.registers, "cpu"), str(pictures.square)).top(1)[0]
    assert tab.options("target")[0] == f"{top[0]} · {top[1]:.1%}"
    tab.compare()
    tab.page.get_by_text(PAGE["stale"]).wait_for(state="detached")
    tab.page.get_by_role("tab", name=PAGE["tab_attention"]).click()
    viz.painted()
    assert len(np.unique(viz.pixels()[..., :3].reshape(-1, 3), axis=0)) > 100, "painted while it was out of sight"


def test_a_method_is_run_with_the_settings_of_its_box(tab: Tab, seen: Analysis) -> None:
    """Each ticked method has a box of settings. A map with changed settings is the one that Python makes with them."""
    tab.choose("target", seen.top(1)[0][0])
    tab.tick_only("attention", "legrad")
    tab.drawer("chip")
    tab.page.get_by_text(PAGE["settings"]).click()
    tab.page.locator("#settings-legrad-start_layer").wait_for()
    assert not tab.page.locator("#settings-chefer-start_layer").is_visible()
    fields = {name: tab.page.locator(f"#settings-{name} :is(input, textarea)") for name in FIELDS}
    shown = {name: field.input_value() for name, field in fields.items()}
    assert shown == FIELDS, "counted from 1, as everywhere on the page; empty: the last layer, all heads"
    fields["legrad-start_layer"].fill("2")
    fields["attention-head"].fill("0")
    tab.page.click("#methods-go")
    tab.page.get_by_text("Head = 0 is not possible. Write a whole number from 1 on").wait_for()
    tab.drawer("chip")
    fields["attention-head"].fill("2")
    tab.page.locator("#settings-attention-direction input").click()
    tab.page.locator("ul[role=listbox] li", has_text="to").first.click()
    tab.compare()
    asked = {"legrad": {"start_layer": 1}, "attention": {"head": 1, "direction": "to"}}
    found = vizapp.compare(seen, ["attention", "legrad"], settings=asked, steps=FINE)
    for name in asked:
        for which in ("deletion", "insertion"):
            expected = getattr(found.curves[name], which)
            np.testing.assert_allclose(drawn(tab, found, which, f"[data-line={name}]"), expected, atol=1e-5)


SHOWN = """() => {
  const canvas = document.querySelector("#methods-maps .methods-rest");
  const { bitmap } = document.querySelector(".viz").viewer.payload;
  const seen = document.createElement("canvas").getContext("2d");
  Object.assign(seen.canvas, { width: bitmap.width, height: bitmap.height });
  seen.drawImage(bitmap, 0, 0);
  return canvas?.toDataURL() === seen.canvas.toDataURL();
}"""


def test_before_a_run_it_shows_the_picture_of_the_stage(visit: Callable[..., Viz], pictures: Any) -> None:
    """Also where a link has opened it before there was a picture, and where another picture is chosen meanwhile."""
    viz = visit("#v=1&picture=lesson/clutter/16&model=toy&tab=methods")
    viz.wait_until(SHOWN)
    viz.upload(pictures.other)
    viz.wait_until(SHOWN)


def choose_width(tab: Tab, pixels: int) -> None:
    tab.page.locator("#methods-width input").click()
    tab.page.locator("ul[role=listbox] li", has_text=PAGE["save_width"].format(width=pixels)).click()


def saved_maps(tab: Tab) -> tuple[tuple[int, int], dict[str, Any], np.ndarray]:
    with Image.open(io.BytesIO(tab.download("png"))) as plate:
        return plate.size, json.loads(plate.info["Comment"]), np.asarray(plate.convert("RGB"))


def test_what_is_saved_is_as_wide_as_asked_for_and_says_where_it_comes_from(tab: Tab, server: Server) -> None:
    """The picture, the weights, the settings of each method, seeds, versions: as `vizapp.made_from` has them."""
    tab.tick_only("legrad", "rollout")  # what the test before has compared would come out the same: nothing to wait for
    tab.compare()
    size, about, narrow = saved_maps(tab)
    assert size[0] == WIDTHS[0]
    rows = {row["method"]: row for row in csv.DictReader(io.StringIO(tab.download("csv").decode()))}
    source = tab.page.evaluate(
        "window.gradio_config.components.find(({ props }) => props.elem_id === 'picture').props.value.path"
    )
    pixels = hashlib.sha256(np.ascontiguousarray(read_picture(Path(source))).tobytes()).hexdigest()
    for said in (about, rows["legrad"], rows["random"]):
        assert said["picture_sha256"] == pixels
        assert said["vizapp"] == vizapp.__version__
        assert len(said["weights_sha256"]) == 64
        assert said["empty"] == "mean"
        assert {"torch", "timm", "numpy", "python", "date", "model", "class"} <= said.keys()
    assert about["settings"].keys() == rows.keys()
    for name, row in rows.items():
        assert json.loads(row["settings"]) == about["settings"][name]
    assert about["seed"]["random"] == int(rows["random"]["seed"])
    assert rows["legrad"]["seed"] == ""
    choose_width(tab, 1600)
    expect(tab.page.locator("#methods-png")).to_be_disabled(), "what is there is not what was asked for"
    expect(tab.page.locator("#methods-png")).to_be_enabled()
    size, _, wide = saved_maps(tab)
    assert size[0] == 1600
    small = np.asarray(Image.fromarray(wide).resize(narrow.shape[1::-1], Image.Resampling.BOX)).astype(float)
    assert np.abs(small - narrow).mean() < 6, "the same picture, larger"
    tab.tick_only("attention")
    tab.compare()
    assert saved_maps(tab)[0][0] == 1600


def test_maps_that_are_gone_are_said(server: Server, tmp_path: Path) -> None:
    for path in ("/etc/hostname", str(tmp_path / "plate.npz"), ""):
        with pytest.raises(VizError, match="not here any more"):
            drawn_again(path, 800)
