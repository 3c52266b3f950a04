"""The page wherever it runs, by the gestures of a visitor: with a server, from a disk, and as files on a web server.

Each cell of the table is a test. Where a host cannot do something, it has no button for it, or says so: `WITHOUT`. The camera and
films are in test_moving.py, the line that is lost and a server behind a proxy in test_page_hosts.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vizapp
from support.english import INCOMING
from support.hub import answering
from support.one_file import rows_by, rows_of, visited
from support.serving import Server
from support.viz import Dragged, Viz, saved
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.browser.site import site
from vizapp.core.trust.faithfulness import FINE
from vizapp.ui.words import words_for

PASTE = """async (url) => {
  const bytes = await (await fetch(url)).arrayBuffer();
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""
OWN = "document.querySelector('.viz').desk.shown?.picture.startsWith('upload/') && !document.querySelector('.viz').desk.wanted"
AREAS = """() => [...document.querySelectorAll('#methods-table tr[data-method]')]
  .map((row) => [row.dataset.method, ...[...row.cells].slice(2).map((cell) => Number(cell.textContent))])"""


@dataclass
class Host:
    """Where the page is, and its visitor; `own`: a picture of the visitor's, and its file."""

    name: str
    viz: Viz
    own: np.ndarray
    file: Path

    def bring(self, *paths: Path) -> None:
        with self.viz.page.expect_file_chooser() as chooser:
            self.viz.page.click("#choose .bring")
        chooser.value.set_files(paths)

    def has_own(self) -> None:
        """The maps of the visitor's picture are Python's."""
        self.viz.page.wait_for_function(OWN)
        self.viz.wait_for_rest()
        np.testing.assert_allclose(rows_of(self.viz), rows_by(vizapp.analyse("toy", self.own)), atol=2e-3)


@pytest.fixture(scope="module", params=["server", "disk", "site"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The name of a host, and the page's address there."""
    if request.param == "server":
        server: Server = request.getfixturevalue("server")
        yield "server", f"{server.url}page/"
        return
    folder = tmp_path_factory.mktemp(request.param)
    cargo = content(Wanted(("toy", "registers"), lessons=True))
    if request.param == "disk":
        one_file(cargo, folder / "page.html")
        yield "disk", (folder / "page.html").as_uri()
        return
    site(cargo, folder / "site")
    with answering(SimpleHTTPRequestHandler, directory=folder / "site") as address:
        yield "site", f"{address}/"


@pytest.fixture
def host(place: tuple[str, str], browser: Any, tmp_path: Path) -> Iterator[Host]:
    name, address = place
    own = np.random.default_rng(1).integers(0, 256, (150, 200, 3), dtype=np.uint8)
    Image.fromarray(own).save(tmp_path / "own.png")
    viz = visited(browser, address, "#v=1&picture=lesson/two/1&model=toy")
    yield Host(name, viz, own, tmp_path / "own.png")
    assert viz.errors == []
    assert [one for one in viz.foreign if not one.startswith(address.split("page/")[0])] == []
    viz.page.context.close()


def first_map(host: Host) -> None:
    assert host.viz.shown().size > 0
    assert host.viz.pixels().std() > 0


def hover(host: Host) -> None:
    host.viz.hover(1, 1)
    assert "patch (2, 2)" in host.viz.find("status").inner_text()


def hold(host: Host) -> None:
    host.viz.click(1, 1)
    host.viz.leave()
    assert host.viz.js("state.get('pinned')") is True
    assert "patch (2, 2)" in host.viz.find("status").inner_text()


def layer(host: Host) -> None:
    before = host.viz.shown()
    host.viz.slide("layer", 1)
    assert host.viz.js("view.layer") == 0
    assert not np.array_equal(host.viz.shown(), before)


def head(host: Host) -> None:
    host.viz.show_map(2)
    assert host.viz.js("[state.get('head'), state.get('fusion')]") == [1, "one"]


def rollout(host: Host) -> None:
    before = host.viz.shown()
    host.viz.show_map("rollout")
    host.viz.wait_for_rest()
    assert not np.array_equal(host.viz.shown(), before)
    assert host.viz.shown().sum() == pytest.approx(1, abs=0.01)


def play(host: Host) -> None:
    before = host.viz.js("view.layer")
    host.viz.find("play").click()
    host.viz.wait_for("view.layer !== argument", before)
    host.viz.find("play").click()


def own_by_button(host: Host) -> None:
    host.bring(host.file)
    host.has_own()


def own_by_drop(host: Host) -> None:
    Dragged(host.viz, host.file).drop()
    host.has_own()


def own_by_paste(host: Host) -> None:
    url = host.viz.page.evaluate(
        "(bytes) => URL.createObjectURL(new Blob([new Uint8Array(bytes)]))", list(host.file.read_bytes())
    )
    host.viz.page.evaluate(PASTE, url)
    host.has_own()


def several(host: Host) -> None:
    other = host.file.with_name("zebra.png")
    Image.fromarray(host.own[::-1].copy()).save(other)
    host.bring(other, host.file)
    host.has_own()
    expect(host.viz.page.locator(".strip-count")).to_have_text(INCOMING["at"].format(at=1, of=2, name="own.png"))
    host.viz.page.keyboard.press("ArrowRight")
    host.viz.page.wait_for_function("document.querySelector('.viz').desk.title === 'zebra.png'")


def another_model(host: Host) -> None:
    host.viz.page.click("#model-chip summary")
    field = host.viz.page.locator("#model-chip .model :is(select, input)")
    if host.name == "server":
        field.fill("registers")
        field.press("Enter")
    else:
        field.select_option("registers")
    host.viz.wait_for_maps()
    assert host.viz.js("payload.model") == "registers"


def search(host: Host) -> None:
    host.viz.page.click("#model-chip summary")
    host.viz.page.focus("#model-chip .model input")
    host.viz.page.wait_for_function("document.querySelector('#networks').options.length > 300")


def language(host: Host) -> None:
    before = host.viz.js("payload.id")
    with host.viz.leaving():
        host.viz.page.locator("#languages a").first.click()
        host.viz.page.wait_for_function("document.documentElement.lang.startsWith('zh')")
        host.viz.wait_for_maps()
    assert host.viz.js("payload.id") == before
    expect(host.viz.page.get_by_role("tab", name=words_for("zh")["page"]["tab_methods"])).to_be_visible()


def history(host: Host) -> None:
    """Back, forward, and a reload with a picture of one's own."""
    first = host.viz.js("payload.id")
    host.bring(host.file)
    host.has_own()
    host.viz.slide("layer", 2)
    host.viz.idle()
    host.viz.page.go_back()
    host.viz.wait_for("payload.id === argument", first)
    host.viz.page.go_forward()
    host.has_own()
    host.viz.reload()
    host.has_own()
    assert host.viz.js("view.layer") == 1


def steps(host: Host) -> None:
    host.viz.go("steps")
    host.viz.wait_for_rest()
    assert host.viz.find("steps").is_visible()
    assert host.viz.page.locator(".viz-steps canvas, .viz-steps svg").count() > 0


def methods(host: Host) -> None:
    """Six at least, for a class that is chosen: the curves' areas are Python's."""
    host.bring(host.file)
    host.has_own()
    host.viz.tab("methods")
    host.viz.page.wait_for_function(f"({AREAS})().length >= 7 && document.querySelector('#methods-stop').disabled")
    choice = host.viz.page.locator("#methods-run select").first
    label = choice.locator("option").nth(1).inner_text().split(" · ")[0]
    choice.select_option(index=1)
    host.viz.page.wait_for_function(f"({AREAS})().length >= 7 && document.querySelector('#methods-stop').disabled")
    seen = vizapp.analyse("toy", host.own)
    shown = {name: areas for name, *areas in host.viz.page.evaluate(AREAS)}
    some = [name for name in ("rollout", "attention", "legrad", "transformer_attribution") if name in shown]
    for row in vizapp.compare(seen, some, target=label, steps=FINE).rows():
        if row["method"] in some:
            assert shown[row["method"]] == pytest.approx([row["deletion"], row["insertion"]], abs=2e-3)


def teach(host: Host) -> None:
    host.viz.go("teach")
    host.viz.click(0, 1)
    host.viz.page.locator(".viz-teach-choose").nth(1).click()
    host.viz.click(9, 9)
    host.viz.wait_for("state.get('taught')?.run === payload.run")
    assert {thing for thing, *_ in host.viz.js("state.get('taught').labels")} == {0, 1}


def chapter(host: Host) -> None:
    host.viz.open_book()
    assert host.viz.find("book").is_visible()
    host.viz.close_book()


def present(host: Host) -> None:
    before = host.viz.find("picture").bounding_box()["width"]
    host.viz.find("present").click()
    host.viz.painted()
    assert host.viz.find("picture").bounding_box()["width"] > before
    host.viz.press("Escape")
    host.viz.wait_until("() => !document.querySelector('.viz-presented')")


def save(host: Host, ending: str) -> None:
    data = saved(host.viz, "map" if ending == "npz" else "overlay", ending)
    assert data[:2] == {"png": b"\x89P", "npz": b"PK"}[ending]


def page(host: Host) -> None:
    host.viz.find("save").locator("summary").click()
    with host.viz.page.expect_download() as download:
        host.viz.page.locator('.viz button[data-format="html"]').click()
    text = Path(download.value.path()).read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert len(text) > 100_000


GESTURES: dict[str, Callable[[Host], None]] = {
    one.__name__: one
    for one in (first_map, hover, hold, layer, head, rollout, play, own_by_button, own_by_drop, own_by_paste, several)
} | {
    one.__name__: one
    for one in (another_model, search, language, history, steps, methods, teach, chapter, present, page)
}
GESTURES |= {"png": partial(save, ending="png"), "npz": partial(save, ending="npz")}
# What a host has no button for: the list of a file is whole, and the file is the page.
WITHOUT = {"search": "#model-chip .model input", "page": '.viz button[data-format="html"]:visible'}


@pytest.mark.parametrize("gesture", GESTURES)
def test_the_page_does_it(host: Host, gesture: str) -> None:
    if host.name != "server" and gesture in WITHOUT:
        host.viz.find("save").locator("summary").click()
        assert host.viz.page.locator(WITHOUT[gesture]).count() == 0
    else:
        GESTURES[gesture](host)
