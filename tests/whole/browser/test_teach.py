"""Things that are taught on the page: what is marked by click and by key, and the labels, which are Python's."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import vizapp
from support.viz import Viz
from vizapp import pipeline
from vizapp.ui.words.en import VIEWER

HAVE = "document.querySelector('.viz').viewer.state.get('taught')?.run === document.querySelector('.viz').viewer.payload.run"


def labels(viz: Viz) -> np.ndarray:
    """(rows, cols): of each patch the number of its thing."""
    viz.page.wait_for_function(HAVE)
    viz.painted()
    return np.array(viz.js("state.get('taught').labels.map(([thing]) => thing)")).reshape(viz.js("payload.grid"))


def test_marks_colour_this_picture_and_the_next(viz: Viz, pictures: SimpleNamespace, models: SimpleNamespace) -> None:
    viz.upload(pictures.square)
    viz.find("teach-open").click()
    viz.page.get_by_text(VIEWER["teach_hint"]).wait_for()
    viz.click(0, 1)
    viz.click(2, 0)
    viz.click(2, 0)  # and not any more
    viz.page.locator(".viz-teach-choose").nth(1).click()
    viz.find("stage").focus()
    viz.leave()
    viz.press("ArrowDown")  # from the middle
    viz.press("ArrowRight")
    viz.press("Enter")
    rows, cols = viz.js("payload.grid")
    net = pipeline.load(models.registers, "cpu")
    seen = vizapp.analyse(net, str(pictures.square))
    taught = vizapp.teach(seen, {"a": [(0, 1)], "b": [(rows // 2 + 1, cols // 2 + 1)]})
    assert np.array_equal(labels(viz), taught.labels(seen).nearest)
    shares = viz.page.locator(".viz-teach-share").all_inner_texts()
    assert "of the picture" in shares[0]
    shown = viz.pixels()
    viz.find("teach-colours").click()
    viz.painted()
    assert not np.array_equal(viz.pixels(), shown), "the attention map again"
    viz.find("teach-colours").click()
    viz.upload(pictures.landscape)
    later = vizapp.analyse(net, str(pictures.landscape))
    assert np.array_equal(labels(viz), taught.labels(later).nearest)
    assert viz.js("state.get('things').map(({ at }) => at.length)") == [0, 0]
    assert not viz.errors
