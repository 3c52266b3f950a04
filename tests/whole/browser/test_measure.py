"""Lessons, truth and scores on the page: one click opens a lesson, its answer is right, and the figures are Python's."""

from types import SimpleNamespace

import numpy as np
import pytest

from support.english import VIEWER
from support.viz import Viz
from vizapp.core.metrics import metrics
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui import examples
from vizapp.ui.lesson_pictures import SIZE

ONE_PAGE = "as it opened"


def open_lesson(viz: Viz, name: str) -> None:
    """Choose a lesson, with the figures of its object beside it."""
    viz.lesson(name)
    if not viz.find("score").is_visible():
        viz.go("score")


def mask_of(viz: Viz) -> np.ndarray:
    """(h, w) bool: what the browser measures against."""
    height, width = viz.js("viewer.payload.input")
    return np.array(viz.js("Array.from(view.truth.target.mask)"), bool).reshape(height, width)


def cells_of(viz: Viz) -> np.ndarray:
    """(layers, columns, rows, cols): every map of the atlas, patches only."""
    cells = viz.js("view.cells.map((row) => row.map((cell) => Array.from(cell.values).slice(payload.prefix.length)))")
    return np.array(cells).reshape(len(cells), len(cells[0]), *viz.js("viewer.payload.grid"))


def table_of(viz: Viz) -> np.ndarray:
    """(layers, columns): the scores in the atlas."""
    return np.array(viz.js("view.scores.table"))


def test_a_lesson_is_one_click(viz: Viz, subtests: pytest.Subtests) -> None:
    """The question, the objects by name and their masks; a second click is another picture."""
    for name in LESSONS:
        with subtests.test(name):
            open_lesson(viz, name)
            example = LESSONS[name].example(1, SIZE)
            assert viz.find("lesson-asks").inner_text() == LESSONS[name].question
            assert "lies on the object" in viz.find("score").inner_text()
            known = viz.js("viewer.payload.truth.map(({name, object}) => [name, object])")
            marks = [["bar code", False]] if example.mark is not None else []
            assert known == [[thing.name, True] for thing in example.objects] + marks
            small = LESSONS[name].example(1, viz.js("viewer.payload.input")[0]).truth
            assert np.mean(mask_of(viz) != small) < 0.01
            assert ":" not in viz.js("viewer.payload.model"), "a model of the toy world answers"
    first = viz.js("viewer.payload.id")
    open_lesson(viz, name)
    assert viz.js("viewer.payload.id") != first
    assert viz.errors == []


def test_the_outline_lies_on_the_edge_of_the_object_and_scores_follow_the_query(viz: Viz) -> None:
    """The pixels that change when the outline is switched off lie near the mask's edge, all around it."""
    open_lesson(viz, "one")
    viz.display()
    viz.find("grid").uncheck()
    drawn = viz.pixels()[..., :3].astype(int)
    viz.find("outline").uncheck()
    viz.painted()
    changed = np.abs(drawn - viz.pixels()[..., :3]).sum(-1) > 30
    mask = LESSONS["one"].example(viz.js("viewer.payload.lesson.number"), changed.shape[0]).truth
    edge = np.zeros_like(mask)
    edge[1:] |= mask[1:] != mask[:-1]
    edge[:, 1:] |= mask[:, 1:] != mask[:, :-1]
    reach = 8
    near = np.zeros_like(mask)
    for y, x in np.argwhere(edge):
        near[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1] = True
    top = np.argwhere(mask)[0][0]
    below_the_name = np.arange(len(mask))[:, None] > top
    assert changed.sum() > 500
    assert np.mean(near[changed & below_the_name]) > 0.98
    assert np.mean(changed[edge & below_the_name]) > 0.8
    before = table_of(viz)
    viz.click(0, 0)
    after = table_of(viz)
    assert not np.allclose(before, after)
    np.testing.assert_allclose(after, metrics()["energy"](cells_of(viz), mask_of(viz)), atol=1e-6)


def test_a_box_on_a_picture_of_ones_own(viz: Viz, pictures: SimpleNamespace) -> None:
    """Drawn from patch to patch; measured at once; nothing is pinned; hovering works again; it can be taken back."""
    viz.upload(pictures.square)
    viz.go("score")
    assert viz.find("score").inner_text() == VIEWER["score_none"]
    assert viz.js("view.truth.target") is None
    viz.page.locator("button[data-tool=box]").click()
    viz.painted()
    assert viz.find("score").inner_text() == VIEWER["draw_box"]
    rows, cols = viz.js("viewer.payload.grid")
    viz.draw((0, 0), (rows - 2, cols - 3))
    height, width = viz.js("viewer.payload.input")
    expected = np.zeros((height, width), bool)
    tall, wide = height // rows, width // cols
    expected[tall // 2 : (rows - 2) * tall + tall // 2, wide // 2 : (cols - 3) * wide + wide // 2] = True
    mask = mask_of(viz)
    assert np.mean(mask != expected) < 0.06
    assert mask.any()
    np.testing.assert_allclose(table_of(viz), metrics()["energy"](cells_of(viz), mask), atol=1e-6)
    assert "lies on the object" in viz.find("score").inner_text()
    assert viz.js("view.pinned") is False
    assert VIEWER["draw_box"] in viz.find("score").inner_text()
    assert viz.page.locator("button[data-tool=box]").get_attribute("aria-pressed") == "true"
    viz.page.locator("button[data-tool=box]").click()
    viz.hover(1, 1)
    assert viz.js("view.query") == viz.js("view.here.queries.tokenOf([1, 1])")
    viz.find("clear").click()
    viz.painted()
    assert viz.js("view.truth.target") is None
    # A brush paints without gaps, and stays until it is put down.
    viz.page.locator("button[data-tool=brush]").click()
    viz.painted()
    viz.draw((1, 0), (1, cols - 1), steps=1)
    mask = mask_of(viz)
    middle = mask.shape[0] * 3 // (2 * rows)
    assert mask[middle, 2:-2].all()
    assert not mask[-2:].any()
    viz.press("Escape")
    assert viz.js("view.tool") is None
    assert viz.js("view.truth.isDrawn") is True
    assert viz.errors == []


def test_a_box_a_brush_and_an_eraser_by_keys(viz: Viz, pictures: SimpleNamespace) -> None:
    """The tool takes the focus to the picture; arrows go from patch to patch, Enter begins and ends."""
    viz.upload(pictures.square)
    viz.go("score")
    viz.page.locator("button[data-tool=box]").focus()
    viz.press("Enter")
    assert viz.page.evaluate("document.activeElement.className") == "viz-stage"
    start = viz.js("view.handCell")
    before = viz.pixels()
    viz.press("ArrowLeft")
    assert viz.js("view.handCell") == [start[0], start[1] - 1]
    assert (viz.pixels() != before).any(), "one sees where the hand is"
    assert viz.js("view.shapes") == []
    for key in ("Enter", "ArrowRight", "ArrowRight", "ArrowUp", "Enter", "ArrowDown"):
        viz.press(key)
    rows, cols = viz.js("viewer.payload.grid")
    height, width = viz.js("viewer.payload.input")
    cells = np.zeros((rows, cols), bool)
    cells[start[0] - 1 : start[0] + 1, start[1] - 1 : start[1] + 2] = True
    np.testing.assert_array_equal(mask_of(viz), cells.repeat(height // rows, 0).repeat(width // cols, 1))
    assert not viz.choice("pinned"), "the arrows draw; they pin nothing"
    said = f"Patch ({start[0] + 1}, {start[1] + 2})."
    viz.wait_for("document.querySelector('.viz-canvas-box + .viz-spoken').textContent === argument", said)
    for key in ("Enter", "ArrowLeft", "Escape"):  # what is being drawn goes, then the tool
        viz.press(key)
    assert len(viz.js("view.shapes")) == 1
    assert viz.choice("tool") == "box"
    viz.press("Escape")
    assert viz.choice("tool") is None
    viz.press("ArrowDown")
    assert viz.choice("pinned"), "and the arrows ask patches again"
    viz.find("clear").click()
    viz.painted()
    # A row is painted, and its middle wiped away; at the edge of the picture the hand stays.
    viz.page.locator("button[data-tool=brush]").focus()
    viz.press("Enter")
    for _ in range(cols):
        viz.press("ArrowLeft")
    row, left = viz.js("view.handCell")
    assert left == 0
    viz.press("Enter")
    for _ in range(cols):
        viz.press("ArrowRight")
    viz.press("Enter")
    mask = mask_of(viz)
    middle = (2 * row + 1) * mask.shape[0] // (2 * rows)
    assert mask[middle, 2:-2].all()
    viz.page.locator("button[data-tool=eraser]").focus()
    viz.press("Enter")
    centre = viz.js("view.handCell")[1]
    viz.press("Enter")
    viz.press("Enter")
    wiped = mask_of(viz)
    at = (2 * centre + 1) * mask.shape[1] // (2 * cols)
    assert not wiped[middle, at]
    assert wiped[middle, 2]
    assert wiped[middle, -3]
    assert not (wiped & ~mask).any()
    viz.find("undo").click()
    viz.painted()
    np.testing.assert_array_equal(mask_of(viz), mask)


def test_an_eraser_takes_away_what_was_drawn_and_a_link_keeps_that(viz: Viz, pictures: SimpleNamespace) -> None:
    assert viz.js("view.truth.target.area") > 0.05, "the first picture has an answer"
    assert LESSONS[examples.FIRST[0]].question == viz.find("lesson-asks").inner_text()
    viz.go("score")
    assert viz.page.locator("button[data-tool=eraser]").is_disabled(), "there is nothing to be wiped away"
    viz.upload(pictures.square)
    rows, cols = viz.js("viewer.payload.grid")
    for tool, end in (("box", (rows - 1, cols - 1)), ("eraser", (0, cols - 1))):
        viz.page.locator(f"button[data-tool={tool}]").click()
        viz.painted()
        viz.draw((0, 0), end)
    mask = mask_of(viz)
    tall = mask.shape[0] // rows
    assert not mask[: tall - 1].any()
    assert mask[tall + 1 : -tall].any()
    written = viz.js("state.toHash()")
    assert viz.js("state.fromHash(argument)", written) == []
    viz.painted()
    np.testing.assert_array_equal(mask_of(viz), mask)


def test_what_was_drawn_stays_for_another_model_and_goes_with_the_picture(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    viz.upload(pictures.square)
    viz.go("score")
    viz.page.locator("button[data-tool=box]").click()
    viz.painted()
    viz.draw((0, 0), (2, 2))
    area = mask_of(viz).mean()
    viz.choose_model(models.noted)
    assert mask_of(viz).mean() == pytest.approx(area, abs=0.02)
    viz.upload(pictures.landscape)
    assert viz.js("view.truth.target") is None


def test_a_lesson_may_bring_its_own_model() -> None:
    """Lessons of the toy world are for models of the toy world; two have one of their own."""
    offered = ["toy", "crate", "relation", "shortcut", "timm:vit_tiny_patch16_224"]
    assert examples.model_for("clutter", "crate", offered) == "crate"
    assert examples.model_for("clutter", "relation", offered) == "toy"
    assert examples.model_for("relation", "crate", offered) == "relation"
    assert examples.model_for("one", "shortcut", offered) == "toy"
    assert examples.model_for("shortcut", "born-shortcut", [*offered, "born-shortcut"]) == "born-shortcut", (
        "it suits it, too"
    )
    assert examples.model_for("two", "born-shortcut", [*offered, "born-shortcut"]) == "toy"
    assert examples.model_for("two", "timm:vit_tiny_patch16_224", offered) == "toy"
    assert examples.model_for("shortcut", "mine", ["mine", "toy"]) == "mine"
