"""Sinks on the page: said unasked, marked where Python finds them, and left out of the scale by one click."""

import gc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import timm

import vizapp
from support.checkpoints import save_vit
from support.english import VIEWER
from support.expected import percent
from support.viz import Viz
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.model.own_network import describe as describe_own
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.limits import Limits
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.answers import sinks
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for

ONE_PAGE = "as it opened"

SINK = (1, 2)


def said(viz: Viz) -> str:
    return viz.find("sinks-said").inner_text()


def choose_layer_of_sinks(viz: Viz) -> dict[str, Any]:
    """The last layer, where the planted one is a sink; what the sentence is to say of it."""
    viz.slide("layer", 3)
    first = viz.js("payload.prefix.length")
    return {"share": percent(viz.shown()[first + 4 * SINK[0] + SINK[1]]), "n": 1}


def test_they_are_said_unasked_marked_and_taken_out(viz: Viz, tmp_path: Path, pictures: SimpleNamespace) -> None:
    """The first picture of a network: the page asks after the paint. The second: they come with the map, and nothing is asked."""
    name = save_vit(tmp_path / "sink.safetensors", sink=1 + SINK[0] * 4 + SINK[1])
    viz.choose_model(name)
    assert viz.js("payload.sinks") is None
    assert VIEWER["sinks_share_1"].format(**choose_layer_of_sinks(viz)) == said(viz)
    asked = len([url for url in viz.requests if "component_server" in url])
    viz.upload(pictures.square)
    seen = pipeline.analyse(pipeline.load(name, "cpu"), str(pictures.square))
    (found,) = vizapp.find_sinks(seen)
    assert (found.row, found.col) == SINK
    ((row, col, share, first, last),) = viz.js("payload.sinks")
    assert (row, col, first, last) == (*SINK, min(found.layers), max(found.layers))
    assert share == pytest.approx(found.share, rel=1e-5)
    later = [url for url in viz.requests if "component_server" in url][asked:]
    assert len(later) <= 1, "the proof, and no sinks"
    assert VIEWER["sinks_share_1"].format(**choose_layer_of_sinks(viz)) == said(viz)
    viz.page.locator(".viz-sinks-more summary").click()
    assert f"({SINK[0] + 1}, {SINK[1] + 1}) {100 * found.share:.0f}" in viz.find("sinks-list").inner_text()
    (own,) = viz.js("view.sinksHere")
    assert tuple(own) == SINK
    marked = viz.pixels()
    viz.find("sinks").uncheck()
    viz.painted()
    assert (viz.pixels() != marked).any()
    assert said(viz) == VIEWER["sinks_off"]
    viz.find("sinks").check()
    assert_it_is_not_what_a_query_looks_at(viz)
    viz.press("Escape")
    viz.leave()
    assert_one_click_takes_them_out_of_the_scale_and_nothing_jumps(viz, seen)


def assert_one_click_takes_them_out_of_the_scale_and_nothing_jumps(viz: Viz, seen: Analysis) -> None:
    before = viz.js("view.map.high")
    places = "['says', 'prediction', 'layer', 'head', 'number'].map((one) => find(one).getBoundingClientRect().top)"
    stood = viz.js(places)
    viz.find("sinks-apart").click()
    viz.painted()
    assert viz.js(places) == stood
    scores = pipeline.explain(seen, "attention", layer=2).scores
    assert before == pytest.approx(scores.max(), rel=1e-2)
    scores[SINK] = 0
    assert viz.js("view.map.high") == pytest.approx(scores.max(), rel=1e-2)
    assert viz.js("view.map.high") < before / 2
    assert viz.find("sinks-apart").get_attribute("aria-pressed") == "true"


def assert_it_is_not_what_a_query_looks_at(viz: Viz) -> None:
    first = viz.js("payload.prefix.length")
    patches = viz.shown()[first:].reshape(4, 4)
    assert patches.argmax() == 4 * SINK[0] + SINK[1]
    patches[SINK] = 0
    row, col = divmod(int(patches.argmax()), 4)
    status = viz.find("status").inner_text()
    assert VIEWER["among_no_sinks"] in status
    assert VIEWER["patch_name"].format(row=row + 1, col=col + 1) in status
    assert VIEWER["patch_name"].format(row=SINK[0] + 1, col=SINK[1] + 1) not in status
    viz.click(0, 0)
    viz.hover(*SINK)
    assert VIEWER["read_sink"] in viz.find("status").inner_text()


def test_of_a_picture_without_sinks_nothing_is_said(viz: Viz, pictures: SimpleNamespace) -> None:
    assert viz.js("view.sinksFound") == []
    assert not viz.find("sinks-line").is_visible()
    viz.upload(pictures.square)
    assert viz.js("view.sinksFound") == []
    assert not viz.find("sinks-line").is_visible()


def test_what_nobody_asked_for_is_dropped_and_can_be_asked_for(
    viz: Viz, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy server drops questions that no visitor asked. The page does not repeat them by itself; a button does."""
    full = {**Limits().in_all, "spare": 0}
    monkeypatch.setattr(PROCESSOR, "limits", Limits(in_all=full))
    viz.choose_model(save_vit(tmp_path / "other.safetensors", sink=1 + SINK[0] * 4 + SINK[1]))
    assert said(viz) == ""
    assert viz.js("view.sinksFound") is None
    viz.page.get_by_role("button", name=VIEWER["sinks_look"]).click()
    viz.page.wait_for_function("document.querySelector('.viz').viewer.view.sinksFound?.length === 1")
    assert not viz.find("sinks-look").is_visible()


def test_sinks_that_come_later_do_not_move_the_layer(viz: Viz, tmp_path: Path) -> None:
    """The first picture of a network: they are known after the paint."""
    viz.page.evaluate(
        """() => {
          window.layers = new Set();
          const { viewer } = document.querySelector(".viz");
          const paint = viewer.paint.bind(viewer);
          viewer.paint = () => { paint(); if (viewer.view?.payload.sinks === null) window.layers.add(viewer.view.layer); };
        }"""
    )
    viz.choose_model(save_vit(tmp_path / "late.safetensors", seed=5, sink=1 + SINK[0] * 4 + SINK[1]))
    assert viz.js("[payload.sinks, view.sinksFound.length]") == [None, 1]
    assert viz.page.evaluate("window.layers.size") == 1
    viz.js("delete viewer.paint")


def test_where_none_can_be_found_it_is_said_why() -> None:
    model = timm.create_model("swin_tiny_patch4_window7_224", img_size=56, depths=(1, 2), num_heads=(2, 4)).eval()
    seen = pipeline.analyse(model, np.zeros((56, 56, 3), np.uint8))

    def look(which: str) -> Analysis:
        return {"this": seen}[which]

    words = words_for("en")
    ask.remember(Run("run", seen, describe_own(model), look, ("this",), True))
    assert "grids of their own" in sinks.answer("run", None, words)["why"]
    assert sinks.answer("another", None, words) == {}
    del look
    gc.collect()
    assert sinks.answer("run", None, words) == {}, "a page that is gone keeps nothing alive"
