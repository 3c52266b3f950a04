"""The ledger: "exact" stands beside nothing that is partial, and each place that shows a map says what it lacks."""

import json
from pathlib import Path

import numpy as np

import vizapp
from support.gaps import OTHERS, Hybrid, of
from support.networks import pixels_for
from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.methods import ruled_out


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
