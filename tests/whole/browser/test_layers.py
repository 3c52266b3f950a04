"""Networks whose layers differ, in a real browser: windows, grids of their own, fewer keys, weights below zero, uneven cuts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from support import padded
from support.english import VIEWER
from support.expected import assert_close
from support.layer_payloads import seen_by, with_trace
from support.together import together
from support.viz import Viz
from vizapp import pipeline
from vizapp.core.attention.layers import DenseAttention, FactoredAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.metrics import metrics
from vizapp.core.signals.steps import steps_to
from vizapp.model.spec import TokenLayout
from vizapp.recent import Recent
from vizapp.render.colour import lut
from vizapp.ui.viewer import attention_blocks
from vizapp.ui.viewer.answers.steps import in_json
from vizapp.ui.words import words_for

ONE_PAGE = "as it was left"  # each test brings what it looks at


def assert_near(found: np.ndarray, expected: np.ndarray) -> None:
    """Like `assert_close`, but for columns that get almost no attention. Each row and column: tests/js/attention.test.js."""
    assert found.shape == expected.shape
    top = np.abs(expected).max(-1, keepdims=True)
    error = np.abs(found - expected) / np.maximum(top, 1e-5)  # half precision knows nothing finer than 6e-8
    assert error.max() <= 1e-2
    assert error.mean() <= 1e-3


def test_a_pinned_patch_stays_at_its_place(viz: Viz) -> None:
    """In a layer with another grid, the patch under its centre is shown; back in the first layer, the chosen patch."""
    viz.put(seen_by("swin"))
    viz.slide("layer", 1)
    viz.click(5, 11)
    viz.leave()
    assert viz.js("[view.pinned, view.chosen]") == [True, 5 * 16 + 11]
    viz.slide("layer", 3)
    assert viz.js("view.here.queries.cellOf(view.chosen)") == [2, 5]
    assert np.array_equal(viz.shown(), viz.values(2 * 8 + 5, layer=2))
    cells = viz.js("view.cells.map((row) => Array.from(row[0].values))")
    fine = viz.js("Array.from(viewer.attention.row(1, 0, 5 * 16 + 11))")
    assert cells[1] == fine, "the atlas shows the patch that was chosen in every layer"
    viz.slide("layer", 2)
    assert viz.js("view.chosen") == 5 * 16 + 11
    viz.press("Escape")
    assert viz.js("[view.pinned, view.chosen]") == [False, "mean"]


def test_the_steps_to_a_number_tell_of_the_window(viz: Viz) -> None:
    """A patch of Swin's first layer compares itself with 16 of 256: a step says so, which networks without windows have not."""
    seen = seen_by("swin")
    viz.put(seen)
    assert seen.context is not None
    network = seen.context.ready()

    def answered(layer: int, query: int, key: int) -> Any:
        return in_json(seen, steps_to(network.model, network.pixels, seen.trace, layer, query, key), words_for("en"))

    viz.page.expose_function("answered", answered)
    viz.js("void (viewer.payload.run = 'swin', window.ownDoor = viewer.door)")
    viz.js("void (viewer.door = async ([kind, , what]) => (kind === 'steps' ? answered(...what) : {}))")
    viz.slide("layer", 1)
    viz.click(5, 11)
    viz.find("number").click()
    viz.page.locator("[data-step=window] summary").click()
    window = len(seen.trace.layers[0].parts.rows(torch.tensor([0]))[0, 0])
    said = viz.page.locator("[data-step=window] .viz-step-body").inner_text()
    assert f"only with the {window} tokens of its window, out of 256" in said
    assert viz.page.locator("[data-step=registers]").count() == 0
    # In the next layer the windows go round the edges, and a mask hides what is not beside the patch in the picture.
    viz.js("state.set({ steps: false })")
    viz.slide("layer", 2)
    viz.hover(7, 7)
    viz.click(15, 15)
    viz.js("state.set({ steps: true, number: view.placeOf([0, 0]) })")
    viz.page.locator("[data-step=scale] summary").click()
    viz.page.wait_for_function(
        "document.querySelector('[data-step=scale] .viz-step-body')?.innerText.includes('mask hides')"
    )
    said = viz.page.locator("[data-step=scale]").inner_text()
    assert "learned, too" not in said
    found = steps_to(network.model, network.pixels, seen.trace, 1, 255, 0)
    added = found.bias[int(found.attention[:, found.at].argmax()), found.at]
    assert f" + \u2212{-float(added):.3g} = " in said
    assert viz.page.locator("[data-step=softmax] .viz-step-result").inner_text() == "0\u00a0%"
    viz.page.locator("[data-step=softmax] summary").click()
    titles = viz.page.locator("[data-of=tokens] title").evaluate_all("(all) => all.map((one) => one.textContent)")
    masked = network.model.net.layers[0].blocks[1].attn_mask[-1, 5] < 0  # of (15, 15) in the last window
    assert sum(one.endswith(": hidden by a mask") for one in titles) == int(masked.sum()) > 0
    viz.js("void (viewer.door = ownDoor)")


def test_a_hovered_patch_is_one_of_the_layer_shown(viz: Viz) -> None:
    viz.put(seen_by("swin"))
    viz.slide("layer", 2)
    viz.hover(9, 3)
    assert np.array_equal(viz.shown(), viz.values(9 * 16 + 3, layer=1))
    viz.slide("layer", 4)
    assert viz.js("stage.grid") == [8, 8]
    assert np.array_equal(viz.shown(), viz.values(4 * 8 + 1, layer=3))


@together("which", ["swin", "swin, padded", "maxvit"])
def test_the_window_is_outlined_and_said(viz: Viz, which: str) -> None:
    """What the query can see and nothing else: a shifted window is masked where it wraps around the picture's edge."""
    seen = seen_by(which)
    viz.put(seen)
    sizes = set()
    for index, layer in enumerate(seen.trace.layers[:2]):  # those behind them have windows of the same kinds
        if not isinstance(layer, WindowedAttention):
            continue
        viz.slide("layer", index + 1)
        rows, cols = seen.trace.layouts(index)[0].grid
        for row, col in ((0, 0), (rows - 1, cols - 1), (0, cols // 2)):
            viz.hover(1, 1)  # a hand comes to a corner over the picture
            viz.click(row, col)
            viz.leave()
            window = (layer.rows(torch.tensor([row * cols + col])) > 1e-30).any(0)[0].numpy()
            assert np.array_equal(viz.js("Array.from(view.reach)"), window)
            assert VIEWER["window_from"] in viz.find("status").inner_text()
            sizes.add(int(window.sum()))
            assert viz.find("high").inner_text().startswith(VIEWER["legend_window"].split("{")[0])
            assert viz.js("view.even") == window.sum()
    if which == "swin":
        assert sizes >= {16, 4, 8}, "whole windows, and those that the picture's edge cuts"
    viz.press("Escape")
    assert viz.js("view.reach") is None, "the mean of all patches has no window"
    assert VIEWER["window_from"] not in viz.find("status").inner_text()


def test_what_a_mask_hides_is_hatched_and_said(viz: Viz) -> None:
    """On the stage and in the small maps, not as a dark colour; the patch under the mouse is told to be hidden."""
    viz.put(seen_by("masked"))
    viz.js("state.set({ outline: false, grid: false, opacity: 1, byValue: false })")
    viz.slide("layer", 1)
    viz.click(1, 1)
    viz.hover(2, 2)
    assert "the mask hides patch (3, 3) from patch (2, 2)" in viz.find("status").inner_text()
    assert VIEWER["legend_hidden"] in viz.find("legend").inner_text()
    viz.hover(0, 1)
    assert "of its attention" in viz.find("status").inner_text()
    viz.leave()
    assert VIEWER["mask_from"] in viz.find("status").inner_text()
    painted = viz.pixels()[..., :3].astype(int)
    dark = np.abs(painted - lut("viridis")[0].astype(int)).max(-1) <= 2
    side = [length // n for length, n in zip(painted.shape, (3, 4), strict=False)]
    hidden = dark[2 * side[0] + 4 : -4, 2 * side[1] + 4 : -4]
    assert not hidden.mean() > 0.1
    viz.button("direction", "to").click()
    viz.hover(0, 2)
    assert "the mask hides patch (2, 2) from patch (1, 3)" in viz.find("status").inner_text()
    viz.leave()
    viz.slide("layer", 4)
    assert not viz.find("shut").is_visible()
    viz.press("Escape")


def test_the_outline_of_a_window_lies_on_its_edge(viz: Viz) -> None:
    viz.put(seen_by("swin"))
    viz.js("state.set({ outline: false, grid: false, opacity: 0 })")
    viz.slide("layer", 2)
    viz.click(7, 7)
    viz.leave()
    drawn = viz.pixels()[..., :3].astype(int)
    viz.js("(selectors.reach = () => null, viewer.paint())")
    changed = np.abs(drawn - viz.pixels()[..., :3]).sum(-1) > 20
    side = changed.shape[0] / 16  # the shifted window of patch (7, 7): rows and columns 6 to 9
    line = np.zeros_like(changed)
    low, high = round(6 * side), round(10 * side)
    for edge in (low, high):
        line[edge - 3 : edge + 3, low - 3 : high + 3] = line[low - 3 : high + 3, edge - 3 : edge + 3] = True
    assert changed.sum() > 4 * (high - low)
    assert not (changed & ~line).any()


@together("which", ["swin", "pvt"])
def test_each_layer_is_painted_in_its_own_grid(viz: Viz, which: str) -> None:
    """Stage and atlas: the colour in the middle of each key patch is that of Python's value."""
    seen = seen_by(which)
    viz.put(seen)
    viz.js("state.set({ byValue: false, grid: false, outline: false, opacity: 1 })")
    viz.go("atlas")
    grids = [seen.trace.layouts(index) for index in range(len(seen.trace.layers))]
    for index, (own, keys) in enumerate(grids):
        if (own, keys) in grids[:index]:
            continue
        viz.slide("layer", index + 1)
        viz.js("(selectors.reach = () => null, state.set({place: view.placeOf([0, 0]), pinned: true}), viewer.paint())")
        scores = pipeline.explain(seen, "attention", layer=index, query=0).scores
        painted = viz.pixels()
        steps = np.minimum(255, 256 * scores / scores.max()).astype(int)
        for row, col in np.ndindex(keys.grid):
            if row * own.grid[0] < 2 * keys.grid[0] and col * own.grid[1] < 2 * keys.grid[1]:
                continue  # the mark of the query
            at = [int((i + 0.5) * side / n) for i, side, n in zip((row, col), painted.shape, keys.grid, strict=False)]
            found = painted[at[0], at[1], :3].astype(int)
            assert np.abs(found - lut("viridis")[steps[row, col]]).max() <= 8, (index, row, col)
        place, mean = viz.js(f"[atlas.places[{index}], atlas.heads]")
        x, y = place[mean]
        cut = f"atlas.sheet.getContext('2d').getImageData({x}, {y}, {keys.grid[1]}, {keys.grid[0]}).data"
        small = np.array(viz.js(f"Array.from({cut})")).reshape(*keys.grid, 4)[..., :3]
        assert np.abs(small - lut("viridis")[steps].astype(int)).max() <= 8
        assert seen.trace.layers[index].n_keys == scores.size
    viz.go(None)


def test_reading_a_value_of_a_coarser_grid(viz: Viz) -> None:
    """Pinned, one reads patches of the map: those of the keys, told by their own grid."""
    seen = seen_by("pvt")
    viz.put(seen)
    viz.slide("layer", 1)
    viz.go("atlas")
    viz.click(3, 3)
    viz.hover(15, 15)
    assert viz.js("view.hovered") == [1, 1]
    assert VIEWER["patch_name_of"].format(row=2, col=2, rows=2, cols=2) in viz.find("status").inner_text()
    grids = VIEWER["layer_grids"].format(layer=1, rows=16, cols=16, keyRows=2, keyCols=2)
    assert viz.find("layer-grid").inner_text() == grids


def test_scores_follow_the_grid_of_each_layer(viz: Viz) -> None:
    seen = seen_by("swin")
    viz.put(seen)
    viz.go("score")
    viz.slide("layer", 1)
    viz.click(5, 5)
    mask = seen.truth[0].mask
    cells = viz.js("view.cells.map((row) => row.map((c) => c && [c.layout.grid, Array.from(c.values)]))")
    for name, metric in [*metrics().items()][:2]:  # all of them on one grid: tests/js/score.test.js
        viz.find("metric").select_option(name)
        viz.idle()
        for scores, row in zip(viz.js("view.scores.table"), cells, strict=True):
            for score, cell in zip(scores, row, strict=True):
                if cell is None:
                    assert score is None
                    continue
                grid, values = cell
                expected = metric(np.array(values, np.float32).reshape(grid), mask)
                assert score == pytest.approx(float(expected), abs=1e-6), name


def test_weights_below_zero_are_said_and_rollout_is_refused_with_the_reason(viz: Viz) -> None:
    seen = seen_by("cait")
    assert seen.trace.no_chain
    viz.put(seen)
    assert viz.js("[viewer.payload.readout, view.chosen]") == ["cls", "cls"], "which joins later"
    assert seen.trace.no_chain in viz.find("about").inner_text()
    assert viz.find("head").get_attribute("max") == "4", "all heads together and each of the four, and no rollout"
    viz.js("state.set({method: 'rollout'})")
    assert viz.choice("method") == "attention"
    assert viz.js("view.columns") == [0, 1, 2, 3, "mean"]
    viz.js("state.set({layer: 1})")
    rows = seen.trace.layers[1].rows(torch.arange(16)).mean(0)
    token = int(rows.min(-1).values.argmin())
    viz.click(*divmod(token, 4))
    viz.leave()
    assert float(rows[token].min()) < 0
    assert viz.find("low").inner_text() == "\u2264 0"
    assert VIEWER["negative"].partition("{")[0] in viz.find("status").inner_text()


def test_rollout_chosen_before_does_not_stay_where_it_is_not_defined(viz: Viz) -> None:
    viz.put(seen_by("swin"))
    viz.show_map("rollout")
    viz.put(seen_by("cait"))
    assert viz.choice("method") == "attention"
    viz.put(seen_by("swin"))
    assert viz.find("about").inner_text() == ""
    viz.show_map("rollout")
    assert viz.choice("method") == "rollout"
    viz.slide("layer", 4)
    assert viz.js("view.map.layout.grid") == [16, 16], "that of the first layer, the finest"
    assert viz.button("direction", "to").is_disabled()


def test_cls_that_joins_late_stands_for_what_it_reads_in_layers_before(viz: Viz) -> None:
    """The query that the classifier reads has a map in every layer, under a name that says what it is there."""
    seen = seen_by("late")
    viz.put(seen)
    assert viz.js("view.chosen") == 0
    viz.slide("layer", 1)
    assert viz.js("view.chosen") == "cls"
    found = pipeline.explain(seen, "attention", layer=0)
    assert_close(viz.shown(), found.scores.ravel())
    name = VIEWER["name_later"].format(name=VIEWER["name_cls"])
    assert f"of all patches, {name} looks most at" in viz.find("status").inner_text()


def test_a_token_that_joins_late_has_no_map_in_layers_before(viz: Viz) -> None:
    """Its column of the atlas is empty there, and the sentence says so; it comes back with its layer."""
    seen = seen_by("late, not read")
    viz.put(seen)
    viz.js("state.set({token: 'cls'})")
    assert viz.js("view.chosen") == 0
    viz.slide("layer", 1)
    assert viz.js("view.map.values") is None
    name = VIEWER["name_cls"]
    assert viz.find("status").inner_text() == VIEWER["no_such_token"].format(layer=1, name=name)
    assert viz.js("view.cells[0][0] === undefined")
    assert viz.find("chips").locator("button").nth(0).is_disabled()
    viz.hover(1, 1)
    assert np.array_equal(viz.shown(), viz.values(5, layer=0))
    viz.leave()
    viz.slide("layer", 2)
    assert viz.js("view.chosen") == 0
    assert len(viz.shown()) == 17


def test_rows_of_a_large_layer_are_asked_of_the_server(
    viz: Viz, models: Any, pictures: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and columns come for the patch that is asked, and CLS is there at once; rollout is not offered, and that is said."""
    monkeypatch.setattr(attention_blocks, "LARGEST_LAYER", 100)
    viz.upload(pictures.landscape)
    trace: AttentionTrace = pipeline.analyse(pipeline.load(models.registers, "cpu"), str(pictures.landscape)).trace
    assert viz.js("viewer.payload.layers.map((layer) => layer.kind)") == ["asked"] * 3
    viz.slide("layer", 3)  # on which one it opens is for its random weights to say
    assert_close(viz.shown(), trace.layers[2].map().mean(0)[0].numpy())
    assert viz.find("about").inner_text() == VIEWER["no_rollout_large"]
    later = "(...asked) => new Promise((done) => (window.answer = () => window.ask(...asked).then(done)))"
    viz.js(f"void (window.ask = attention.asker.ask, attention.asker.ask = {later})")

    def places() -> list[Any]:
        return [
            viz.find(name).first.bounding_box() for name in ("chips", "picture", "status", "layer", "head", "atlas")
        ]

    for row, depth in ((2, None), (1, "atlas")):
        if depth:
            viz.go(depth)
        before = places()
        viz.hover(row, 1)
        assert viz.js("view.map.values") is None
        assert places() == before
        viz.leave()
        assert places() == before
    viz.go(None)
    viz.js("void (attention.asker.ask = window.ask, window.answer())")
    viz.click(2, 1)
    viz.leave()
    token = trace.layout.token_of(2, 1)
    viz.page.wait_for_function(  # layers may come one by one
        """(token) => {
          const { view, attention } = document.querySelector(".viz").viewer;
          return view.pinned && [0, 1, 2].every((layer) => attention.asker.known.has(`from ${token} ${layer}`));
        }""",
        arg=token,
    )
    for index in range(3):
        for head in range(4):
            found = viz.values(token, layer=index, fusion="one", head=head)
            assert_close(found, trace.layers[index].map()[head, token].numpy())
    viz.button("direction", "to").click()
    viz.leave()
    turned = "(({ direction, map }) => direction === 'to' && map.values)(document.querySelector('.viz').viewer.view)"
    viz.page.wait_for_function(turned)
    assert_close(viz.shown(), trace.layers[2].map().mean(0)[:, token].numpy())
    monkeypatch.setattr("vizapp.ui.viewer.answers.maps._traces", Recent(0))
    viz.click(0, 0)
    viz.wait_for("document.querySelector('.viz-status').textContent === argument", VIEWER["asked_lost"])


def test_large_matrices_are_decoded_row_by_row(viz: Viz) -> None:
    seen = seen_by("hiera")
    layers = tuple(
        DenseAttention(layer.name, layer.map(), *seen.trace.layouts(index))
        for index, layer in enumerate(seen.trace.layers)
    )
    viz.put(with_trace(seen, AttentionTrace(**{**vars(seen.trace), "layers": layers})))
    assert viz.js("viewer.payload.layers.every(({kind}) => kind === 'dense')")
    viz.js("(viewer.attention.dense = () => null, viewer.payload.decoded.clear())")
    assert_near(viz.values(7, layer=0, fusion="one", head=0), layers[0].map()[0, 7].numpy())
    viz.js("state.set({direction: 'to'})")
    assert_near(viz.values(7, layer=0, fusion="one", head=0), layers[0].map()[0, :, 7].numpy())


def test_factors_that_half_precision_cannot_hold_are_sent_as_maps(viz: Viz) -> None:
    seen = seen_by("overlapping")
    layers = tuple(
        FactoredAttention(name, q * torch.randn(2, 16, 2), k * torch.randn(2, 16, 2))
        for name, q, k in (("fits", 1, 1), ("large keys", 1e-5, 1e5), ("large queries", 1e5, 1e-5))
    )
    trace = AttentionTrace(layers, TokenLayout((), (4, 4)), None, "mean")
    viz.put(with_trace(seen, trace))
    assert viz.js("viewer.payload.layers.map(({kind}) => kind)") == ["factors", "dense", "dense"]
    for index, layer in enumerate(layers):
        assert_near(viz.values(5, layer=index, fusion="one", head=1), layer.map()[1, 5].numpy())


@pytest.mark.parametrize("which", ["vitpose", "overlapping"])
def test_each_pixel_has_the_colour_of_the_patch_that_looks_there(viz: Viz, which: str) -> None:
    """Where no patch looks the picture is grey, a pointer finds nothing, and the note says so."""
    seen = replace(padded.seen_by(which), truth=())  # an outline would cover colours
    viz.put(seen)
    assert "nothing is painted there" in viz.find("notes").inner_text()
    viz.slide("layer", 2)
    viz.display()
    viz.find("by-value").uncheck()
    viz.find("grid").uncheck()
    viz.slide("opacity", 1)
    painted = viz.pixels()
    side = min(painted.shape[:2])
    top, left = ((size - side) / 2 for size in painted.shape[:2])
    scores = pipeline.explain(seen, "attention").scores
    steps = np.minimum(255, 256 * scores / scores.max()).astype(int)
    colours = lut("viridis")
    wrong = []
    for y in range(padded.SIDE):
        for x in range(padded.SIDE):
            at = seen.frame.patch_at(x + 0.25, y + 0.25, scores.shape)  # never on a border
            there = [(x + 0.25) / padded.SIDE, (y + 0.25) / padded.SIDE]
            assert viz.js("view.cellAt(argument)", there) == (list(at) if at else None)
            found = painted[int(top + there[1] * side), int(left + there[0] * side), :3].astype(int)
            if not (np.ptp(found) <= 2 if at is None else np.abs(found - colours[steps[at]].astype(int)).max() <= 4):
                wrong.append((y, x, at, found.tolist(), None if at is None else colours[steps[at]].tolist()))
    assert wrong == []
