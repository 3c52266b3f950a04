"""What a visitor sees first must not mislead: the layer, the words of each fusion, what is cropped, what a network knows."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from support.english import PAGE, VIEWER
from support.expected import divergences, opens, percent, seen_by
from support.together import together
from support.viz import Viz
from vizapp import pipeline
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui.lesson_pictures import SIZE

ONE_PAGE = "as it opened"


def test_it_opens_where_it_tells_most_and_says_why(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace
) -> None:
    for picture in (pictures.landscape, pictures.square):
        viz.upload(picture)
        seen = seen_by(models.registers, picture)
        layer = opens(seen)
        viz.page.locator(".viz-opens-more summary").click()
        assert viz.choice("layer") == viz.js("state.get('layer')") == layer
        assert viz.find("opens-said").inner_text() == VIEWER["opens_on_own"].format(layer=layer + 1, all=3, name="CLS")
        assert f"{divergences(seen)[layer]:.2f} nats" in viz.find("opens-why").inner_text()
        viz.press("Escape")
        assert not viz.find("opens-why").is_visible()


def test_a_layer_chosen_by_hand_stays_and_one_that_was_not_gives_way(viz: Viz, pictures: SimpleNamespace) -> None:
    opened = viz.choice("layer")
    own = (opened + 1) % 3
    viz.slide("layer", own + 1)
    for picture in (pictures.landscape, pictures.square):
        viz.upload(picture)
        assert viz.choice("layer") == own
        viz.page.locator(".viz-opens-more summary").click()
        assert str(viz.js("view.opens.layer") + 1) in viz.find("opens-said").inner_text(), (
            "what it would have opened on"
        )
        viz.press("Escape")
    viz.js("state.set({ layer: null })")
    viz.upload(pictures.landscape)
    assert viz.choice("layer") == viz.js("view.opens.layer")


def test_the_shortcut_lesson_opens_where_the_shortcut_shows(viz: Viz, cache: Path) -> None:
    """It opens on the layer whose mean of the heads gives the bar code most, and the sentence names the bar code."""
    for number in (1, 2):
        viz.lesson("shortcut")
        example = LESSONS["shortcut"].example(number, SIZE)
        seen = pipeline.analyse(pipeline.load("shortcut", "cpu"), example.picture)
        rows, cols = seen.trace.layout.grid
        mark = seen.frame.mask_of(example.mark)
        cover = mark.reshape(rows, mark.shape[0] // rows, cols, -1).mean((1, 3)).ravel()
        on_mark = [
            float((layer.attend(seen.trace.query("cls")).mean(0)[seen.trace.layout.n_prefix :].numpy() * cover).sum())
            for layer in seen.trace.layers
        ]
        assert viz.choice("layer") == int(np.argmax(on_mark))
        assert max(on_mark) > 10 * cover.mean(), "it shows"
        said = VIEWER["opens_on_mark"].format(
            layer=viz.choice("layer") + 1, all=len(on_mark), name="CLS", mark="bar code"
        )
        viz.page.locator(".viz-opens-more summary").click()
        assert viz.find("opens-said").inner_text() == said


def test_where_little_falls_on_patches_it_is_said_of_how_little(viz: Viz) -> None:
    """The last layer of the shortcut's first picture: 94 % on CLS, and 1.3 times an even spread in the brightest yellow."""
    viz.page.evaluate("location.hash = '#v=1&picture=lesson/shortcut/1&model=shortcut'")  # a press brings the next one
    viz.wait_for_maps()
    viz.slide("layer", 6)
    shown = viz.shown()
    patches = float(shown[1:].sum())
    assert patches < 0.1
    assert VIEWER["legend_from_few"].format(
        share=percent(shown[1:].max()), part=percent(shown[1:].max() / patches)
    ) == (viz.find("high").inner_text())
    status = viz.find("status").inner_text()
    assert f"only {percent(patches)} of the attention of CLS" in status
    assert percent(shown[1:].max() / patches) in status
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.scores")  # they wait for the hand to rest
    viz.go("score")
    assert f"of the {percent(patches)} that falls on patches" in viz.find("score").inner_text()
    viz.go(None)
    viz.click(0, 0)
    viz.slide("layer", 3)
    assert "only" not in viz.find("status").inner_text().partition(".")[0]


def test_no_star_where_no_head_beats_a_map_that_saw_nothing(viz: Viz) -> None:
    """An object drawn where nobody looks: the words say what chance is, and no cell has a star."""
    viz.go("score")
    cells = np.array(
        viz.js("view.cells.flatMap((row) => row.slice(0, 4)).map((cell) => Array.from(cell.values).slice(3))")
    )
    worst = int((cells / cells.sum(1, keepdims=True)).max(0).argmin())
    row, col = divmod(worst, 4)
    box = [col / 4 + 0.01, row / 4 + 0.01, col / 4 + 0.24, row / 4 + 0.24]
    viz.js("state.set({ shapes: [{ box: argument }] })", box)
    viz.painted()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.scores")  # counted when the hand rests
    table = "view.scores.table.flatMap((row) => row.slice(0, 4))"
    best = viz.js(f"Math.max(...{table})")
    even, prior = viz.js("[view.scores.evenOn([4, 4]), view.scores.priorOn([4, 4])]")
    stars = viz.js("view.scores.table.some((row, r) => row.some((_, c) => view.scores.isBest(r, c)))")
    text = viz.find("score").inner_text()
    assert best <= max(even, prior), "planted badly"
    assert not stars
    assert "No head does better than a map that has not seen the picture" in text
    assert percent(even) in text
    viz.js("state.set({ shapes: [{ box: [0.01, 0.01, 0.99, 0.4] }] })")
    viz.painted()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.scores?.isChance === false")
    assert viz.js("view.scores.isChance") is False
    assert "\u2605" in viz.find("score").inner_text()


@together("fusion", ["max", "min"])
def test_the_words_of_each_fusion(viz: Viz, fusion: str) -> None:
    """The largest and the smallest of the heads are no shares: 27 % in one head beside 30 % in another."""
    for direction, key in (("from", f"from_{fusion}"), ("to", f"to_{fusion}")):
        viz.click(1, 1)
        viz.display()
        viz.button("fusion", fusion).click()
        viz.button("direction", direction).click()
        viz.leave()
        share = percent(viz.shown()[3:].max())
        assert viz.find("high").inner_text() == VIEWER[f"legend_{key}"].format(share=share)
        assert VIEWER["where_" + fusion].partition(" ")[0] in viz.find("status").inner_text()
        ends = VIEWER[f"status_{key}"].rpartition("{share}")[2].partition("{")[0].strip(" ,")
        assert ends in viz.find("status").inner_text()
        viz.hover(0, 0)
        assert {"max": "at most", "min": "at least"}[fusion] in viz.find("status").inner_text()
        viz.click(1, 1)


@together("fusion", ["max", "min"])
def test_the_column_of_rollout_is_never_empty(
    viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace, fusion: str
) -> None:
    """The column used to stay empty unless rollout was chosen. Its numbers are those of Python."""
    viz.upload(pictures.landscape)
    viz.display()
    viz.button("fusion", fusion).click()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.cells.every((row) => row.at(-1)?.values)")
    seen = seen_by(models.registers, pictures.landscape)
    for layer in range(3):
        expected = pipeline.explain(seen, "rollout", layer=layer, fusion=fusion).scores.ravel()
        found = np.array(viz.js(f"Array.from(view.cells[{layer}].at(-1).values)"))[3:]
        np.testing.assert_allclose(found, expected, atol=1e-2 * expected.max())


def test_of_a_large_network_it_is_said_why_it_is_empty(viz: Viz) -> None:
    viz.js("Object.defineProperty(attention, 'isQuick', { value: false, configurable: true })")
    viz.display()
    viz.button("fusion", "max").click()
    viz.painted()
    assert VIEWER["rolls_later"] in viz.find("status").inner_text()
    viz.show_map("rollout")
    viz.page.wait_for_function("document.querySelector('.viz').viewer.attention.hasFused('max')")
    viz.painted()
    assert VIEWER["rolls_later"] not in viz.find("status").inner_text()
    viz.js("delete attention.isQuick")


def test_what_is_cut_off_is_said(viz: Viz, models: SimpleNamespace, pictures: SimpleNamespace) -> None:
    for picture, key in ((pictures.landscape, "cut_sides"), (pictures.square, "")):
        viz.upload(picture)
        height, width = seen_by(models.registers, picture).picture.shape[:2]
        share = percent(min(height, width) / max(height, width) + 1e-9)  # 62.5 is 63 in a browser
        assert viz.find("cut").inner_text() == (VIEWER[key].format(share=share) if key else "")
    viz.upload(pictures.landscape)
    viz.drawer("model-chip")
    viz.page.get_by_label(PAGE["fit"], exact=True).click()
    viz.page.get_by_role("option", name=PAGE["fit_pad"]).click()
    viz.wait_for_maps()
    assert viz.find("cut").inner_text() == ""


def test_a_network_of_drawn_things_says_so_of_any_other_picture(viz: Viz, pictures: SimpleNamespace) -> None:
    """Its lessons are drawn things."""
    assert viz.find("caution").inner_text() == ""
    viz.upload(pictures.square)
    assert viz.find("caution").inner_text() == PAGE["caution_scenes"]
    assert viz.find("prediction").get_attribute("data-doubtful") == "true"
    viz.lesson("one")
    assert viz.find("caution").inner_text() == ""
