"""Queries that are no patches on the page: class tokens that join late, the object queries of a detector."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from support.cross_payloads import MANY, seen_by
from support.english import VIEWER
from support.expected import assert_close
from support.together import together
from support.viz import Viz
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.vocabulary import FUSIONS

pytest.importorskip("transformers", reason="transformers is an extra: pip install vizapp[hf]")

ONE_PAGE = "as it was left"  # each test brings what it looks at


@pytest.fixture
def show(viz: Viz) -> Callable[[str], tuple[Viz, Analysis]]:
    """Put an analysis on the page, as the server would send it."""
    return lambda which: (viz.put(seen_by(which)), seen_by(which))


def chip(viz: Viz, name: str) -> None:
    viz.find("cross-chips").get_by_role("button", name=name, exact=True).click()
    viz.painted()


@together("which", ["few", "own"])
def test_queries_of_every_block_are_pythons(show: Callable[[str], tuple[Viz, Analysis]], which: str) -> None:
    """Per head and fused, within what half precision rounds."""
    viz, seen = show(which)
    for block, layer in enumerate(seen.trace.cross):
        for query in range(0, layer.n_queries, 3):
            chosen = {"crossBlock": block, "crossQuery": query}
            each = [{**chosen, "fusion": "one", "head": head} for head in range(layer.n_heads)]
            each += [{**chosen, "fusion": fusion} for fusion in FUSIONS]
            shown = viz.js("argument.map((one) => (state.set(one), Array.from(viewer.view.map.values)))", each)
            for head, values in enumerate(shown[: layer.n_heads]):
                assert_close(np.array(values), layer.map(head)[query].numpy())
            for fusion, values in zip(FUSIONS, shown[layer.n_heads :], strict=True):
                found = pipeline.explain(seen, "cross_attention", block=block, query_index=query, fusion=fusion)
                assert_close(np.array(values), np.concatenate([[*found.on_prefix.values()], found.scores.ravel()]))


def test_a_chip_shows_its_query_and_what_is_asked_of_a_layer_shows_the_layer(
    show: Callable[[str], tuple[Viz, Analysis]],
) -> None:
    viz, seen = show("few")
    before = viz.pixels()
    assert viz.find("cross-line").is_visible()
    assert viz.find("cross-block").locator("option").all_inner_texts() == [
        VIEWER["cross_off"],
        *(f"{i + 1} of 3: decoder.layers.{i}.encoder_attn" for i in range(3)),
    ]
    chip(viz, "query 4")
    assert (viz.pixels() != before).any()
    found = pipeline.explain(seen, "cross_attention", query_index=3)
    assert_close(viz.shown(), found.scores.ravel())
    row, col = divmod(int(found.scores.argmax()), found.scores.shape[1])
    said = viz.find("status").inner_text()
    assert said.startswith(
        f"Cross attention 3, mean of heads: of all patches, query 4 looks most at patch ({row + 1}, {col + 1})"
    )
    viz.hover(1, 2)
    assert "query 4 gives patch (2, 3)" in viz.find("status").inner_text()
    assert_close(viz.shown(), found.scores.ravel())
    viz.leave()
    viz.find("cross-block").select_option(label="1 of 3: decoder.layers.0.encoder_attn")
    viz.slide("head", 2)
    assert_close(viz.shown(), seen.trace.cross[0].map(1)[3].numpy())
    row = viz.js("view.crossed.cells.map((cell) => Array.from(cell.values))")
    assert_close(np.array(row[1:]), seen.trace.cross[0].map()[:, 3].numpy())
    assert viz.find("head").get_attribute("max") == str(len(row) - 1), "its heads together and each, and no rollout"
    assert "Cross attention 1, head 2" in viz.find("status").inner_text()
    # Each way back to the layers.
    viz.press("Escape")
    assert viz.choice("crossBlock") is None
    for way in (
        lambda: viz.click(1, 2),
        lambda: viz.click(1, 2),  # the same patch again
        lambda: viz.slide("layer", 1),
        lambda: viz.find("chips").first.get_by_role("button").first.click(),
        lambda: chip(viz, "query 2"),
        lambda: viz.find("cross-block").select_option(""),
    ):
        viz.js("state.set({crossBlock: 1, crossQuery: 1})")
        assert viz.choice("query") == "query 1"
        way()
        viz.painted()
        assert viz.choice("crossBlock") is None
        assert "Cross attention" not in viz.find("status").inner_text()


def test_the_top_colour(show: Callable[[str], tuple[Viz, Analysis]]) -> None:
    viz, seen = show("few")
    maps = torch.stack([one.map()[:, 5] for one in seen.trace.cross])
    for scale, part in {"map": maps[1, 2], "layer": maps[1], "all": maps, "fixed": torch.tensor(0.3)}.items():
        viz.js("state.set({crossBlock: 1, crossQuery: 5, head: 2, fusion: 'one', scale: argument, fixed: 0.3})", scale)
        assert viz.js("view.map.high") == pytest.approx(float(part.max()), rel=1e-2), scale


def test_a_hundred_queries_have_a_field_for_the_number(show: Callable[[str], tuple[Viz, Analysis]]) -> None:
    viz, seen = show("many")
    assert viz.find("cross-chips").locator("button").count() == MANY
    viz.find("cross-query").fill("18")
    viz.painted()
    assert_close(viz.shown(), pipeline.explain(seen, "cross_attention", query_index=17).scores.ravel())
    assert "query 18" in viz.find("status").inner_text()
    assert viz.find("cross-chips").locator('button[aria-pressed="true"]').inner_text() == "18"
    shown = viz.shown()
    for nonsense in ("0", "", "2.5"):
        viz.find("cross-query").fill(nonsense)
        viz.painted()
        np.testing.assert_array_equal(viz.shown(), shown)
    viz.find("cross-query").fill("900")  # as far as there are queries
    viz.painted()
    assert viz.choice("crossQuery") == MANY - 1
    # On a narrow screen nothing reaches beyond it.
    viz.page.set_viewport_size({"width": 390, "height": 800})
    chip(viz, "18")
    assert viz.page.evaluate("document.documentElement.scrollWidth") <= 390
    area = viz.find("cross-line").bounding_box()
    assert area["x"] >= 0
    assert area["x"] + area["width"] <= 390
    assert area["height"] < 170
    viz.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_class_token_that_joins_late(viz: Viz) -> None:
    """From the list of models to the stage, at all defaults: the default query, and its own attention."""
    viz.choose_model("timm:cait_xxs24_224?pretrained=no&size=64")
    assert viz.js("[viewer.payload.readout, view.query]") == ["cls", "cls"]
    assert viz.js("viewer.payload.named") == ["cls", "mean"]
    assert viz.shown().size == 16
    chip(viz, VIEWER["chip_cls"])
    assert viz.shown().size == 17
    assert "Cross attention 2, mean of heads: of all patches, CLS" in viz.find("status").inner_text()
    assert "falls on CLS" in viz.find("status").inner_text()
    viz.choose_model("toy")
    assert viz.choice("crossBlock") is None, "a network without such queries shows its layers"
    assert not viz.find("cross-line").is_visible()
