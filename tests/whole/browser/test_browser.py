"""The page in a real browser: its numbers are Python's, its overlay lies right, its controls do what they say."""

from types import SimpleNamespace

import numpy as np
import pytest

from support.english import PAGE, VIEWER
from support.expected import percent, seen_by
from support.viz import Viz
from vizapp import pipeline
from vizapp.render.colour import lut

LAST = 2  # the last layer of the small models

ONE_PAGE = "as it opened"


@pytest.fixture
def viz(viz: Viz) -> Viz:
    """The page on its last layer, wherever it opened."""
    viz.slide("layer", LAST + 1)
    return viz


def test_scrubbing_asks_nothing_of_the_server(viz: Viz) -> None:
    """The whole point of computing in the browser: after the payload, no request. The first gestures: tests/page."""
    viz.requests.clear()
    paints = viz.js("viewer.paints")
    for name, value in (("head", 3), ("opacity", 0.3), ("skip", 0.3)):
        viz.slide(name, value)
    viz.display()
    viz.button("fusion", "max").click()
    viz.button("fusion", "mean").click()
    viz.find("colours").select_option("magma")
    viz.find("scale").select_option("all")
    viz.find("smooth").check()
    viz.find("chips").locator("button").nth(1).click()
    viz.go("atlas")
    viz.find("atlas").click(position={"x": 120, "y": 80})
    viz.go(None)
    viz.go("score")
    viz.go(None)
    viz.find("play").click()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.layer === 1")
    viz.find("play").click()
    assert viz.js("viewer.paints") > paints + 10
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
    assert viz.js("[view.pinned, view.chosen]") == [True, 9]
    viz.hover(3, 0)
    assert np.array_equal(viz.shown(), pinned), "other patches are only read now"
    words = {"name": "patch (2, 3)", "other": "patch (4, 1)", "share": percent(pinned[3 + 12]), "times": "TIMES"}
    expected = VIEWER["read_from"].format(where=VIEWER["where_mean"].format(layer=LAST + 1), **words)
    assert expected.partition("TIMES")[0] in viz.find("status").inner_text()
    viz.leave()
    assert np.array_equal(viz.shown(), pinned)
    viz.click(1, 2)
    viz.leave()
    assert viz.js("view.pinned") is False
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
    assert viz.js("[view.pinned, view.here.queries.cellOf(view.chosen)]") == [True, [2, 2]], (
        "the first arrow starts in the middle"
    )
    for key, cell in (("ArrowLeft", [2, 1]), ("ArrowUp", [1, 1]), ("ArrowRight", [1, 2]), ("ArrowDown", [2, 2])):
        viz.press(key)
        assert viz.js("view.here.queries.cellOf(view.chosen)") == cell
    for _ in range(3):
        viz.press("ArrowDown")
    assert viz.js("view.here.queries.cellOf(view.chosen)") == [3, 2], "the edge holds"
    assert np.array_equal(viz.shown(), viz.values(3 + 14))
    viz.press("[")
    assert viz.choice("layer") == LAST - 1
    viz.press("]")
    viz.press("]")
    assert viz.choice("layer") == LAST
    viz.press(".")
    assert (viz.choice("fusion"), viz.choice("head")) == ("one", 0), "from all heads to the first"
    viz.press(".")
    assert viz.choice("head") == 1
    viz.press(",")
    viz.press(",")
    assert viz.choice("head") == 0
    viz.press("Escape")
    assert viz.js("[view.pinned, view.chosen]") == [False, 0]
    viz.press(" ")
    assert viz.choice("layer") == 0
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.layer === 1")
    viz.press(" ")
    assert viz.find("play").get_attribute("aria-pressed") == "false"


def test_keys_go_on_behind_a_door(viz: Viz) -> None:
    """A door is hidden once one is through it, and so is what leads back: the focus must not be lost with it."""
    for there, layer in (("number", LAST - 1), ("back", LAST), ("wide", LAST - 1), ("back", LAST)):
        viz.find(there).focus()
        viz.press("Enter")
        viz.press("[" if layer < LAST else "]")
        assert viz.choice("layer") == layer


def test_all_keys_are_listed_behind_a_question_mark(viz: Viz) -> None:
    viz.find("stage").focus()
    viz.press("?")
    listed = viz.page.locator(".viz-keys-more kbd").all_inner_texts()
    heard = viz.js("viewer.panels.filter(({ name }) => name === 'doors').flatMap(({ keys }) => Object.keys(keys))")
    assert set(heard) == {"n", "a", "o", "t", "b"} <= set(listed)
    assert set(listed) >= {"[", "]", ",", ".", "p", VIEWER["key_escape"], VIEWER["key_space"]}
    viz.press("Escape")
    assert not viz.page.locator(".viz-keys-more").evaluate("(box) => box.open")
    viz.press("?")
    assert viz.page.locator(".viz-keys-more").evaluate("(box) => box.open"), "from its own button, too"
    viz.press("Escape")


def test_brackets_work_on_keyboards_that_need_altgr(viz: Viz) -> None:
    """Windows reports AltGr as Ctrl + Alt, a Mac as Alt. Ctrl + [ and Alt + arrow must still reach the browser."""

    def layer_after(key: str, **held: bool) -> int:
        event = {"key": key, "bubbles": True, "cancelable": True} | held
        viz.js("find('stage').dispatchEvent(new KeyboardEvent('keydown', argument))", event)
        return viz.choice("layer")

    assert layer_after("[", ctrlKey=True, altKey=True) == LAST - 1
    assert layer_after("]", altKey=True) == LAST
    assert layer_after("[", ctrlKey=True) == LAST
    assert layer_after("[", metaKey=True) == LAST
    layer_after("ArrowLeft", altKey=True)
    assert viz.js("view.pinned") is False


def test_keys_elsewhere_are_not_the_viewers(viz: Viz) -> None:
    """Single-letter keys must not act behind the back of somebody who types, or who only reads (WCAG 2.1.4)."""
    state = "JSON.stringify(state.all())"
    keys = ("[", ",", ".", "ArrowDown", "Escape", " ")

    def type_all() -> None:
        before = viz.js(state)
        for key in keys:
            viz.press(key)
        assert viz.js(state) == before

    viz.page.evaluate("document.activeElement.blur()")
    type_all()
    viz.display()
    viz.find("scale").select_option("fixed")
    viz.find("fixed").focus()
    before = viz.js("view.layer")
    viz.find("fixed").press_sequentially("12.5")
    viz.press("[")
    assert viz.js("[view.layer, view.chosen]") == [before, 0]
    assert viz.choice("fixed") > 0.1
    viz.drawer("model-chip")
    viz.page.get_by_label(PAGE["model"], exact=True).focus()
    type_all()


def test_escape_leads_back_from_a_button_of_the_page(viz: Viz) -> None:
    viz.go("atlas")
    viz.page.locator("#plus").focus()
    viz.press("Escape")
    assert viz.choice("depth") == "picture"
    viz.go("atlas")
    viz.drawer("plus")
    viz.press("Escape")
    assert viz.page.locator("#plus").get_attribute("aria-expanded") == "false", "what is open is closed first"
    assert viz.choice("depth") == "wide"


def test_layer_and_head_by_slider_button_and_atlas(viz: Viz) -> None:
    viz.slide("layer", 1)
    assert np.array_equal(viz.shown(), viz.values(0, layer=0, fusion="mean"))
    viz.slide("head", 3)
    assert np.array_equal(viz.shown(), viz.values(0, layer=0, fusion="one", head=2))
    assert viz.find("head-value").inner_text() == "3 of 4"
    viz.display()
    for fusion in ("max", "min", "mean"):
        viz.button("fusion", fusion).click()
        viz.painted()
        assert np.array_equal(viz.shown(), viz.values(0, layer=0, fusion=fusion))
    viz.go("atlas")
    for row, column, where in (
        (1, 3, VIEWER["where_head"].format(layer=2, head=4)),
        (2, 4, VIEWER["where_mean"].format(layer=3)),
        (0, 5, VIEWER["where_rollout"].format(layer=1)),
    ):
        box, ratio = viz.js("[atlas.box(...argument), atlas.ratio]", [row, column])
        viz.find("atlas").click(
            position={"x": (box["x"] + box["w"] / 2) / ratio, "y": (box["y"] + box["h"] / 2) / ratio}
        )
        viz.painted()
        assert viz.find("status").inner_text().startswith(where)
        assert viz.js("view.selected") == {"row": row, "column": column}


def test_the_scale_says_what_the_top_colour_is(viz: Viz) -> None:
    maps = np.array(
        viz.js("viewer.payload.layers.map((_, l) => viewer.attention.maps(l, 0, 'from').map((m) => Array.from(m)))")
    )
    viz.show_map(1)
    viz.display()
    viz.find("scale").select_option("map")
    assert viz.js("view.map.high") == pytest.approx(maps[LAST, 0, 3:].max())
    for scale, part in (("layer", maps[LAST]), ("all", maps)):
        viz.find("scale").select_option(scale)
        assert viz.js("view.map.high") >= part[..., 3:].max() * (1 - 1e-6)
    viz.find("scale").select_option("fixed")
    viz.find("fixed").fill("20")
    assert viz.js("view.map.high") == pytest.approx(0.2)
    assert viz.find("high").inner_text() == VIEWER["legend_from"].format(share="20\u00a0%", times="3.8")


@pytest.mark.parametrize(
    ("which", "fit", "colours"),
    [
        ("registers", "as_trained", "viridis"),
        ("registers", "pad", "magma"),
        ("wide", "as_trained", "cividis"),
        ("registers", "squash", "viridis"),
    ],
)
def test_every_patch_is_painted_where_the_model_saw_it(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace, which: str, fit: str, colours: str
) -> None:
    """Read back from the canvas: the colour at the centre of each patch is the colour of Python's value there."""
    model = getattr(models, which)
    if which != "registers":
        viz.choose_model(model)
    viz.upload(pictures.landscape)
    if fit != "as_trained":
        viz.drawer("model-chip")
        viz.page.get_by_label(PAGE["fit"], exact=True).click()
        viz.page.get_by_role("option", name=PAGE[f"fit_{fit}"]).click()
        viz.wait_for_maps()
    seen = seen_by(model, pictures.landscape, None if fit == "as_trained" else fit)
    viz.slide("layer", viz.js("payload.layers.length"))
    viz.display()
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
