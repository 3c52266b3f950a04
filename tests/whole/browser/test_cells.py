"""Patches that do not lie evenly on the picture, on the page: painted where they look, and found there by the pointer."""

from dataclasses import replace

import numpy as np
import pytest

from support.padded import SIDE, seen_by
from support.viz import Viz
from vizapp import pipeline
from vizapp.render.colour import lut

ONE_PAGE = "as it was left"


@pytest.mark.parametrize("which", ["vitpose", "overlapping"])
def test_each_pixel_has_the_colour_of_the_patch_that_looks_there(viz: Viz, which: str) -> None:
    """Where no patch looks the picture is grey, a pointer finds nothing, and the note says so."""
    seen = replace(seen_by(which), truth=())  # an outline would cover colours
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
    for y in range(SIDE):
        for x in range(SIDE):
            at = seen.frame.patch_at(x + 0.25, y + 0.25, scores.shape)  # never on a border
            there = [(x + 0.25) / SIDE, (y + 0.25) / SIDE]
            assert viz.js("view.cellAt(argument)", there) == (list(at) if at else None)
            found = painted[int(top + there[1] * side), int(left + there[0] * side), :3].astype(int)
            if not (np.ptp(found) <= 2 if at is None else np.abs(found - colours[steps[at]].astype(int)).max() <= 4):
                wrong.append((y, x, at, found.tolist(), None if at is None else colours[steps[at]].tolist()))
    assert wrong == []
