"""Sinks on the page: marked where Python finds them, listed in words, and left out of the scale on demand."""

from __future__ import annotations

import gc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import timm
from checkpoints import save_vit

import vizapp
from ui.viz import Viz
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.model.own import describe as describe_own
from vizapp.ui.viewer.answers import sinks
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for
from vizapp.ui.words.en import VIEWER

SINK = (1, 2)


@pytest.fixture
def with_sink(viz: Viz, tmp_path: Path) -> tuple[Viz, str]:
    """A page that shows a network of 4 x 4 patches, of which one swallows attention."""
    name = save_vit(tmp_path / "sink.safetensors", sink=1 + SINK[0] * 4 + SINK[1])
    viz.choose_model(name)
    return viz, name


def words_of(viz: Viz) -> str:
    viz.page.wait_for_function(
        "() => !['', document.w].includes(document.querySelector('.viz-sinks-said').textContent)"
    )
    viz.painted()
    return viz.find("sinks-said").inner_text()


def mark(viz: Viz) -> None:
    viz.page.evaluate("(words) => (document.w = words)", VIEWER["sinks_wait"])
    viz.find("sinks").check()


def test_they_are_marked_and_told(with_sink: tuple[Viz, str], pictures: SimpleNamespace) -> None:
    viz, name = with_sink
    viz.upload(pictures.square)
    plain = viz.pixels()
    assert not viz.find("sinks-apart").is_visible()
    mark(viz)
    said = words_of(viz)
    (found,) = vizapp.find_sinks(pipeline.analyse(pipeline.load(name, "cpu"), str(pictures.square)))
    assert (found.row, found.col) == SINK
    assert f"({SINK[0] + 1}, {SINK[1] + 1}) {100 * found.share:.0f}" in said
    (own,) = viz.js("view.sinksHere")
    assert tuple(own) == SINK
    assert (viz.pixels() != plain).any()
    viz.find("sinks").uncheck()
    viz.painted()
    np.testing.assert_array_equal(viz.pixels(), plain)
    assert viz.find("sinks-said").inner_text() == ""


def test_the_scale_without_them(with_sink: tuple[Viz, str], pictures: SimpleNamespace) -> None:
    viz, name = with_sink
    viz.upload(pictures.square)
    mark(viz)
    words_of(viz)
    before = viz.js("view.map.high")
    viz.find("sinks-apart").check()
    viz.painted()
    seen = pipeline.analyse(pipeline.load(name, "cpu"), str(pictures.square))
    scores = pipeline.explain(seen, "attention", layer=2).scores
    assert before == pytest.approx(scores.max(), rel=1e-2)
    scores[SINK] = 0
    assert viz.js("view.map.high") == pytest.approx(scores.max(), rel=1e-2)
    assert viz.js("view.map.high") < before / 2


def test_a_picture_without_sinks_says_so_and_the_next_one_is_looked_at_too(viz: Viz, pictures: SimpleNamespace) -> None:
    mark(viz)
    assert words_of(viz) == VIEWER["sinks_none"]
    asked = len(viz.requests)
    viz.upload(pictures.square)
    assert words_of(viz) == VIEWER["sinks_none"]
    assert any("component_server" in url for url in viz.requests[asked:])


def test_where_none_can_be_found_it_is_said_why() -> None:
    model = timm.create_model("swin_tiny_patch4_window7_224", img_size=56, depths=(1, 2), num_heads=(2, 4)).eval()
    seen = pipeline.analyse(model, np.zeros((56, 56, 3), np.uint8))

    def look(which: str) -> Analysis:
        return {"this": seen}[which]

    words = words_for("en")
    sinks.remember(Run("run", seen, describe_own(model), look, ("this",), True))
    assert "grids of their own" in sinks.answer("run", None, words)["why"]
    assert sinks.answer("another", None, words) == {}
    del look
    gc.collect()
    assert sinks.answer("run", None, words) == {}, "a page that is gone keeps nothing alive"
