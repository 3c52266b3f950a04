"""The page in a real browser: its numbers are Python's, its overlay lies right, its controls do what they say."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from checkpoints import save_vit
from PIL import Image

from model.preprocess import Fit
from ui.viz import Viz
from vizapp import pipeline
from vizapp.core.layers import DenseAttention
from vizapp.core.trace import AttentionTrace
from vizapp.pipeline import Analysis
from vizapp.render.colour import lut
from vizapp.ui import examples
from vizapp.ui.viewer.payload import pack
from vizapp.ui.words import PAGE, VIEWER

LAST = 2  # the last layer of the small models


def seen_by(model: str, picture: Path, fit: Fit | None = None) -> Analysis:
    """The same without the page."""
    return pipeline.analyse(pipeline.load(model, "cpu"), str(picture), fit=fit)


def maps_of(trace: AttentionTrace) -> np.ndarray:
    """(layer, head, query, key) of all there is."""
    return np.stack([layer.map().numpy() for layer in trace.layers])


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    """Each row (last axis) within 1 % of its maximum everywhere, and within 0.1 % in the mean: q and k travel as fp16."""
    assert found.shape == expected.shape
    error = np.abs(found - expected) / expected.max(-1, keepdims=True)
    assert error.max() <= 1e-2
    assert error.mean() <= 1e-3


def percent(share: float) -> str:
    """As the page writes it: 23 %, 2.3 %, 0.23 %, 0.023 %."""
    value = 100 * share
    digits = 0 if value == 0 or value >= 9.95 else 1 if value >= 0.995 else 2 if value >= 0.0995 else 3
    return f"{value:.{digits}f}\u00a0%"


# ---- the numbers


def test_the_first_heatmap_appears_with_no_click(viz: Viz, models: SimpleNamespace, cache: Path) -> None:
    """Who opens the page sees the CLS attention of the last layer of the first picture, and what the model says."""
    first = Path(examples.first("scenes", str(cache)))
    seen = seen_by(models.registers, first)
    assert_close(viz.shown(), maps_of(seen.trace)[LAST].mean(0)[0])
    where = VIEWER["where_fused"].format(layer=LAST + 1, fusion="mean")
    assert viz.find("status").inner_text().startswith(where)
    assert viz.find("prediction").locator("div").count() == 5
    assert len(np.unique(viz.pixels()[..., :3].reshape(-1, 3), axis=0)) > 100, "a picture is painted"


@pytest.mark.parametrize("which", ["registers", "average", "wide"])
def test_every_row_and_column_is_pythons(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace, which: str
) -> None:
    """All layers, heads and tokens, in both directions, and the fused ones: computed in the browser from q and k."""
    model = getattr(models, which)
    if which != "registers":
        viz.choose_model(model)
    viz.upload(pictures.landscape)
    trace = seen_by(model, pictures.landscape).trace
    maps, tokens = maps_of(trace), list(range(trace.layout.n_tokens))

    def in_browser(direction: str, heads: list) -> np.ndarray:
        viz.button("direction", direction).click()
        return np.array(
            viz.js(
                """viewer.payload.layers.map((_, layer) => argument[1].map(([heads, head]) => argument[0].map(
                  (token) => Array.from(viewer.values(token, {layer, head, heads, method: "attention"})))))""",
                [tokens, heads],
            )
        )

    one_by_one = [["one", head] for head in range(4)]
    fused = np.stack([maps.mean(1), maps.max(1), maps.min(1)], axis=1)
    fusions = [[fusion, 0] for fusion in ("mean", "max", "min")]
    viz.click(0, 0)  # a mean of patches, which a model without CLS reads, has no column
    assert_close(in_browser("from", one_by_one), maps)
    assert_close(in_browser("from", fusions), fused)
    assert_close(in_browser("to", one_by_one), maps.swapaxes(-1, -2))
    assert_close(in_browser("to", fusions), fused.swapaxes(-1, -2))
    mean = maps[:, :, trace.layout.n_prefix :].mean(2)
    by_name = 'viewer.attention.maps(layer, "mean", "from").map((map) => Array.from(map))'
    named = viz.js(f"viewer.payload.layers.map((_, layer) => {by_name})")
    assert_close(np.array(named), mean)


@pytest.mark.parametrize("fusion", ["mean", "max"])
def test_every_rollout_is_pythons(viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace, fusion: str) -> None:
    """Through each layer, for each token as query and as key, with two strengths of the skip connection."""
    viz.upload(pictures.landscape)
    viz.button("method", "rollout").click()
    viz.button("heads", fusion).click()
    viz.page.wait_for_function(f"document.querySelector('.viz').viewer.attention.hasFused('{fusion}')")
    seen = seen_by(models.registers, pictures.landscape)
    maps, n = maps_of(seen.trace), seen.trace.layout.n_tokens
    fused = maps.mean(1) if fusion == "mean" else maps.max(1)
    for residual in (0.5, 0.2):
        viz.slide("residual", residual)
        joint, through = np.eye(n), []
        for layer in fused:  # by the paper, as whole matrices
            step = residual * np.eye(n) + (1 - residual) * layer
            joint = step / step.sum(-1, keepdims=True) @ joint
            through.append(joint)
        rows = np.stack(through)
        one = pipeline.explain(seen, "rollout", query="1,2", layer=1, fusion=fusion, residual=residual)
        assert_close(one.scores.ravel(), rows[1, seen.trace.layout.token_of(1, 2), seen.trace.layout.n_prefix :])
        mean = rows[:, seen.trace.layout.n_prefix :].mean(1)
        viz.page.wait_for_function(
            "residual => { const { joint } = document.querySelector('.viz').viewer.attention;"
            "              return joint.residual === residual && joint.layers.length === 3; }",
            arg=residual,
        )
        for way in ("from matrices that were multiplied ahead", "layer by layer"):
            for direction, expected in (("from", rows), ("to", rows.swapaxes(-1, -2))):
                viz.button("direction", direction).click()
                if way == "layer by layer":
                    viz.js("viewer.attention.joint = null")
                one = "Array.from(viewer.values(token, {...viewer.choice, layer}))"
                found = viz.js(f"[0, 1, 2].map((layer) => Array.from({{length: argument}}, (_, token) => {one}))", n)
                assert_close(np.array(found), expected)
                assert_close(np.stack([viz.values("mean", layer=layer) for layer in range(3)]), mean)


def test_attention_that_has_no_factors_is_shown_too(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    """Some networks mix their heads after the softmax; then whole matrices travel."""
    seen = seen_by(models.registers, pictures.landscape)
    maps = maps_of(seen.trace)
    layers = tuple(DenseAttention(layer.name, layer.map()) for layer in seen.trace.layers)
    packed = pack(Analysis(**{**vars(seen), "trace": AttentionTrace(**{**vars(seen.trace), "layers": layers})}))
    viz.page.route("**/dense.bin", lambda route: route.fulfill(body=packed))
    viz.js("viewer.show({file: {url: 'dense.bin'}, bytes: argument})", len(packed))
    viz.wait_for_maps()
    assert_close(viz.values(5, heads="one", head=1, layer=1), maps[1, 1, 5])
    viz.button("direction", "to").click()
    assert_close(viz.values(5, heads="one", head=1, layer=1), maps[1, 1, :, 5])


# ---- hand, mouse, keyboard


def test_scrubbing_asks_nothing_of_the_server(viz: Viz) -> None:
    """The whole point of computing in the browser: after the payload, no request, whatever one touches."""
    viz.requests.clear()
    paints = viz.js("viewer.paints")
    for cell in ((0, 0), (1, 2), (3, 3), (2, 1)):
        viz.hover(*cell)
    viz.click(1, 1)
    for key in ("ArrowLeft", "[", "]", ",", ".", "Escape"):
        viz.press(key)
    for name, value in (("layer", 1), ("head", 3), ("opacity", 0.3), ("residual", 0.3)):
        viz.slide(name, value)
    for kind, value in (
        ("heads", "max"),
        ("heads", "mean"),
        ("method", "rollout"),
        ("direction", "to"),
        ("method", "attention"),
    ):
        viz.button(kind, value).click()
    viz.find("colours").select_option("magma")
    viz.find("scale").select_option("all")
    viz.find("smooth").check()
    viz.find("chips").locator("button").nth(1).click()
    viz.find("atlas").click(position={"x": 120, "y": 80})
    viz.find("play").click()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.choice.layer === 1")
    viz.find("play").click()
    assert viz.js("viewer.paints") > paints + 20
    assert viz.requests == []


def test_hover_shows_a_patch_and_leaving_restores(viz: Viz) -> None:
    before, colours = viz.shown(), viz.pixels()
    viz.hover(1, 2)
    assert np.array_equal(viz.shown(), viz.values(3 + 4 + 2)), "three prefix tokens, then patch (1, 2) of four columns"
    assert not np.array_equal(viz.shown(), before)
    assert not np.array_equal(viz.pixels(), colours)
    viz.leave()
    assert np.array_equal(viz.shown(), before)
    assert np.array_equal(viz.pixels(), colours)


def test_a_click_pins_and_a_second_click_releases(viz: Viz) -> None:
    before = viz.shown()
    viz.click(1, 2)
    pinned = viz.shown()
    assert viz.js("[viewer.pinned, viewer.query]") == [True, 9]
    viz.hover(3, 0)
    assert np.array_equal(viz.shown(), pinned), "other patches are only read now"
    words = {"name": "patch (2, 3)", "other": "patch (4, 1)", "share": percent(pinned[3 + 12]), "times": "TIMES"}
    expected = VIEWER["read_from"].format(where=VIEWER["where_fused"].format(layer=LAST + 1, fusion="mean"), **words)
    assert expected.partition("TIMES")[0] in viz.find("status").inner_text()
    viz.leave()
    assert np.array_equal(viz.shown(), pinned)
    viz.click(1, 2)
    viz.leave()
    assert viz.js("viewer.pinned") is False
    assert np.array_equal(viz.shown(), before)


def test_chips_choose_the_tokens_that_are_no_patch(viz: Viz) -> None:
    chips = viz.find("chips").locator("button")
    assert [text.split("\n")[0].split(" ")[0] for text in chips.all_inner_texts()] == ["CLS", "R1", "R2", "all"]
    assert chips.nth(0).get_attribute("aria-pressed") == "true"
    shares = [float(text.split()[1]) for text in chips.all_inner_texts()[:3]]
    assert shares == pytest.approx(list(100 * viz.shown()[:3]), rel=0.06), "each chip tells what its token gets"
    chips.nth(2).click()
    viz.painted()
    assert np.array_equal(viz.shown(), viz.values(2))
    assert chips.nth(2).get_attribute("aria-pressed") == "true"
    chips.nth(3).click()
    viz.painted()
    assert np.array_equal(viz.shown(), viz.values("mean"))
    assert viz.button("direction", "to").is_disabled()
    viz.hover(1, 1)
    assert np.array_equal(viz.shown(), viz.values("mean")), "a chosen token is pinned"
    chips.nth(3).click()
    viz.hover(1, 1)
    assert np.array_equal(viz.shown(), viz.values(3 + 5)), "chosen again, it is only where one returns to"
    viz.leave()
    assert np.array_equal(viz.shown(), viz.values("mean"))


def test_keys_work_inside_the_viewer(viz: Viz) -> None:
    viz.find("stage").focus()
    viz.press("ArrowRight")
    assert viz.js("[viewer.pinned, viewer.cellOf(viewer.query)]") == [True, [2, 2]], (
        "the first arrow starts in the middle"
    )
    for key, cell in (("ArrowLeft", [2, 1]), ("ArrowUp", [1, 1]), ("ArrowRight", [1, 2]), ("ArrowDown", [2, 2])):
        viz.press(key)
        assert viz.js("viewer.cellOf(viewer.query)") == cell
    for _ in range(3):
        viz.press("ArrowDown")
    assert viz.js("viewer.cellOf(viewer.query)") == [3, 2], "the edge holds"
    assert np.array_equal(viz.shown(), viz.values(3 + 14))
    viz.press("[")
    assert viz.choice("layer") == LAST - 1
    viz.press("]")
    viz.press("]")
    assert viz.choice("layer") == LAST
    viz.press(".")
    assert (viz.choice("heads"), viz.choice("head")) == ("one", 0), "from all heads to the first"
    viz.press(".")
    assert viz.choice("head") == 1
    viz.press(",")
    viz.press(",")
    assert viz.choice("head") == 0
    viz.press("Escape")
    assert viz.js("[viewer.pinned, viewer.query]") == [False, 0]
    viz.press(" ")
    assert viz.choice("layer") == 0
    viz.page.wait_for_function("document.querySelector('.viz').viewer.choice.layer === 1")
    viz.press(" ")
    assert viz.js("viewer.controls.playing") is None


def test_brackets_work_on_keyboards_that_need_altgr(viz: Viz) -> None:
    """Which Windows reports as Ctrl + Alt, a Mac as Alt. Ctrl + [ or Alt + arrow stay the browser's own."""

    def layer_after(key: str, **held: bool) -> int:
        event = {"key": key, "bubbles": True, "cancelable": True} | held
        viz.js("viewer.find('stage').dispatchEvent(new KeyboardEvent('keydown', argument))", event)
        return viz.choice("layer")

    assert layer_after("[", ctrlKey=True, altKey=True) == LAST - 1
    assert layer_after("]", altKey=True) == LAST
    assert layer_after("[", ctrlKey=True) == LAST
    assert layer_after("[", metaKey=True) == LAST
    layer_after("ArrowLeft", altKey=True)
    assert viz.js("viewer.pinned") is False


def test_keys_elsewhere_are_not_the_viewers(viz: Viz) -> None:
    """Single-letter keys must not act behind the back of somebody who types, or who only reads (WCAG 2.1.4)."""
    state = "JSON.stringify([viewer.choice, viewer.query, viewer.pinned])"
    keys = ("[", ",", ".", "ArrowDown", "Escape", " ")

    def type_all() -> None:
        before = viz.js(state)
        for key in keys:
            viz.press(key)
        assert viz.js(state) == before

    viz.page.evaluate("document.activeElement.blur()")
    type_all()
    viz.find("scale").select_option("fixed")
    viz.find("fixed").focus()
    before = viz.js("viewer.choice.layer")
    viz.find("fixed").press_sequentially("12.5")
    viz.press("[")
    assert viz.js("[viewer.choice.layer, viewer.query]") == [before, 0]
    assert viz.choice("fixed") > 0.1
    viz.page.get_by_label(PAGE["model"], exact=True).focus()
    type_all()


def test_layer_and_head_by_slider_button_and_atlas(viz: Viz) -> None:
    viz.slide("layer", 1)
    assert np.array_equal(viz.shown(), viz.values(0, layer=0, heads="mean"))
    viz.slide("head", 3)
    assert np.array_equal(viz.shown(), viz.values(0, layer=0, heads="one", head=2))
    assert viz.find("head-value").inner_text() == "3 of 4"
    for fusion in ("max", "min", "mean"):
        viz.button("heads", fusion).click()
        viz.painted()
        assert np.array_equal(viz.shown(), viz.values(0, layer=0, heads=fusion))
    for row, column, where in (
        (1, 3, VIEWER["where_head"].format(layer=2, head=4)),
        (2, 4, VIEWER["where_fused"].format(layer=3, fusion="mean")),
        (0, 5, VIEWER["where_rollout"].format(layer=1)),
    ):
        box, ratio = viz.js("[viewer.atlas.box(...argument), viewer.atlas.ratio]", [row, column])
        viz.find("atlas").click(
            position={"x": (box["x"] + box["w"] / 2) / ratio, "y": (box["y"] + box["h"] / 2) / ratio}
        )
        viz.painted()
        assert viz.find("status").inner_text().startswith(where)
        assert viz.js("viewer.selectedCell()") == {"row": row, "column": column}


def test_the_scale_says_what_the_top_colour_is(viz: Viz) -> None:
    maps = np.array(
        viz.js("viewer.payload.layers.map((_, l) => viewer.attention.maps(l, 0, 'from').map((m) => Array.from(m)))")
    )
    viz.button("heads", "one").click()
    viz.find("scale").select_option("map")
    assert viz.js("viewer.shown.high") == pytest.approx(maps[LAST, 0, 3:].max())
    for scale, part in (("layer", maps[LAST]), ("all", maps)):
        viz.find("scale").select_option(scale)
        assert viz.js("viewer.shown.high") >= part[..., 3:].max() * (1 - 1e-6)
    viz.find("scale").select_option("fixed")
    viz.find("fixed").fill("20")
    assert viz.js("viewer.shown.high") == pytest.approx(0.2)
    assert viz.find("high").inner_text() == VIEWER["legend_from"].format(share="20\u00a0%", times="3.8")


# ---- the overlay


@pytest.mark.parametrize(
    ("which", "fit", "colours"),
    [
        ("registers", "as_trained", "viridis"),
        ("registers", "pad", "magma"),
        ("wide", "as_trained", "cividis"),
        ("average", "squash", "viridis"),
    ],
)
def test_every_patch_is_painted_where_the_model_saw_it(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace, which: str, fit: str, colours: str
) -> None:
    """Read back from the canvas: the colour at the centre of each patch is the colour of Python's value there.

    The places are computed from Python's Frame, not from the viewer's own geometry. What was not seen is grey.
    """
    model = getattr(models, which)
    if which != "registers":
        viz.choose_model(model)
    viz.upload(pictures.landscape)
    if fit != "as_trained":
        viz.page.get_by_label(PAGE["fit"], exact=True).click()
        viz.page.get_by_role("option", name=PAGE[f"fit_{fit}"]).click()
        viz.wait_for_maps()
    seen = seen_by(model, pictures.landscape, None if fit == "as_trained" else fit)
    viz.find("colours").select_option(colours)
    viz.find("by-value").uncheck()
    viz.find("grid").uncheck()
    viz.slide("opacity", 1)
    painted = viz.pixels()
    height, width = seen.picture.shape[:2]
    scale = min(painted.shape[1] / width, painted.shape[0] / height)
    left, top = (painted.shape[1] - width * scale) / 2, (painted.shape[0] - height * scale) / 2

    def colour_at(x: float, y: float) -> np.ndarray:  # in pixels of the user's own picture
        return painted[int(top + y * scale), int(left + x * scale)].astype(int)

    scores = pipeline.explain(seen, "attention").scores
    steps = np.minimum(255, 256 * scores / scores.max()).astype(int)
    checked = 0
    for row, col in np.ndindex(scores.shape):
        box = seen.frame.box_of(row, col, scores.shape)
        for x, y in ((0.5, 0.5), (0.1, 0.1), (0.9, 0.9)):
            x, y = box[0] + x * (box[2] - box[0]), box[1] + y * (box[3] - box[1])
            if 0 < x < width and 0 < y < height:
                expected = lut(colours)[steps[row, col]].astype(int)
                assert np.abs(colour_at(x, y)[:3] - expected).max() <= 4, (row, col)
                checked += 1
    assert checked >= 24
    if seen.frame.origin[1] > 0:  # cropped
        corners = [colour_at(x, y) for x in (1, width - 1) for y in (1, height - 1)]
        assert all(np.ptp(corner[:3]) <= 2 for corner in corners), "the sides, which the model never saw, are grey"
    if fit == "pad":
        assert painted[2, painted.shape[1] // 2, 3] == 0, "nothing is painted on the padding, outside the picture"


def test_the_picture_shows_through(viz: Viz) -> None:
    """Opacity 0 is the plain picture; more of it is more of the map."""
    viz.slide("opacity", 0)
    plain = viz.pixels()
    viz.slide("opacity", 0.4)
    some = viz.pixels()
    viz.slide("opacity", 0.8)
    assert 0 < np.abs(some - plain.astype(int)).mean() < np.abs(viz.pixels() - plain.astype(int)).mean()


# ---- another picture, another model, another visitor


def test_another_picture_replaces_the_maps_and_keeps_the_layer(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    viz.slide("layer", 1)
    viz.find("colours").select_option("cividis")
    viz.click(1, 1)
    viz.leave()
    viz.upload(pictures.other)
    seen = seen_by(models.registers, pictures.other)
    assert (viz.choice("layer"), viz.choice("colours")) == (0, "cividis")
    assert viz.js("viewer.pinned") is False
    assert_close(viz.shown(), maps_of(seen.trace)[0].mean(0)[0])
    rows = [row.split("\n") for row in viz.find("prediction").locator("div").all_inner_texts()]
    assert rows == [[label, percent(share)] for label, share in seen.top(5)]


def test_two_visitors_at_once_see_their_own(
    visit: Callable[..., Viz], models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    chosen = (pictures.landscape, pictures.square)
    visitors = [visit(viewport={"width": 1280, "height": 800}) for _ in chosen]
    for _ in range(2):
        for visitor, picture in zip(visitors, chosen, strict=True):
            visitor.upload(picture, wait=False)
        for visitor, picture in zip(visitors, chosen, strict=True):
            visitor.wait_for_maps()
            assert_close(visitor.shown(), maps_of(seen_by(models.registers, picture).trace)[LAST].mean(0)[0])
        chosen = chosen[::-1]


def test_examples_are_one_click(viz: Viz, models: SimpleNamespace) -> None:
    viz.page.locator("#choose .gallery-item").last.click()
    viz.wait_for_maps()
    last = examples.photos()[-1]
    assert_close(viz.shown(), maps_of(seen_by(models.registers, last).trace)[LAST].mean(0)[0])


def test_another_model_is_shown_with_its_notes(viz: Viz, models: SimpleNamespace) -> None:
    viz.slide("layer", 1)
    viz.choose_model(models.noted)
    assert viz.find("notes").inner_text() == "The weights are random."
    assert viz.js("viewer.payload.prefix") == ["cls"]
    assert viz.choice("layer") == LAST, "another architecture starts at its last layer"
    viz.choose_model(models.average)
    assert viz.find("notes").inner_text() == ""
    assert viz.js("viewer.query") == "mean"
    assert [text.strip() for text in viz.find("chips").locator("button").all_inner_texts()] == [VIEWER["chip_mean"]]


def test_an_unknown_model_is_a_message_and_nothing_is_lost(viz: Viz, models: SimpleNamespace) -> None:
    before = viz.shown()
    viz.choose_model("timm:vit_tinny_patch16_224", wait=False)
    toast = viz.page.get_by_test_id("toast-body")
    toast.wait_for()
    assert "Did you mean vit_tiny_patch16_224" in toast.inner_text()
    assert np.array_equal(viz.shown(), before)
    model = viz.page.get_by_label("Model").first
    viz.page.wait_for_function("box => !box.value.includes('tinny')", arg=model.element_handle())
    viz.hover(1, 1)
    assert np.array_equal(viz.shown(), viz.values(3 + 5))
    viz.choose_model(models.wide)
    assert viz.js("viewer.payload.grid") == [4, 6]


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
    assert viz.js("[viewer.stage.bitmap.width, viewer.stage.bitmap.height]") == [64, 64]


def test_lost_maps_are_said_and_come_back_by_choosing_again(viz: Viz) -> None:
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
    viz.errors.clear()  # the browser itself reports the request that was cut


def test_what_has_not_arrived_is_said(viz: Viz) -> None:
    """The rows of CLS come first: while q and k are on their way, CLS is shown and a patch waits."""
    viz.js("viewer.payload.arrived = viewer.payload.start + viewer.payload.blocks[`q.0`][0]")
    viz.slide("layer", 1)
    assert len(viz.shown()) == 19
    viz.hover(1, 1)
    assert viz.js("viewer.shown.values") is None
    assert viz.find("status").inner_text() == VIEWER["arriving"]
    viz.leave()
    assert len(viz.shown()) == 19


# ---- the room it takes


SIZE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_a_laptop(visit: Callable[..., Viz], models: SimpleNamespace, theme: str) -> None:
    viz = visit(f"?__theme={theme}")
    viz.choose_model(models.noted)  # its note takes a line of its own
    width, height = viz.page.evaluate(SIZE)
    assert width <= 1280
    assert height <= 800
    ink = viz.page.evaluate("getComputedStyle(document.querySelector('.viz-status')).color")
    ink = np.mean([float(part) for part in re.findall(r"[\d.]+", ink)[:3]])
    paper = np.mean(Image.open(io.BytesIO(viz.page.screenshot())).convert("RGB").getpixel((1278, 2)))
    assert (ink > paper) == (theme == "dark")
    assert abs(ink - paper) > 120, "what is written can be read"
    names = viz.pixels("atlas")[:, : int(20 * viz.js("viewer.atlas.ratio"))]
    written = names[names[..., 3] > 200][:, :3].mean()
    assert (written > 128) == (theme == "dark"), "the names of the layers, which are painted, follow the theme"


def test_a_phone_needs_no_sideways_scroll(visit: Callable[..., Viz]) -> None:
    viz = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    assert viz.page.evaluate(SIZE)[0] <= 390
    viz.page.touchscreen.tap(*viz.point(1, 1))
    viz.painted()
    assert viz.js("[viewer.pinned, viewer.query]") == [True, 3 + 5]
    viz.page.click("#to-choose")
    lesson = viz.page.locator("#lesson-clutter")
    assert viz.page.evaluate("scrollY") > 600
    lesson.tap()
    viz.wait_for_maps()
    viz.page.wait_for_function("scrollY < 300", timeout=10_000)  # back to what was chosen
    atlas = viz.find("atlas").bounding_box()["height"]
    last = viz.js("viewer.atlas.box(viewer.atlas.rows - 1, 0)")
    assert last["y"] + last["h"] == pytest.approx(atlas * viz.js("viewer.atlas.ratio"), abs=12), (
        "no hole below the atlas"
    )


def test_what_is_typed_takes_the_place_of_the_model_before(viz: Viz, tmp_path: Path) -> None:
    """By hand: a click into the field, and typing. Meanwhile the maps say that they are of the model before."""
    name = save_vit(tmp_path / "typed.safetensors", num_classes=3)
    viz.js(
        "((wait) => { viewer.said = []; viewer.wait = (is) => { viewer.said.push(is); wait.call(viewer, is); }; })(viewer.wait)"
    )
    viz.page.get_by_label(PAGE["model"], exact=True).click()
    viz.page.wait_for_timeout(200)
    viz.page.keyboard.type(name)
    viz.page.keyboard.press("Enter")
    viz.wait_for_maps()
    assert viz.js("viewer.payload.top.length") == 3
    assert viz.js("viewer.said")[0] is True
    viz.page.wait_for_function("document.querySelector('.viz').dataset.waiting === 'false'")


def test_a_choice_that_fails_lets_the_maps_come_back(viz: Viz) -> None:
    viz.choose_model("nonsense:model", wait=False)
    viz.page.get_by_text("unknown source").first.wait_for()
    viz.page.wait_for_function("document.querySelector('.viz').dataset.waiting === 'false'")
