"""A map knows what it is of: it is painted and saved on nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizapp
from support.networks import small_vit
from vizapp import VizError
from vizapp.analysis import Analysis

DOORS: dict[str, Callable[[Analysis, Any, Path], Any]] = {
    "paint": lambda seen, one, folder: vizapp.paint(seen, one),
    "plot": lambda seen, one, folder: vizapp.plot(seen, one),
    "save": lambda seen, one, folder: vizapp.save(seen, one, folder / "one.png"),
    "save numbers": lambda seen, one, folder: vizapp.save(seen, one, folder / "one.npz"),
}


@pytest.fixture
def seen(picture: np.ndarray) -> Analysis:
    return vizapp.analyse(small_vit(), picture)


@pytest.mark.parametrize("door", DOORS)
def test_a_map_of_something_else_is_refused(door: str, seen: Analysis, picture: np.ndarray, tmp_path: Path) -> None:
    """Of another picture, other weights, other edits, another name: one at a time."""
    model = seen.context.model
    others = {
        "another picture": vizapp.analyse(model, picture[::-1].copy()),
        "or of other weights": replace(seen, trace=replace(seen.trace, logits=seen.trace.logits + 1)),
        " head-off:1.0, not of": vizapp.analyse(model, picture, edits="head-off:1.0"),
        "elsewhere, not of": vizapp.analyse(replace(model, name="elsewhere"), picture),
    }
    for said, other in others.items():
        with pytest.raises(VizError, match=f"The map is of .*{said}.*the analysis that it was made from"):
            DOORS[door](seen, vizapp.explain(other, "attention"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("door", DOORS)
def test_a_map_of_the_same_is_taken(door: str, seen: Analysis, picture: np.ndarray, tmp_path: Path) -> None:
    """Of another pass, of a batch, of a file, and one that a caller made."""
    seen.save(tmp_path / "kept")
    [many, _] = vizapp.analyse_many(seen.context.model, [picture, picture[::-1].copy()])
    for other in (vizapp.analyse(seen.context.model, picture), many, vizapp.open(tmp_path / "kept")):
        DOORS[door](seen, vizapp.explain(other, "attention"), tmp_path)
    DOORS[door](seen, replace(vizapp.explain(seen, "attention"), of=None), tmp_path)
