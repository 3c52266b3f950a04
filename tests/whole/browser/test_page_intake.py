"""What a visitor brings to /page: several pictures, a folder, weights; what the browser keeps of it; another network."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import timm
from PIL import Image
from playwright.sync_api import Page, expect
from safetensors.torch import save_file

from support.checkpoints import save_vit
from support.english import INCOMING, LINK
from support.serving import Server, serving
from support.viz import Dragged, Viz
from vizapp.ui.examples import photos
from vizapp.ui.words import words_for

SHOWN = "document.querySelector('.viz').desk.shown"
READY = '.viz[data-state="ready"]'
# Whether a picture of this title stands on the stage.
STANDS = """(title) => {
  const { desk } = document.querySelector(".viz");
  return desk.shown && !desk.wanted && desk.title === title;
}"""


@pytest.fixture
def page(visit_page: Callable[..., Viz]) -> Page:
    return visit_page().page


@pytest.fixture
def visit_page(browser: Any, server: Server) -> Iterator[Callable[..., Viz]]:
    visitors: list[Viz] = []

    def opened(**options: Any) -> Viz:
        viz = Viz(
            browser.new_context(
                **({"viewport": {"width": 1280, "height": 800}, "bypass_csp": True} | options)
            ).new_page(),
            server.url,
        )
        visitors.append(viz)
        viz.page.goto(f"{server.url}page/")
        viz.page.wait_for_selector(READY)
        return viz

    yield opened
    for viz in visitors:
        viz.page.context.close()
        assert viz.errors == []


def choose(page: Page, *paths: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.click("#choose .bring")
    chooser.value.set_files(paths)


def test_several_pictures_make_a_strip_and_each_is_sent_when_it_is_opened(page: Page, album: list[Path]) -> None:
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.url.endswith("/upload") else None)
    (album[0].parent / "notes.txt").write_text("no picture")
    choose(page, *album, album[0].parent / "notes.txt")
    page.wait_for_function(STANDS, arg="5.png")
    expect(page.locator(".strip-said")).to_have_text(INCOMING["others"].format(n=1))
    expect(page.locator(".strip-count")).to_have_text(INCOMING["at"].format(at=1, of=7, name="5.png"))
    assert len(sent) == 1
    page.keyboard.press("ArrowRight")
    page.wait_for_function(STANDS, arg="10.png")
    page.keyboard.press("End")
    page.wait_for_function(STANDS, arg="35.png")
    assert len(sent) == 3, "what the arrow passed was not sent"
    page.keyboard.press("Home")
    page.wait_for_function(STANDS, arg="5.png")
    assert len(sent) == 3, "it is there"
    expect(page.locator(".strip-one").first).to_have_attribute("aria-selected", "true")
    page.click("#lesson-two")
    page.wait_for_function(f"{SHOWN}.picture.startsWith('lesson/two')")
    expect(page.locator(".strip-one[aria-selected=true]")).to_have_count(0)
    page.click(".strip-close")
    expect(page.locator("#strip .strip")).to_be_hidden()


def test_a_folder_is_dropped_and_what_cannot_be_read_is_marked(
    visit_page: Callable[..., Viz], album: list[Path]
) -> None:
    viz = visit_page()
    album[1].write_bytes(b"\x89PNG cut off")
    Dragged(viz, album[0].parent).drop()
    viz.page.wait_for_function(STANDS, arg="album/5.png")
    viz.page.keyboard.press("ArrowRight")
    bad = viz.page.locator(".strip-one").nth(1)
    expect(bad).to_have_class("strip-one is-bad")
    expect(viz.page.locator("#said")).not_to_be_empty()
    expect(viz.page.locator(".strip-one").first).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize(("dropped", "said"), [("notes.txt", "no_picture"), (None, "dropped_text")])
def test_what_is_no_picture_is_said(
    visit_page: Callable[..., Viz], tmp_path: Path, dropped: str | None, said: str
) -> None:
    viz = visit_page()
    if dropped:
        (tmp_path / dropped).write_text("no picture")
        Dragged(viz, tmp_path / dropped).drop()
    else:
        text = Dragged(viz)
        text.data = {"items": [{"mimeType": "text/plain", "data": "words"}], "files": [], "dragOperationsMask": 1}
        text.drop()
    expect(viz.page.locator(".strip-said")).to_have_text(INCOMING[said].format(name=dropped))


def test_five_pictures_are_kept_and_shown_again_after_a_reload_until_they_are_forgotten(
    page: Page, album: list[Path]
) -> None:
    for path in album[:6]:
        choose(page, path)
        page.wait_for_function(STANDS, arg=path.name)
    expect(page.locator("#choose .own button")).to_have_count(5)
    shown = page.evaluate(SHOWN)
    page.reload()
    page.wait_for_function(STANDS, arg=album[5].name)
    assert page.evaluate(SHOWN) == shown
    own = page.get_by_role("group", name=LINK["own"]).get_by_role("button")
    expect(own).to_have_count(5)
    page.get_by_role("button", name=album[2].name).click()
    page.wait_for_function(STANDS, arg=album[2].name)
    expect(page.locator(".own [aria-pressed=true]")).to_have_attribute("title", album[2].name)
    page.click("#choose .forget")
    expect(own).to_have_count(0)
    page.evaluate("location.hash = ''")
    page.reload()
    page.wait_for_selector(READY)
    expect(own).to_have_count(0)


def give(page: Page, path: Path) -> None:
    page.click("#model-chip summary")
    page.locator(".own-weights input").set_input_files(path)


def test_weights_of_ones_own_are_looked_through_and_come_back_as_recent(page: Page, tmp_path: Path) -> None:
    save_vit(tmp_path / "mine.safetensors")
    give(page, tmp_path / "mine.safetensors")
    page.wait_for_function(f"{SHOWN}.model.startsWith('file:')")
    page.click("#lesson-two")
    page.wait_for_function(f"{SHOWN}.model === 'toy'")
    page.click("#model-chip summary")
    page.locator(".recent button").first.click()
    page.wait_for_function(f"{SHOWN}.model.startsWith('file:')")


def test_weights_that_do_not_tell_their_network_are_asked_for_it(page: Page, tmp_path: Path) -> None:
    net = timm.create_model("vit_tiny_patch16_224", num_classes=7)
    save_file(net.state_dict(), tmp_path / "mine.safetensors")
    give(page, tmp_path / "mine.safetensors")
    field = page.locator(".model input")
    page.wait_for_function("document.querySelector('.model input').value.endsWith('?arch=')")
    expect(page.locator("#said")).not_to_be_empty()
    field.press("End")
    page.wait_for_function("document.querySelector('#networks').options.length > 100")
    first = page.evaluate("document.querySelector('#networks').options[0].value")
    assert first.startswith(field.input_value())
    assert "timm:" not in first
    field.press_sequentially("vit_tiny_patch16_224")
    field.press("Enter")
    page.wait_for_function(f"{SHOWN}.model.endsWith('?arch=vit_tiny_patch16_224')")


def test_a_public_page_takes_no_weights_and_makes_a_png_of_what_only_the_browser_reads(
    browser: Any, tmp_path: Path
) -> None:
    with serving("toy", public=True) as public:
        viz = Viz(browser.new_page(bypass_csp=True), public.url)
        viz.page.goto(f"{public.url}page/")
        viz.page.wait_for_selector(READY)
        save_vit(path := tmp_path / "mine.safetensors")
        assert viz.page.locator(".own-weights").is_hidden()
        Dragged(viz, path).drop()
        expect(viz.page.locator(".strip-said")).to_have_text(INCOMING["no_weights"].format(name=path.name))
        Image.new("RGB", (96, 60), "red").save(tmp_path / "board.bmp")
        with viz.page.expect_response("**/upload") as sent:
            Dragged(viz, tmp_path / "board.bmp").drop()
        viz.page.wait_for_function(STANDS, arg="board.bmp")
        assert sent.value.json()[0].endswith("/board.png")
        viz.page.evaluate("document.querySelector('.viz').desk.source.limit = async () => 100")
        choose(viz.page, Path(photos()[0]))
        name, size = Path(photos()[0]).name, math.ceil(Path(photos()[0]).stat().st_size / 2**20)
        expect(viz.page.locator("#said")).to_have_text(INCOMING["large"].format(name=name, size=size, most=0))
        viz.page.context.close()


def test_a_photo_offers_a_network_that_knows_photos(page: Page, pictures: SimpleNamespace) -> None:
    choose(page, pictures.landscape)
    line = page.locator("#offer")
    expect(line).to_be_visible()
    assert "Get DeiT-Ti" in line.locator(".get").inner_text()
    page.keyboard.press("Escape")
    expect(line).to_be_hidden()
    choose(page, pictures.other)
    page.wait_for_function(STANDS, arg=pictures.other.name)
    expect(line).to_be_hidden()


def test_chinese_is_spoken_by_the_strip(browser: Any, server: Server, album: list[Path]) -> None:
    page = browser.new_page(bypass_csp=True)
    page.goto(f"{server.url}page/?lang=zh")
    page.wait_for_selector(READY)
    choose(page, *album[:2])
    expect(page.locator(".strip-count")).to_have_text(
        words_for("zh")["incoming"]["at"].format(at=1, of=2, name=album[0].name)
    )
    page.close()
