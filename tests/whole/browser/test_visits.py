"""Pictures, models and visitors that come and go, on screens of any size, in a real browser."""

import io
import re
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from support.english import PAGE, VIEWER
from support.expected import assert_close, maps_of, opens, percent, seen_by
from support.viz import Viz
from vizapp.ui import examples
from vizapp.ui.viewer.payload import pack

ONE_PAGE = "as it opened"
# What the maps were told about waiting, in order.
HEAR = "((wait) => { viewer.said = []; viewer.wait = (is) => { viewer.said.push(is); wait.call(viewer, is); }; })(viewer.wait)"


def test_another_picture_replaces_the_maps_and_keeps_the_layer(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    by_hand = 0 if viz.js("view.opens.layer") else 1  # one that the page chose itself would not stay
    viz.slide("layer", by_hand + 1)
    viz.display()
    viz.find("colours").select_option("cividis")
    viz.click(1, 1)
    viz.leave()
    viz.upload(pictures.other)
    seen = seen_by(models.registers, pictures.other)
    assert (viz.choice("layer"), viz.choice("colours")) == (by_hand, "cividis")
    assert viz.js("view.pinned") is False
    assert_close(viz.shown(), maps_of(seen.trace)[by_hand].mean(0)[0])
    viz.find("labels-more").click()
    rows = [row.split("\n") for row in viz.find("prediction").locator("div").all_inner_texts()]
    assert rows == [[label, percent(share)] for label, share in seen.top(5)]


def test_another_model_is_shown_with_its_notes(viz: Viz, models: SimpleNamespace) -> None:
    """It is chosen by hand: a click into the field, and typing. Meanwhile the maps say that they are of the model before."""
    viz.slide("layer", 1)
    viz.js(HEAR)
    viz.drawer("model-chip")
    viz.page.get_by_label(PAGE["model"], exact=True).click()
    whole = "({ activeElement: one }) => one.value && one.selectionStart === 0 && one.selectionEnd === one.value.length"
    viz.page.wait_for_function(f"({whole})(document)")
    viz.page.keyboard.type(models.noted)
    viz.page.keyboard.press("Enter")
    viz.wait_for_maps()
    assert viz.js("viewer.said")[0] is True
    viz.page.wait_for_function("document.querySelector('.viz').dataset.waiting === 'false'")
    assert viz.find("notes").inner_text() == "The weights are random."
    assert viz.js("viewer.payload.prefix") == ["cls"]
    assert viz.choice("layer") == viz.js("view.opens.layer"), "another architecture starts where it opens"
    viz.choose_model(models.average)
    assert viz.find("notes").inner_text() == ""
    assert viz.js("view.chosen") == "mean"
    assert [text.strip() for text in viz.find("chips").locator("button").all_inner_texts()] == [VIEWER["chip_mean"]]


def test_the_faster_choice_wins(viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace) -> None:
    """A picture that decodes slowly must not paint itself over the maps of one that was chosen after it."""
    packs = {name: pack(seen_by(models.registers, getattr(pictures, name))) for name in ("landscape", "square")}
    viz.page.route("**/slow.bin", lambda route: route.fulfill(body=packs["landscape"]))
    viz.page.route("**/fast.bin", lambda route: route.fulfill(body=packs["square"]))
    viz.page.evaluate(
        """() => {
          const decode = window.createImageBitmap.bind(window);
          window.createImageBitmap = async (...all) => {
            const late = window.decoding = !("decoding" in window);
            const bitmap = await decode(...all);
            if (late) { await new Promise((go) => setTimeout(go, 700)); window.lateIsDone = true; }
            return bitmap;
          };
        }"""
    )
    viz.js("void viewer.show({file: {url: 'slow.bin'}, bytes: argument})", len(packs["landscape"]))
    viz.page.wait_for_function("'decoding' in window")
    viz.js("void viewer.show({file: {url: 'fast.bin'}, bytes: argument})", len(packs["square"]))
    viz.wait_for_maps()
    viz.page.wait_for_function("window.lateIsDone")
    viz.painted()
    assert viz.js("[stage.bitmap.width, stage.bitmap.height]") == [64, 64]


def test_lost_maps_are_said_and_come_back_by_choosing_again(viz: Viz, models: SimpleNamespace) -> None:
    """An example is one click."""
    maps = re.compile(r"vizapp-.*\.bin")
    viz.page.route(maps, lambda route: route.abort())
    viz.page.locator("#choose .gallery-item").last.click()
    viz.page.wait_for_function(
        "(said) => document.querySelector('.viz-status').textContent.startsWith(said)",
        arg=VIEWER["load_failed"].partition("{")[0],
    )
    viz.page.unroute(maps)
    viz.page.locator("#choose .gallery-item").last.click()
    viz.wait_for_maps()
    seen = seen_by(models.registers, examples.photos()[-1])
    assert_close(viz.shown(), maps_of(seen.trace)[opens(seen)].mean(0)[0])
    viz.errors.clear()  # the browser itself reports the request that was cut


def test_what_has_not_arrived_is_said(visit: Callable[..., Viz]) -> None:
    """The rows of CLS come first: while q and k are on their way, CLS is shown and a patch waits."""
    viz = visit()  # which comes to no rest any more
    viz.js("viewer.payload.arrived = viewer.payload.start + viewer.payload.blocks[`q.0`][0]")
    viz.slide("layer", 1)
    assert len(viz.shown()) == 19
    viz.hover(1, 1)
    assert viz.js("view.map.values") is None
    assert viz.find("status").inner_text() == VIEWER["arriving"]
    viz.leave()
    assert len(viz.shown()) == 19


SIZE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_a_laptop(
    visit: Callable[..., Viz], models: SimpleNamespace, theme: str, request: pytest.FixtureRequest
) -> None:
    viz = visit("?__theme=dark") if theme == "dark" else request.getfixturevalue("viz")
    viz.choose_model(models.noted)  # its note takes a line of its own
    width, height = viz.page.evaluate(SIZE)
    assert width <= 1280
    assert height <= 800
    ink = viz.page.evaluate("getComputedStyle(document.querySelector('.viz-status')).color")
    ink = np.mean([float(part) for part in re.findall(r"[\d.]+", ink)[:3]])
    paper = np.mean(Image.open(io.BytesIO(viz.page.screenshot())).convert("RGB").getpixel((1278, 2)))
    assert (ink > paper) == (theme == "dark")
    assert abs(ink - paper) > 120, "what is written can be read"
    viz.go("atlas")
    names = viz.pixels("atlas")[:, : int(20 * viz.js("atlas.ratio"))]
    written = names[names[..., 3] > 200][:, :3].mean()
    assert (written > 128) == (theme == "dark"), "the names of the layers, which are painted, follow the theme"


def test_a_phone_needs_no_sideways_scroll(visit: Callable[..., Viz], pictures: SimpleNamespace) -> None:
    viz = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    assert viz.page.evaluate(SIZE)[0] <= 390
    viz.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    viz.page.wait_for_function("scrollY > 100")
    viz.upload(pictures.landscape)
    box = viz.find("picture").bounding_box()
    assert -2 <= box["y"] <= 844 - box["height"], "the picture stays in view"
    viz.page.evaluate("scrollTo(0, 0)")
    viz.go("atlas")
    atlas = viz.find("atlas").bounding_box()["height"]
    boxes = viz.js("[...Array(atlas.heads).keys()].map((head) => atlas.box(atlas.rows - 1, head))")
    lowest = max(box["y"] + box["h"] for box in boxes)
    assert lowest == pytest.approx(atlas * viz.js("atlas.ratio"), abs=12), "no hole below the atlas"


def test_each_step_deeper_and_back_is_one_motion(viz: Viz) -> None:
    """And none for who wants none."""
    moves = "state.set({ steps: argument }) || viewer.root.querySelector('.viz-side').getAnimations().length"
    for wish, motions in (("no-preference", 1), ("reduce", 0)):
        viz.page.emulate_media(reduced_motion=wish)
        for is_deeper in (True, False):
            assert viz.js(moves, is_deeper) == motions
            viz.page.wait_for_function("document.querySelector('.viz-side').getAnimations().length === 0")


def test_a_choice_that_fails_lets_the_maps_come_back(viz: Viz) -> None:
    """The maps show that they wait, and then come back painted, with the same numbers."""
    viz.go("atlas")
    before, painted = viz.js("viewer.payload.top"), viz.pixels("atlas")
    viz.js(HEAR)
    viz.choose_model("nonsense:model", wait=False)
    viz.page.get_by_text("unknown source").first.wait_for()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.said.includes(true)")
    viz.idle()
    said = viz.js("viewer.said.map(Boolean)")
    assert (said[0], said[-1]) == (True, False)
    assert viz.js("viewer.payload.top") == before
    assert np.array_equal(viz.pixels("atlas"), painted)
