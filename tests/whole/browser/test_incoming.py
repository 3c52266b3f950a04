"""Pictures from outside: dropped and pasted anywhere, one or many; what is no picture; the film strip and its links."""

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from support.english import INCOMING
from support.pictures import encoded
from support.serving import Server, come, serving
from support.viz import UNDER_WAY, Dragged, Viz, assert_same, hash_of, painted
from support.waiting import patience
from vizapp.render.moving import write_film
from vizapp.ui import zero_gpu

ONE_PAGE = "as it was left"  # each test brings what it looks at


def drag_text(viz: Viz, kind: str, text: str, target: str = "body") -> bool:
    """Drop text on an element; is it taken, so that the browser goes nowhere?"""
    return viz.page.evaluate(
        """([kind, text, target]) => {
          const bag = new DataTransfer();
          bag.setData(kind, text);
          const how = { bubbles: true, cancelable: true, dataTransfer: bag };
          const taken = ["dragover", "drop"].map((kind) => {
            const event = new DragEvent(kind, how);
            document.querySelector(target).dispatchEvent(event);
            return event.defaultPrevented;
          });
          return taken.every(Boolean);
        }""",
        [kind, text, target],
    )


def uploads(viz: Viz) -> int:
    return sum("gradio_api/upload" in one and "progress" not in one for one in viz.requests)


def strip_of(viz: Viz) -> list[str]:
    """The pictures of the strip; the one that is looked at in brackets, a broken one with an exclamation mark."""
    return viz.page.locator(".strip-one").evaluate_all(
        """(all) => all.map((one) => {
          const name = one.getAttribute("aria-label").split(",")[0] + (one.classList.contains("is-bad") ? "!" : "");
          return one.getAttribute("aria-selected") === "true" ? `[${name}]` : name;
        })"""
    )


def choose(viz: Viz, *paths: Path, button: str = "#pick-pictures", wait: bool = True) -> None:
    """By the button in the drawer of one's own pictures."""
    viz.drawer("plus")
    with viz.page.expect_file_chooser() as chooser:
        viz.page.locator(button).click()
    chooser.value.set_files(paths if button == "#pick-pictures" else paths[0])
    if wait:
        viz.wait_for_maps()


def go_to(viz: Viz, number: int) -> None:
    viz.page.locator(".strip-one").nth(number).click()
    viz.wait_for_maps()


def test_a_public_page_makes_a_png_of_what_only_the_browser_reads(cache: Path, browser: Any, tmp_path: Path) -> None:
    """Alone and in a strip. What the browser cannot show either is answered by the server; a JPEG is sent as it is."""
    bmp, tiff = tmp_path / "board.bmp", tmp_path / "scan.tif"
    for path in (bmp, tiff, tmp_path / "photo.jpg"):
        Image.new("RGB", (96, 60), "red").save(path)
    with serving("toy", public=True) as server:
        viz = come(browser, server.url)
        for path, name in ((bmp, "board.png"), (tmp_path / "photo.jpg", "photo.jpg")):
            Dragged(viz, path).drop()
            viz.wait_for_maps()
            assert viz.js("payload.bitmap.width / payload.bitmap.height") == pytest.approx(96 / 60, rel=0.02)
            assert viz.page.evaluate("window.vizappIncoming.shown").endswith(f"/{name}")
        Dragged(viz, tiff).drop()
        expect(viz.page.locator("body")).to_contain_text("a public page reads JPEG, PNG, WebP, GIF and AVIF")
        choose(viz, tmp_path / "photo.jpg", bmp)
        go_to(viz, 0)
        assert strip_of(viz)[0] == "[board.bmp]"
        assert viz.page.evaluate("window.vizappIncoming.shown").endswith("/board.png")
        viz.page.context.close()


def test_a_picture_that_is_dropped_on_the_big_picture_is_opened(viz: Viz, pictures: SimpleNamespace) -> None:
    """It is opened like an upload: same maps, same link, kept by the browser. The browser does not leave the page."""
    viz.upload(pictures.other)
    wanted, pages = painted(viz), len(viz.page.context.pages)
    viz.page.locator("#choose .gallery-item").nth(1).click()
    viz.wait_for_maps()
    Dragged(viz, pictures.other).drop()
    viz.wait_for_maps()
    assert_same(painted(viz), wanted)
    assert hash_of(viz)["picture"].startswith("upload/")
    viz.drawer("plus")
    expect(viz.page.locator("#keeps-pictures")).to_be_visible()
    expect(viz.page.locator("#strip")).to_be_hidden()
    assert len(viz.page.context.pages) == pages


def test_anywhere_is_a_place_to_drop(viz: Viz, pictures: SimpleNamespace) -> None:
    """On the open drawer, the tabs, and the foot of the page."""
    viz.drawer("plus")
    for place, name, shape in (
        ((100, 130), "landscape", 96 / 60),
        ((900, 60), "square", 1),
        ((640, 790), "landscape", 96 / 60),
    ):
        Dragged(viz, getattr(pictures, name)).drop(place)
        viz.wait_for_maps()
        assert viz.js("payload.bitmap.width / payload.bitmap.height") == pytest.approx(shape, rel=0.02), place
        expect(viz.page.locator("#add")).to_be_hidden()


def test_a_hint_is_seen_while_something_is_dragged_and_a_pasted_picture_is_opened(
    viz: Viz, pictures: SimpleNamespace
) -> None:
    dragged, hint = Dragged(viz, pictures.landscape), viz.page.locator(".drop-hint")
    expect(hint).to_have_count(0)
    for kind in UNDER_WAY:
        dragged.send(kind)
    expect(hint).to_contain_text(INCOMING["drop"])
    before = viz.page.evaluate("document.body.scrollHeight")
    dragged.send("dragCancel")
    expect(hint).to_have_count(0)
    assert viz.page.evaluate("document.body.scrollHeight") == before
    page = viz.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(
        """async () => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 90, height: 30 });
          canvas.getContext("2d").fillRect(10, 10, 20, 20);
          const blob = await new Promise((done) => canvas.toBlob(done));
          await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
        }"""
    )
    page.keyboard.press("ControlOrMeta+v")
    viz.wait_for_maps()
    assert viz.js("payload.bitmap.width / payload.bitmap.height") == pytest.approx(3)
    assert hash_of(viz)["picture"].startswith("upload/")


def test_text_is_pasted_where_text_is_written_and_said_elsewhere(viz: Viz) -> None:
    page, said = viz.page, viz.page.locator(".strip-said")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('swin_t')")
    viz.drawer("model-chip")
    page.focus("#model input")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+v")
    assert page.locator("#model input").input_value() == "swin_t"
    assert said.inner_text() == ""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ControlOrMeta+v")
    expect(said).to_have_text(INCOMING["pasted_text"])
    page.locator(".strip-close").click()
    expect(page.locator("#strip")).to_be_hidden()


def test_what_is_no_picture_is_said_in_words(viz: Viz, tmp_path: Path) -> None:
    """The browser does not leave the page to open the file, and nothing is sent."""
    said, address = viz.page.locator(".strip-said"), viz.page.url
    (tmp_path / "notes.pdf").write_bytes(b"%PDF-1.4")
    viz.requests.clear()
    Dragged(viz, tmp_path / "notes.pdf").drop()
    expect(said).to_have_text(INCOMING["no_picture"].format(name="notes.pdf"))
    assert drag_text(viz, "text/plain", "hello")
    expect(said).to_have_text(INCOMING["dropped_text"])
    assert drag_text(viz, "text/uri-list", "https://example.org/")
    expect(said).to_have_text(INCOMING["dropped_address"])
    assert not drag_text(viz, "text/plain", "swin", "#model input"), "a field takes text as ever"
    (tmp_path / "empty").mkdir()
    Dragged(viz, tmp_path / "empty").drop()
    expect(said).to_have_text(INCOMING["no_pictures"])
    assert uploads(viz) == 0
    assert viz.page.url.partition("#")[0] == address.partition("#")[0]


def test_a_broken_picture_is_said_as_ever(viz: Viz, tmp_path: Path) -> None:
    before = viz.js("payload.id")
    (tmp_path / "broken.png").write_bytes(b"no picture")
    Dragged(viz, tmp_path / "broken.png").drop()
    expect(viz.page.locator(".toast-body").last).to_contain_text("picture")
    assert viz.js("payload.id") == before


def test_a_large_file_is_not_sent(viz: Viz, pictures: SimpleNamespace) -> None:
    viz.page.evaluate("gradio_config.max_file_size = 2 ** 20 * 0.001")
    viz.requests.clear()
    Dragged(viz, pictures.landscape).drop()
    expect(viz.page.locator(".strip-said")).to_contain_text("landscape.png has 1 MB")
    choose(viz, pictures.landscape, pictures.other, wait=False)
    expect(viz.page.locator(".strip-one.is-bad")).to_have_count(1)
    assert uploads(viz) == 0
    viz.page.evaluate("gradio_config.max_file_size = 2 ** 20 * 100")


def test_a_page_in_a_frame_takes_nothing(viz: Viz, server: Server) -> None:
    framed = Viz(viz.page.context.new_page(), server.url)
    framed.page.goto(f"{server.url}?embed=1")
    framed.wait_for_maps()
    assert not drag_text(framed, "text/plain", "hello")
    framed.page.close()
    assert framed.errors == framed.foreign == []


def test_several_are_analysed_when_they_are_looked_at(viz: Viz, album: list[Path]) -> None:
    viz.requests.clear()
    Dragged(viz, *album).drop()
    viz.wait_for_maps()
    assert strip_of(viz) == ["[5.png]", "10.png", "15.png", "20.png", "25.png", "30.png", "35.png"], "as people count"
    assert uploads(viz) == 1
    first = hash_of(viz)["picture"]
    go_to(viz, 2)
    assert strip_of(viz)[2] == "[15.png]"
    assert uploads(viz) == 2
    assert hash_of(viz)["picture"] != first
    for _ in range(3):  # those that are passed by are not sent
        viz.press("ArrowRight")
    viz.wait_for_maps()
    expect(viz.page.locator(".strip-one").nth(5)).to_have_attribute("aria-selected", "true")
    assert uploads(viz) == 3
    expect(viz.page.locator(".strip-count")).to_have_text("6 of 7 \u00b7 30.png")
    viz.press("Home")
    viz.wait_for_maps()
    assert hash_of(viz)["picture"] == first, "the same picture has the same link"
    viz.page.locator(".strip-close").click()
    expect(viz.page.locator("#strip")).to_be_hidden()
    assert hash_of(viz)["picture"] == first, "and stays on the stage"


def test_thumbnails_are_made_by_the_browser(viz: Viz, tmp_path: Path) -> None:
    for name, colour in {"red": (250, 0, 0), "blue": (0, 0, 250)}.items():
        Image.new("RGB", (400, 90), colour).save(tmp_path / f"{name}.png")
    choose(viz, tmp_path / "red.png", tmp_path / "blue.png")
    viz.page.wait_for_function(
        """() => [...document.querySelectorAll(".strip-one canvas")].every(
          (one) => one.getContext("2d").getImageData(56, 56, 1, 1).data[3] === 255)"""
    )
    middles = viz.page.locator(".strip-one canvas").evaluate_all(
        "(all) => all.map((one) => [...one.getContext('2d').getImageData(56, 56, 1, 1).data.slice(0, 3)])"
    )
    assert middles == [[0, 0, 250], [250, 0, 0]]


TAKEN_BACK = "begun > 0 && begun === over"  # what failed, by `delay_what_is_taken_back`


def delay_what_is_taken_back(viz: Viz, first: str) -> None:
    """The server says what the page shows instead of what failed: a second later ("answer"), or asked a second later."""
    viz.page.evaluate(
        """(first) => {
          const fetch = (window.ownFetch = window.fetch);
          window.begun = window.over = 0;
          const second = () => new Promise((done) => setTimeout(done, 1000));
          window.fetch = async (...asked) => {
            const isIt = String(asked[0].url ?? asked[0]).includes("/run/");
            window.begun += isIt;
            if (isIt && first !== "answer") await second();
            const answer = await fetch(...asked);
            if (isIt && first === "answer") await second();
            window.over += isIt;
            return answer;
          };
        }""",
        first,
    )


def test_a_broken_one_says_so_and_the_others_go_on(viz: Viz, album: list[Path]) -> None:
    """The next one waits until it is taken back."""
    album[1].write_bytes(b"no picture")
    choose(viz, *album[:3])
    shown = viz.js("payload.id")
    delay_what_is_taken_back(viz, "answer")
    viz.page.locator(".strip-one").nth(1).click()
    expect(viz.page.locator(".strip-one").nth(1)).to_have_class("strip-one is-bad")
    assert strip_of(viz) == ["[5.png]", "10.png!", "15.png"], "what is on the stage is marked"
    assert viz.js("payload.id") == shown
    assert viz.page.locator(".strip-one").nth(1).get_attribute("title") == f"10.png: {INCOMING['not_shown']}"
    go_to(viz, 2)
    viz.page.wait_for_function(TAKEN_BACK)
    viz.idle()
    assert strip_of(viz) == ["5.png", "10.png!", "[15.png]"]
    assert viz.page.locator("#picture img").get_attribute("src").endswith("15.png"), "what Gradio has is on the stage"
    viz.page.evaluate("window.fetch = ownFetch")
    viz.errors.clear()


def test_what_is_chosen_after_a_broken_one_stays_in_the_box(
    viz: Viz, album: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked late what to show instead, the server knows of the later choice, which is on its way to the stage."""
    analyse, taken_back = zero_gpu.analyse, threading.Event()

    def slow(*asked: Any) -> Any:
        assert taken_back.wait(patience())
        return analyse(*asked)

    album[1].write_bytes(b"no picture")
    delay_what_is_taken_back(viz, "question")
    box = viz.page.locator("#picture input[type=file]")
    box.set_input_files(album[1])
    expect(viz.page.get_by_text("'10.png' is not a picture").first).to_be_visible()
    monkeypatch.setattr(zero_gpu, "analyse", slow)
    box.set_input_files(album[2])
    viz.page.wait_for_function(TAKEN_BACK)
    taken_back.set()
    viz.wait_for_maps()
    viz.idle()
    assert viz.page.locator("#picture img").get_attribute("src").endswith("15.png"), "what Gradio has is on the stage"
    viz.page.evaluate("window.fetch = ownFetch")
    viz.errors.clear()


def test_a_lost_upload_is_said_and_another_picture_leaves_the_strip_where_it_is(viz: Viz, album: list[Path]) -> None:
    choose(viz, *album[:2])
    viz.page.route("**/gradio_api/upload*", lambda route: route.abort())
    viz.page.locator(".strip-one").nth(1).click()
    expect(viz.page.locator(".strip-one").nth(1)).to_have_class("strip-one is-bad")
    viz.page.unroute("**/gradio_api/upload*")
    go_to(viz, 1)
    assert strip_of(viz) == ["5.png", "[10.png]"], "it can be tried again"
    viz.errors.clear()  # of the line that was cut
    viz.lesson("two")
    assert strip_of(viz) == ["5.png", "10.png"]
    Dragged(viz, album[4]).drop()  # a further one is added
    viz.wait_for_maps()
    assert strip_of(viz) == ["5.png", "10.png", "[25.png]"]
    Dragged(viz, album[0]).drop()  # one that is there is gone to
    viz.wait_for_maps()
    assert strip_of(viz) == ["[5.png]", "10.png", "25.png"]


def test_back_leads_to_the_one_before_also_if_it_is_not_among_the_last_five(viz: Viz, album: list[Path]) -> None:
    choose(viz, *album[:6])
    seen = [painted(viz)]
    for number in range(1, 6):
        go_to(viz, number)
        seen.append(painted(viz))
    viz.wait_for_kept(*(one.name for one in album[1:6]))
    for number in range(4, -1, -1):
        viz.page.go_back()
        viz.wait_for_maps()
        assert strip_of(viz)[number] == f"[{album[number].name}]"
        assert_same(painted(viz), seen[number])
        assert viz.page.locator("#link-line p").inner_text() == ""
    # What is looked at again is among the last five: it is shown after a reload, though it was first looked at long ago.
    viz.wait_for_kept(*(one.name for one in album[:5]))
    viz.reload()
    assert_same(painted(viz), seen[0])
    expect(viz.page.locator("#strip")).to_be_hidden()


def test_a_folder_is_a_strip_without_what_is_no_picture(viz: Viz, album: list[Path]) -> None:
    folder = album[0].parent
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "photo.jpg").write_bytes(encoded(Image.new("RGB", (40, 40)), "JPEG"))
    (folder / "notes.txt").write_text("no picture")
    (folder / ".hidden.png").write_bytes(b"")
    Dragged(viz, folder).drop()
    viz.wait_for_maps()
    assert len(strip_of(viz)) == 8
    assert "album/deep/er/photo.jpg" in strip_of(viz)
    expect(viz.page.locator(".strip-said")).to_have_text(INCOMING["others"].format(n=1))
    viz.page.locator(".strip-close").click()
    choose(viz, folder, button="#pick-folder")
    assert "album/deep/er/photo.jpg" in strip_of(viz)


def test_number_and_bytes_are_bounded(viz: Viz) -> None:
    """Files beyond the bounds are named, left out, and not sent."""
    viz.page.evaluate(
        """() => {
          const some = (count, size) => Array.from({ length: count }, (_, at) => {
            const file = new File(["x"], `${size}-${at}.png`, { type: "image/png" });
            Object.defineProperty(file, "size", { value: size });
            return { file, path: file.name };
          });
          const { strip } = vizappIncoming;
          window.left = [strip.add(some(3, 400 * 2 ** 20)).left, strip.add(some(120, 1)).left];
        }"""
    )
    assert viz.page.evaluate("left") == [1, 22], "1 GB, and a hundred"
    assert len(strip_of(viz)) == 100
    viz.page.evaluate("vizappIncoming.close()")  # it is not shown: nothing of it was looked at


MIDDLE, OF_ALL = "-bitmap.width / 2, -bitmap.height / 2", "0, 0, 1, 1"


def colour_of(viz: Viz, where: str = MIDDLE) -> list[int]:
    """Of the picture on the stage: of its middle, or the mean of all."""
    return viz.js(
        f"""(() => {{
          const {{ bitmap }} = payload, pen = new OffscreenCanvas(1, 1).getContext("2d");
          pen.drawImage(bitmap, {where});
          return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        }})()"""
    )


def test_a_film_is_a_strip_of_its_frames(viz: Viz, tmp_path: Path) -> None:
    """The browser reads them, and only the one that is looked at is sent; what it cannot play is said."""
    pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    shades = [np.full((64, 96, 3), 20 * number, dtype=np.uint8) for number in range(8)]
    write_film(((one, 0.1) for one in shades), tmp_path / "dawn.webm", {})
    viz.requests.clear()
    choose(viz, tmp_path / "dawn.webm")
    assert strip_of(viz) == ["[dawn 0.05 s.jpg]", *(f"dawn 0.{number}5 s.jpg" for number in range(1, 8))]
    assert uploads(viz) == 1
    dark = viz.js("payload.bitmap.width"), colour_of(viz, OF_ALL)[0]
    go_to(viz, 7)
    assert uploads(viz) == 2
    assert viz.js("payload.bitmap.width") == dark[0] == 96
    assert colour_of(viz, OF_ALL)[0] > dark[1] + 100
    (tmp_path / "torn.webm").write_bytes(b"no film")
    choose(viz, tmp_path / "torn.webm", wait=False)
    expect(viz.page.locator(".strip-said")).to_have_text(INCOMING["film_unread"].format(name="torn.webm"))
    assert len(strip_of(viz)) == 8


def test_own_pictures_stand_in_the_tray(visit: Callable[..., Viz], album: list[Path]) -> None:
    """A press shows one again, in an entry of the history. They stay where they stand, until they are forgotten."""
    viz = visit()  # a browser that keeps none yet
    own = viz.page.locator("#own-pictures button")
    expect(own).to_have_count(0)
    viz.upload(album[0])
    wanted = painted(viz)
    viz.upload(album[1])
    expect(own).to_have_count(2)
    assert [one.get_attribute("title") for one in own.all()] == [path.name for path in album[:2]]
    expect(own.nth(1)).to_have_attribute("aria-pressed", "true")
    later = painted(viz)
    own.nth(0).click()
    expect(own.nth(0)).to_have_attribute("aria-pressed", "true")
    viz.wait_for_maps()
    assert_same(painted(viz), wanted)
    viz.page.go_back()
    expect(own.nth(1)).to_have_attribute("aria-pressed", "true")
    viz.wait_for_maps()
    assert_same(painted(viz), later)
    again = [one for one in viz.requests if one.endswith("/gradio_api/upload")]  # the box adds a number to its own
    assert not again, "the server has them: none is sent again"
    viz.reload()
    expect(own).to_have_count(2)
    viz.page.locator("#choose .gallery-item").first.click()
    viz.wait_for_maps()
    expect(viz.page.locator("#own-pictures [aria-pressed=true]")).to_have_count(0)
    viz.drawer("plus")
    viz.page.locator("#forget-pictures").click()
    expect(own).to_have_count(0)


def test_pages_of_a_tiff_are_turned(viz: Viz, tmp_path: Path, album: list[Path]) -> None:
    """The control is there for such a file only. The view stays, the address names the page, and a reload comes back to it."""
    one, *others = (Image.new("RGB", (64, 64), colour) for colour in ("red", "lime", "blue"))
    one.save(tmp_path / "pages.tif", save_all=True, append_images=others)
    viz.upload(album[0])
    line = viz.page.locator(".viz-pages")
    expect(line).to_be_hidden()
    viz.upload(tmp_path / "pages.tif")
    expect(line).to_contain_text("Page 1 of 3")
    assert colour_of(viz) == [255, 0, 0]
    before, after = line.locator("button").all()
    expect(before).to_have_attribute("aria-disabled", "true")
    viz.show_map(2)
    sent, asked = uploads(viz), hash_of(viz)
    assert "head" in asked
    after.click()
    expect(line).to_contain_text("Page 2 of 3")
    viz.wait_for_rest()
    assert colour_of(viz) == [0, 255, 0]
    assert hash_of(viz) == asked | {"page": "2"}
    assert uploads(viz) == sent, "the server has the file"
    viz.reload()
    expect(line).to_contain_text("Page 2 of 3")
    after.click()
    expect(line).to_contain_text("Page 3 of 3")
    expect(after).to_have_attribute("aria-disabled", "true")
    viz.wait_for_rest()
    assert colour_of(viz) == [0, 0, 255]
    before.click()
    expect(line).to_contain_text("Page 2 of 3")
    viz.upload(album[0])
    expect(line).to_be_hidden()
    assert "page" not in hash_of(viz)


def test_on_a_phone_the_strip_scrolls_sideways(visit: Callable[..., Viz], album: list[Path]) -> None:
    viz = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    choose(viz, *album)
    assert viz.page.evaluate("document.documentElement.scrollWidth") == 390
    row = viz.page.locator(".strip-row")
    assert row.evaluate("(one) => one.scrollWidth > one.clientWidth + 40")
    go_to(viz, 6)
    viz.page.wait_for_function(
        """() => {
          const { left, right } = document.querySelectorAll(".strip-one")[6].getBoundingClientRect();
          return document.querySelector(".strip-row").scrollLeft > 40 && left >= 0 && right <= 390;
        }"""
    )
    box = viz.page.locator(".strip-one").nth(6).bounding_box()
    assert 0 <= box["x"] <= 390 - box["width"]
    assert box["height"] >= 24
    tray = viz.page.locator("#choose").bounding_box()["y"]
    assert tray - 120 < box["y"] <= tray - box["height"], "at the foot of the window, above the tray"
