"""The ledger: "exact" stands beside nothing that is partial, and each place that shows a map says what it lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import timm
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

import vizapp
from support.gaps import (
    OTHERS,
    UNDERSTOOD,
    BesideWords,
    Gate,
    Hop,
    Hybrid,
    KeepAttended,
    Mixer,
    Sample,
    in_pieces,
    of,
    threaded,
)
from support.networks import pixels_for, sharpen
from vizapp.analysis import archive
from vizapp.core.capture.check import check
from vizapp.core.methods import ruled_out
from vizapp.errors import VizError


def cait() -> nn.Module:
    return sharpen(timm.create_model("cait_xxs24_224", img_size=32, depth=2, num_classes=3))


# Networks, and how many of their attentions nothing shows: known by how each was made.
NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    **{f"understood: {how}": (lambda how=how: Hybrid(UNDERSTOOD[how]), 0) for how in UNDERSTOOD},
    # In "features first" learned queries gather what patches hold, which is shown as what it is.
    **{f"other: {how}": (lambda how=how: Hybrid(OTHERS[how]), 1) for how in OTHERS if how != "features first"},
    "in pieces": (lambda: Hybrid(in_pieces(False, True)), 2),
    "lost on the way": (Hop, 1),
    "in a thread": (lambda: threaded(1), 1),
    "beside the picture": (BesideWords, 0),
    "gate": (lambda: Hybrid(between=Gate()), 0),
    "mixer": (lambda: Hybrid(between=Mixer()), 0),
    "drops tokens": (lambda: Hybrid(between=KeepAttended()), 2),
    "samples tokens": (lambda: Hybrid(between=Sample()), 2),
    "class attention (CaiT)": (cait, 0),
}


def test_exact_stands_beside_nothing_that_is_partial() -> None:
    slips = []
    for name, (make, hidden) in NETWORKS.items():
        model = of(make())
        found = check(model, pixels_for(model).double())
        seen = vizapp.analyse(model, pixels_for(model)[0].double())
        lacks = len(seen.ledger.left_out)
        if not found.holds:
            slips.append(f"{name}: {found.verdict}")
        for where, said in (("check", found.verdict == "exact"), ("print", str(seen.ledger.line).startswith("All"))):
            if said != (hidden == 0):
                slips.append(f"{name}: {where} says {found.verdict if where == 'check' else seen.ledger.line}")
        if lacks < hidden or (hidden == 0 and lacks):
            slips.append(
                f"{name}: {hidden} are not shown, the ledger names {[one.name for one in seen.ledger.left_out]}"
            )
        if bool(vizapp.explain(seen, "attention").notes) != bool(hidden):
            slips.append(f"{name}: the sentence beside its map")
    assert slips == []


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
    seen.save(tmp_path / "kept")
    assert vizapp.open(tmp_path / "kept").ledger == seen.trace.ledger
    assert "rollout" in ruled_out(seen.ledger)
    assert ruled_out(vizapp.analyse("toy", "assets/examples/scene-1.jpg").ledger) == {}


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
