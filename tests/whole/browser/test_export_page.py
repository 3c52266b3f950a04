"""The page without a server: one file, opened from the disk. What it shows is what Python computes, and it asks for nothing."""

import csv
import io
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import expect

import vizapp
from support import deep_pictures
from support.axe import Looker, needs_axe
from support.english import EXPORT, LINK, MODELS, PAGE, VIEWER
from support.families import family
from support.first_screen import beyond
from support.hub import answering
from support.methods_tab import methods_done, tried
from support.one_file import READY, Opened, rows_by, rows_of, visited
from support.paths import ROOT
from support.viz import Viz, saved
from vizapp.analysis.record import made_from
from vizapp.browser import quantised
from vizapp.browser.content import Wanted, content, content_of
from vizapp.browser.one_file import one_file
from vizapp.browser.shelf import FIRST, lesson
from vizapp.browser.site import site
from vizapp.core.trust.faithfulness import FINE
from vizapp.errors import VizError
from vizapp.pipeline.comparison import compare
from vizapp.pipeline.teaching import Lesson
from vizapp.ui import textbook
from vizapp.ui.examples import photos
from vizapp.ui.lesson_pictures import Place
from vizapp.ui.words import words_for

FIRST_LINK = "#v=1&picture=photo/cheetah&model=toy"
Alone = Callable[[str], Viz]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with toy itself, the textbook, and a photo."""
    path = tmp_path_factory.mktemp("export") / "live.html"
    # A chapter that tries methods takes as long as five others, and no test here opens it.
    short = [one for one in textbook.chapters() if "trial" not in {each["kind"] for each in one.exercises}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textbook, "chapters", lambda: tuple(short))
        one_file(content(Wanted(("toy",), photos()[:1], lessons=True)), path)
    return path


@pytest.fixture(scope="module")
def _alone(browser: Any, live: Path) -> Iterator[Viz]:
    viz = visited(browser, live, FIRST_LINK)
    yield viz
    viz.page.context.close()


@pytest.fixture
def alone(_alone: Viz) -> Iterator[Alone]:
    """Follows a link on the page with the textbook, which is opened once: a link says all that is shown."""

    def follow(link: str) -> Viz:
        if _alone.page.evaluate("location.hash") != link:
            _alone.follow(link)
            _alone.wait_for_rest()
            _alone.idle()
            _alone.js("payload.wasSeen = true")
        return _alone

    yield follow
    assert _alone.errors == []


def bring(viz: Viz, path: Path) -> None:
    """Look at a picture of the visitor."""
    viz.page.set_input_files("#choose input[type=file]", path)
    viz.wait_for_maps()


def rows_by_python(picture: Any) -> np.ndarray:
    """What CLS looks at, by the network itself."""
    return rows_by(vizapp.analyse("toy", picture))


def has_the_numbers_of(viz: Viz, seen: vizapp.Analysis) -> None:
    """To the half precision of what the viewer is given."""
    np.testing.assert_allclose(rows_of(viz), rows_by(seen), atol=1e-3)
    assert viz.js("payload.top[0]") == [seen.top(1)[0][0], pytest.approx(seen.top(1)[0][1], abs=1e-4)]


# The place of a name's last letter, and the box that it is cut by.
LAST_LETTER = """(name) => {
  const shown = document.querySelector("#model-chip bdi"), range = document.createRange(), before = shown.textContent;
  shown.textContent = name;
  range.setStart(shown.firstChild, name.length - 1);
  range.setEnd(shown.firstChild, name.length);
  const [letter, box] = [range, shown.parentElement].map((one) => one.getBoundingClientRect());
  shown.textContent = before;
  return [box.left, letter.left, letter.right, box.right];
}"""


def test_the_heading_and_the_mark_say_what_there_is(alone: Alone) -> None:
    """A long name is cut at its beginning; the mark says where maps were made, and not that nothing was tested."""
    viz = alone(FIRST_LINK)
    assert viz.js("payload.caution"), "toy knows no photos, and says so"
    assert viz.page.locator("#model-chip b").inner_text() == MODELS["toy"]
    left, first, last, right = viz.page.evaluate(LAST_LETTER, "a-long-name-" * 30 + "z")
    assert left <= first < last <= right + 0.5
    mark = viz.page.locator('.viz-proof[data-state="made"] summary')
    assert mark.inner_text() == VIEWER["proof_mark_made"]
    mark.click()
    assert viz.find("proof-said").inner_text() == EXPORT["made"]
    assert not viz.page.locator(".viz-proof-table").is_visible()
    mark.click()


def test_a_page_of_rounded_weights_says_so(tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark names the weights for which the maps are exact. Python computes the same from `vizapp.quantised`."""
    monkeypatch.setattr(quantised, "FEW", 0)
    one_file(content(Wanted(("toy",), photos()[:1])), tmp_path / "page.html")
    viz = opened(tmp_path / "page.html")
    has_the_numbers_of(viz, vizapp.analyse(vizapp.quantised("toy"), photos()[0]))
    assert np.abs(rows_of(viz) - rows_by_python(photos()[0])).max() > 2e-3, "the weights of training give other numbers"
    mark = viz.page.locator('.viz-proof[data-state="rounded"] summary')
    mark.click()
    assert (mark.inner_text(), mark.get_attribute("title")) == (
        VIEWER["proof_mark_rounded"],
        VIEWER["proof_rounded_help"],
    )
    assert viz.find("proof-said").locator("p").all_inner_texts() == [EXPORT["rounded"], EXPORT["made"]]
    assert not viz.page.locator(".viz-proof-table").is_visible()
    panel = viz.page.locator(".viz-proof-panel").bounding_box()
    assert 0 <= panel["x"] <= panel["x"] + panel["width"] <= 1280
    viz.js("state.set({ layer: 1, head: 2, fusion: 'one' })")
    viz.idle()
    shown = rows_of(viz)
    viz.page.locator("#languages a").click()
    viz.page.wait_for_selector(READY)
    viz.wait_for_maps()
    assert viz.page.evaluate("document.documentElement.lang") == "zh"
    assert viz.js("[state.get('layer'), state.get('head')]") == [1, 2], "the language leads to the same view"
    np.testing.assert_array_equal(rows_of(viz), shown)
    assert viz.page.locator("#choose .bring").get_attribute("aria-label") == "选择你的图片或影片，或拖放、粘贴"
    assert mark.inner_text() == words_for("zh")["viewer"]["proof_mark_rounded"]
    assert viz.page.locator("#choose .credit").is_hidden(), "this photo's file names nobody"


def test_the_demo_of_photos_is_made_by_one_script(
    tmp_path: Path, opened: Opened, deit_name: str, own: np.ndarray
) -> None:
    """The one that the release runs with a network of the hub: deploy/demo_photos.py."""
    pytest.importorskip("skimage", reason="scikit-image is not here")
    page, script = tmp_path / "demo.html", str(ROOT / "deploy" / "demo_photos.py")
    subprocess.run([sys.executable, script, deit_name, "-o", str(page)], check=True, capture_output=True)
    assert page.stat().st_size <= 9e6
    viz = opened(page)
    assert [one for one in viz.requests if not one.startswith(("blob:", "data:"))] == [page.as_uri()]
    ours = vizapp.quantised(deit_name)
    made = runpy.run_path(script)
    titles = [one.get_attribute("title") for one in viz.page.locator(".photos button").all()]
    assert [one.partition(" (")[2].rstrip(")") for one in titles] == list(made["CREDITS"].values())
    assert viz.page.locator("#choose .credit").inner_text() == PAGE["photo"].format(name=made["CREDITS"]["chelsea.png"])
    has_the_numbers_of(viz, vizapp.analyse(ours, made["photos"](tmp_path)[0]))
    bring(viz, tmp_path / "own.png")
    has_the_numbers_of(viz, vizapp.analyse(ours, own))
    assert viz.page.locator("#choose .credit").is_hidden(), "nobody's name stands beside a picture of the visitor's"
    assert not viz.errors


def test_all_pages_say_the_same_of_the_first_scene(alone: Alone, opened: Opened, visit: Callable[..., Viz]) -> None:
    """They once named (13, 11) and (12, 9): this page analysed a lossy WebP of the drawing, the server the drawing itself."""

    def said(viz: Viz) -> list[str]:
        return re.findall(r"\([0-9]+, [0-9]+\)|[0-9.]+\u202f?\s?%", viz.find("status").inner_text())

    link, file = f"#v=1&picture=lesson/{FIRST}&model=toy", ROOT / "docs" / "demo.html"
    with_server, here, demo = visit(link), alone(link), opened(file)
    assert len(said(with_server)) >= 2, with_server.find("status").inner_text()
    assert said(here) == said(with_server)
    assert here.find("status").inner_text() == with_server.find("status").inner_text()
    assert said(demo) == said(with_server)
    np.testing.assert_array_equal(lesson(FIRST).pixels, Place.of(FIRST).drawn().picture)
    assert [one for one in demo.requests if not one.startswith(("blob:", "data:"))] == [file.as_uri()]
    assert demo.errors == []
    assert demo.js("payload.model") == "toy"
    assert len(demo.js("payload.layers")) == 5
    assert file.stat().st_size <= 8e6


def test_a_picture_of_the_visitor_is_looked_at_in_the_page(
    live: Path, opened: Opened, tmp_path: Path, own: np.ndarray
) -> None:
    """By the button and dropped; what is no picture is refused in words, and what was shown stays."""
    viz = opened(live)
    bring(viz, tmp_path / "own.png")
    assert "picture=upload" in viz.page.evaluate("location.hash")
    np.testing.assert_allclose(rows_of(viz), rows_by_python(own), atol=2e-3)
    viz.page.reload()  # the tab has kept it
    viz.wait_for_maps()
    np.testing.assert_allclose(rows_of(viz), rows_by_python(own), atol=2e-3)
    viz.find("save").locator("summary").click()
    with viz.page.expect_download() as download:
        viz.page.locator('.viz button[data-format="png"]').click()
    assert download.value.suggested_filename == f"own-toy-layer{viz.js('view.layer') + 1}-mean.png"
    viz.page.locator("#choose .forget").click()
    viz.page.reload()
    viz.wait_for_maps()
    assert viz.page.locator("#said").inner_text() == EXPORT["notOnBoard"]
    assert viz.page.locator("#choose .forget").is_hidden()
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/relation/1&model=relation'")
    viz.wait_for_maps()
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "own.png")
    said = EXPORT["looksInstead"].format(model="relation", other="toy")
    viz.page.wait_for_function("(said) => document.querySelector('#said').textContent === said", arg=said)
    greyed = viz.page.locator(".model option:disabled").all_text_contents()
    assert EXPORT["modelElsewhere"].format(name=MODELS["relation"]) in greyed
    before = rows_of(viz)
    (tmp_path / "bad.png").write_bytes(b"no picture")
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "bad.png")
    viz.page.wait_for_function("(said) => ![said, ''].includes(document.querySelector('#said').textContent)", arg=said)
    viz.page.wait_for_selector(READY)
    np.testing.assert_array_equal(rows_of(viz), before)
    assert len(viz.errors) == 0


def test_a_network_of_timm_looks_at_ones_own_picture_where_the_page_is_open(opened: Opened, tmp_path: Path) -> None:
    """Made-up weights are sharper than trained ones, and travel in half precision; nothing is fetched."""
    model = family("dinov3", num_classes=7)
    path, own = tmp_path / "dinov3.html", tmp_path / "own.png"
    one_file(content_of(vizapp.analyse(model, ROOT / "assets" / "examples" / "scene-1.jpg")), path)
    small = np.random.default_rng(3).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    Image.fromarray(small).resize((320, 240), Image.Resampling.BICUBIC).save(own)
    viz = opened(path)
    bring(viz, own)
    viz.js("viewer.use()")
    viz.wait_for_rest()
    wanted = vizapp.analyse(model, own).trace
    token = wanted.layout.n_prefix + 3 * wanted.layout.grid[1] + 5
    for layer, one in enumerate(wanted.layers):
        row = f"Array.from(attention.row({layer}, head, {token}))"
        rows = viz.js(f"Array.from({{ length: {one.n_heads} }}, (_, head) => {row})")
        np.testing.assert_allclose(np.array(rows), one.rows(torch.tensor([token]))[:, 0].numpy(), atol=0.03)
    before = viz.find("status").inner_text()
    viz.hover(3, 5)
    assert viz.find("status").inner_text() != before, "a patch that is pointed at is told"
    assert [one for one in viz.requests if not one.startswith(("blob:", "data:"))] == [path.as_uri()]
    assert viz.errors == []


def test_pages_and_12_bits_of_a_visitors_picture_are_those_of_python(
    live: Path, opened: Opened, tmp_path: Path
) -> None:
    """An animated PNG is one picture of several pages; an X-ray is no black one, and the page says how it was read."""
    rng = np.random.default_rng(1)
    one, *others = (Image.fromarray(rng.integers(0, 256, (150, 200, 3), dtype=np.uint8)) for _ in range(3))
    one.save(tmp_path / "book.png", save_all=True, append_images=others, duration=100)
    viz = opened(live)
    line = viz.page.locator(".viz-pages")
    expect(line).to_be_hidden()
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "book.png")
    expect(line).to_contain_text("Page 1 of 3")
    viz.wait_for_maps()
    np.testing.assert_allclose(rows_of(viz), rows_by_python(tmp_path / "book.png"), atol=2e-3)
    line.locator(".viz-page-next").click()
    expect(line).to_contain_text("Page 2 of 3")
    viz.wait_for_maps()
    np.testing.assert_allclose(rows_of(viz), rows_by_python(f"{tmp_path / 'book.png'}#2"), atol=2e-3)
    assert "&page=2&" in viz.page.evaluate("location.hash")
    viz.page.reload()
    expect(line).to_contain_text("Page 2 of 3")
    (tmp_path / "ray.png").write_bytes(deep_pictures.png(deep_pictures.shades(150, 200)))
    viz.page.set_input_files("#choose input[type=file]", tmp_path / "ray.png")
    expect(viz.find("notes")).to_contain_text("No value of the picture is above 4095, so 4095 is white, not 65535.")
    viz.wait_for_maps()
    expect(line).to_be_hidden()
    assert "page=" not in viz.page.evaluate("location.hash")
    np.testing.assert_allclose(rows_of(viz), rows_by_python(tmp_path / "ray.png"), atol=2e-3)
    assert not viz.errors


def test_the_picture_comes_first(browser: Any, live: Path) -> None:
    """The budget of the first screen is that of the page with a server."""
    found = beyond(browser, live.as_uri())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "zh")])
def test_axe_finds_nothing(opened: Opened, live: Path, width: int, language: str) -> None:
    """On each tab, and with what opens on it."""
    needs_axe()
    viz, found = (
        opened(live, f"?lang={language}#picture=lesson/clutter/16&model=toy", width),
        dict[tuple[str, str], str](),
    )
    looker = Looker(viz, found, language)
    looker.look("start")
    looker.unfold("#heading")
    for depth in ("atlas", "score", "teach"):
        viz.go(depth)
        looker.look(depth)
        viz.go(None)
    viz.open_book()
    looker.look("the textbook")
    viz.close_book()
    viz.page.locator("#tabs button").nth(1).click()
    methods_done(viz)
    looker.look("methods")
    assert not found, "\n".join(map(str, found.items()))


def test_the_textbook_runs_without_a_server(alone: Alone) -> None:
    """Chapter 7: the bar code is dragged off, by a network that is not on board; and what needs gradients was answered before."""
    viz = alone("#v=1&picture=lesson/shortcut/13&model=shortcut&chapter=shortcut")
    first = viz.js("payload.top[0]")
    viz.page.evaluate("location.hash = location.hash.replace('shortcut/13', 'shortcut/13/bare')")
    viz.wait_for_maps()
    assert viz.js("payload.top[0]") != first
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/two/11&model=toy&chapter=class'")
    viz.wait_for_maps()
    viz.page.locator(".viz-options button").first.click()
    viz.page.get_by_role("button", name=VIEWER["classes_ask"]).click()
    viz.page.locator(".viz-pairs figure").nth(1).wait_for()
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/clutter/8&model=born&moment=0&chapter=born'")
    viz.wait_for_maps()
    untaught = rows_of(viz)
    viz.slide("time-at", viz.js("payload.film.steps.length - 1"))
    viz.page.wait_for_function("document.querySelector('.viz').viewer.payload.film.at > 2000")
    taught = viz.js("payload.film.at")
    assert np.abs(rows_of(viz) - untaught).max() > 0.1
    by_python = vizapp.analyse(f"born?step={taught}", lesson("clutter/8").pixels)
    np.testing.assert_allclose(rows_of(viz), rows_by(by_python), atol=1e-3)


def test_a_patch_answers_where_the_maps_were_made_before(alone: Alone) -> None:
    """By the mean of the heads, and its rollout; what is not there says why, and no word of a server."""
    viz = alone("#v=1&picture=lesson/relation/1&model=relation")
    trace = vizapp.analyse("relation", lesson("relation/1").pixels).trace
    token = 1 + 4 * 14 + 5
    want = torch.stack([layer.map() for layer in trace.layers]).mean(1)[:, token].numpy()
    for layer in (0, 4):
        viz.js(f"state.set({{ layer: {layer} }})")
        viz.hover(4, 5)
        np.testing.assert_allclose(viz.shown(), want[layer], rtol=0.025, atol=6e-4)
    viz.show_map("rollout")
    viz.hover(4, 5)
    assert viz.shown().sum() == pytest.approx(1, abs=0.01)
    viz.display()
    viz.button("fusion", "max").click()
    viz.hover(4, 5)
    assert viz.find("status").inner_text() == EXPORT["readyMean"]
    assert viz.find("score").inner_text() == ""
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/clutter/8&model=born&layer=1'")
    viz.wait_for_maps()
    viz.hover(4, 5)
    viz.wait_for("document.querySelector('.viz-status').textContent === argument", EXPORT["readyLost"])


def test_a_line_names_what_of_a_link_was_not_understood(alone: Alone) -> None:
    """And the address becomes what is shown, as on the page with a server."""
    viz = alone("#v=2&picture=lesson/clutter/16&model=toy&fit=evil&layer=999&head=77&fusion=one&new=1")
    last, heads = viz.js("viewer.payload.layers.length") - 1, viz.js("selectors.heads")
    each = ["fit (as trained)", "new (left out)", f"layer (layer {last + 1} instead)", f"head (head {heads} instead)"]
    said = VIEWER["strange"].format(what=", ".join(each))
    assert viz.page.locator("#said").inner_text() == f"{LINK['newer']} {said}"
    shown = f"#v=1&picture=lesson/clutter/16&model=toy&layer={last}&head={heads - 1}&fusion=one"
    viz.page.wait_for_function("(shown) => location.hash === shown", arg=shown)
    # Of the visitor's own picture on another computer: the layer is kept, a patch of it is not.
    viz = alone("#v=1&picture=upload/7&model=toy&layer=2&place=0.2,0.2&pinned=1")
    assert viz.page.locator("#said").inner_text() == EXPORT["notOnBoard"]
    assert viz.js("[state.get('layer'), state.get('pinned'), state.get('place')]") == [2, False, None]


def test_a_lesson_leads_through_what_is_on_board(live: Path, opened: Opened) -> None:
    """The page has a few of the lesson's forty pictures; "next" and "previous" stand beside the answer, and go round them."""
    viz = opened(live, "#v=1&picture=lesson/one/2&model=toy&question=1")
    seen = []
    for button in ("on", "on", "back", "back"):
        viz.find("lesson-answer").click()
        viz.find(f"lesson-{button}").click()
        viz.wait_for_maps()
        seen.append(re.search(r"lesson/one/(\d+)", viz.page.evaluate("location.hash"))[1])
    assert seen == ["3", "0", "3", "2"]
    assert viz.page.locator("#said").inner_text() == ""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_help_stays_in_the_window_and_nothing_is_wider(live: Path, opened: Opened, width: int) -> None:
    viz = opened(live, width=width, has_touch=width == 390)
    assert viz.page.evaluate("document.documentElement.scrollWidth") <= width
    viz.page.locator("#heading details:not(#model-chip) > summary").click()
    box = viz.page.locator("#heading details:not(#model-chip) > div").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 800


def test_an_analysis_becomes_a_page_of_its_maps(tmp_path: Path, opened: Opened) -> None:
    """An edited network, for example: the page has all layers, heads and queries, and says what it cannot do without it."""
    picture = np.random.default_rng(0).integers(0, 256, (64, 80, 3), dtype=np.uint8)
    seen = vizapp.analyse("toy", picture, edits="head-off:1.1")
    vizapp.export(seen, tmp_path / "maps.html")
    viz = opened(tmp_path / "maps.html")
    np.testing.assert_allclose(rows_of(viz), rows_by(seen), atol=1e-3)
    assert viz.page.locator("#choose .bring").is_hidden()
    assert "head-off:1.1" in viz.page.locator("#choose .why").inner_text()
    assert viz.js("viewer.ask('steps', payload.run, [0, 0, 1])")["why"]
    viz.find("teach-open").click()
    viz.page.locator(".viz-teach-said", has_text=EXPORT["needsServer"]).wait_for()


def test_what_is_shown_is_saved_without_a_server(live: Path, opened: Opened) -> None:
    viz = opened(live, "#v=1&picture=photo/cheetah&model=toy")
    files = {ending: saved(viz, "overlay", ending, 600) for ending in ("png", "svg", "pdf", "npz")}
    with Image.open(io.BytesIO(files["png"])) as picture:
        assert picture.width == 600
        assert np.asarray(picture.convert("L")).std() > 10, "something is painted"
    assert ElementTree.fromstring(files["svg"]).tag.endswith("svg")
    assert files["pdf"].startswith(b"%PDF-")
    assert b"%%EOF" in files["pdf"][-32:]
    with np.load(io.BytesIO(files["npz"])) as found:
        np.testing.assert_array_equal(found["values"], viz.shown().astype(np.float32))
        about = json.loads(str(found["about"]))
    expected = made_from(vizapp.analyse("toy", photos()[0]))
    same = ("model", "weights_sha256", "preprocess", "picture_sha256", "fit", "edits", "vizapp")
    assert {key: about[key] for key in same} == {key: expected[key] for key in same}
    for elsewhere in ("[data-format=gif]", "[data-format=html]", ".viz-code"):
        assert viz.page.locator(elsewhere).is_hidden()
    assert not viz.errors


def violated(browser: Any, url: str) -> list[str]:
    """The rules of its policy that a page breaks when it contacts another server."""
    page = browser.new_page()
    page.goto(url)
    page.wait_for_selector(READY)
    found = page.evaluate(
        """async () => {
          const found = [];
          document.addEventListener("securitypolicyviolation", (one) => found.push(one.effectiveDirective));
          await fetch("https://example.org/").catch(() => null);
          await new Promise((told) => setTimeout(told, 200));
          return found;
        }"""
    )
    page.close()
    return found


def test_a_site_asks_nobody_else_and_sends_a_network_once(browser: Any, opened: Opened, tmp_path: Path) -> None:
    """A folder on any web server; its policy lets nothing out, and what is there already is not written over."""
    cargo = content(Wanted(("toy",), photos()[:1], languages=("en",)))
    site(cargo, tmp_path / "site")
    with answering(SimpleHTTPRequestHandler, directory=tmp_path / "site") as address:
        url = f"{address}/"
        viz = opened(url, "?embed=1#v=1&picture=photo/cheetah&model=toy&layer=2")
        np.testing.assert_allclose(rows_of(viz), rows_by_python(photos()[0]), atol=2e-3)
        assert {urlparse(one).netloc for one in viz.requests if one.startswith("http")} == {urlparse(url).netloc}
        assert len([one for one in viz.requests if "/data/" in one]) == 2, "a network and a picture"
        assert viz.page.locator("#choose").is_hidden()
        with viz.page.context.expect_page() as whole:
            viz.page.get_by_role("link", name=LINK["full"]).click()
        assert whole.value.url == f"{url}?#v=1&picture=photo/cheetah&model=toy&layer=2"
        assert violated(browser, url) == ["connect-src"], "the page's own policy lets nothing out"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(VizError, match="holds other files"):
        site(cargo, tmp_path / "other")


def test_where_a_page_cannot_run_it_says_why(live: Path, browser: Any, tmp_path: Path) -> None:
    """In the visitor's language; a site on a disk, and a browser that lacks what is needed."""
    site(content(Wanted(("toy",), photos()[:1])), tmp_path)
    disk = tmp_path / "index.html"
    slips: list[Any] = []
    for path, lacks, locale, said in (
        (disk, "", "zh-CN", words_for("zh")["export"]["needsWebServer"].format(command="python -m http.server")),
        (live, "DecompressionStream", "en", EXPORT["needsBrowser"].format(names="DecompressionStream")),
        (
            live,
            "createImageBitmap",
            "zh-CN",
            words_for("zh")["export"]["needsBrowser"].format(names="createImageBitmap"),
        ),
    ):
        page = browser.new_page(locale=locale)
        page.on("pageerror", lambda slip: slips.append(slip))
        page.on("console", lambda slip: slips.append(slip))
        page.add_init_script(f"delete window.{lacks};" if lacks else "")
        page.goto(path.as_uri())
        page.wait_for_load_state()
        assert page.inner_text("body").strip() == said
        assert page.evaluate("document.documentElement.lang") == locale[:2]
        assert slips == []
        page.close()


def test_things_are_taught_without_a_server(live: Path, opened: Opened) -> None:
    """By the engine's features: half precision, and the weights too, so a patch between two things may fall to the other."""
    viz = opened(live, "#v=1&picture=photo/cheetah&model=toy")
    seen = vizapp.analyse("toy", photos()[0])
    viz.find("teach-open").click()
    viz.click(7, 7)
    viz.page.locator(".viz-teach-choose").nth(1).click()
    viz.click(1, 1)
    viz.page.wait_for_function("document.querySelector('.viz').viewer.state.get('taught')")
    found = np.array(viz.js("state.get('taught').labels.map(([thing]) => thing)")).reshape(14, 14)
    expected = vizapp.teach(seen, {"a": [(7, 7)], "b": [(1, 1)]}).labels(seen).nearest
    assert (found == expected).mean() > 0.97
    assert 0 < expected.mean() < 1
    explained(viz, vizapp.teach(seen, {"a": [(7, 7)], "b": [(1, 1)]}))
    viz.page.locator("#tabs button").first.click()
    viz.page.locator("#choose .lessons button").first.click()
    viz.wait_for_maps()
    viz.page.go_back()
    viz.wait_for_maps()
    counts = viz.page.locator(".viz-teach-count:visible")
    assert counts.all_inner_texts() == [VIEWER["teach_count_1"]] * 2, "the marks come back, and count once"
    assert not viz.errors
    assert [one for one in viz.requests if not one.startswith(("blob:", "data:"))] == [live.as_uri()]


def explained(viz: Viz, lesson: Lesson) -> None:
    """The second thing is offered among the classes, and is one for the tab "Methods" as it is for Python."""
    viz.page.locator(".viz-teach-things input").nth(1).fill("sky, say")
    viz.page.locator("#tabs button").nth(1).click()
    methods_done(viz)
    choice = viz.page.locator("#methods-target")
    seen = vizapp.analyse(lesson.model, photos()[0])
    thing = EXPORT["methodsThing"].format(thing="sky, say")
    offered = choice.locator("option", has_text=thing)
    offered.wait_for(state="attached")
    share = float(offered.inner_text().removesuffix(" %").split()[-1]) / 100
    assert share == pytest.approx(dict(seen.top(2))["b"], abs=3e-3)
    choice.select_option(offered.inner_text())
    viz.page.get_by_text(EXPORT["methodsTaught"].format(label="sky, say")).wait_for()
    methods_done(viz)
    found = compare(seen, ["value_rollout"], target="b", steps=FINE)
    assert tried(viz, "value_rollout") == pytest.approx(found.curves["value_rollout"].areas, abs=5e-3)
    viz.page.locator("#methods-more").click()
    with viz.page.expect_download() as download:
        viz.page.locator("#methods-csv").click()
    assert download.value.suggested_filename == "cheetah-toy-methods.csv"
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert {row["class"] for row in rows} == {"sky, say"}
