"""The ledger: "exact" stands beside nothing that is partial, and each place that shows a map says what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.torch import save_file

import vizapp
from support.gaps import (
    OTHERS,
    Hybrid,
    of,
)
from support.networks import pixels_for
from vizapp.analysis import archive
from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.methods import ruled_out
from vizapp.errors import VizError


def partial() -> vizapp.Analysis:
    return vizapp.analyse(of(Hybrid(OTHERS["sigmoid"])), pixels_for(of(Hybrid()))[0].double())


def test_each_place_says_what_a_map_lacks(tmp_path: Path) -> None:
    seen = partial()
    sentence = "Only 2 of 3 attentions of this network are shown: blocks.1 is not, as it weighs tokens by one another"
    assert sentence in str(seen).splitlines()[0]
    assert sentence in str(seen.ledger.caution)
    found = vizapp.explain(seen, "attention", layer=0)
    assert sentence in found.notes[-1]
    own = vizapp.explain(seen, lambda trace, query: np.ones(trace.layout.grid))
    assert sentence in own.notes[-1], "beside a map of one's own method, too"
    vizapp.save(seen, found, tmp_path / "numbers.npz")
    about = json.loads(str(np.load(tmp_path / "numbers.npz")["about"]))
    assert sentence in about["notes"][-1]
    assert about["provenance"]["attention"]["left_out"].keys() == {"blocks.1"}
    assert "rollout" in about["provenance"]["attention"]["ruled_out"]
    seen.save(tmp_path / "kept")
    assert vizapp.open(tmp_path / "kept").ledger == seen.trace.ledger
    assert "rollout" in ruled_out(seen.ledger)
    assert ruled_out(vizapp.analyse("toy", "assets/examples/scene-1.jpg").ledger) == {}


def test_each_attention_that_is_not_shown_has_its_reason() -> None:
    """The first in the sentence beside a map, the others in the longer list."""
    ledger = Ledger(
        (
            Entry("a", "layers"),
            Entry("b", why="it weighs twice"),
            Entry("c", why="it was lost"),
            Entry("d", why="x", beside=True),
        )
    )
    assert "b and 1 more are not, the first as it weighs twice" in ledger.caution
    [other] = ledger.details
    assert other == "c is not shown, as it was lost."
    assert Ledger((Entry("a", "layers"),)).details == ()


def test_a_file_from_before_there_was_a_ledger_keeps_what_it_knew(tmp_path: Path) -> None:
    partial().save(tmp_path / "new")
    with safe_open(tmp_path / "new", framework="pt") as file:
        head, tensors = json.loads(file.metadata()[archive.KEY]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    parts = head["content"]["map"]["trace"]["parts"]["map"]
    parts["no_chain"] = parts.pop("ledger")["parts"]["map"]["no_chain"]
    parts["skipped"] = {"map": {"blocks.1": "it weighs channels, not patches"}}
    save_file(tensors, tmp_path / "old", {archive.KEY: json.dumps(head)})
    again = vizapp.open(tmp_path / "old")
    assert again.trace.skipped == {"blocks.1": "it weighs channels, not patches"}
    assert [one.name for one in again.ledger.shown] == ["blocks.0", "blocks.2"]
    with pytest.raises(VizError, match=r"rollout means nothing here: blocks\.1"):
        vizapp.explain(again, "rollout")
