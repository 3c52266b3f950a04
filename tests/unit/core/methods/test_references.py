"""The table of docs/methods.md: every method has a reference that it equals, and the table is that of today's references."""

import json

import pytest
import torch

from bench.references.seen import references
from bench.references.table import FILE, table
from support.networks import small_vit
from vizapp.core.capture.forward import capture
from vizapp.core.methods import methods

pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
pytest.importorskip("scipy", reason="scipy is an extra: pip install vizapp[methods]")


def test_every_method_equals_the_formula_of_its_paper() -> None:
    """On a small network; what stands in the table was made on toy and DeiT-Ti."""
    model = small_vit()
    rows, trace = table(model, 1), capture(model, torch.zeros(1, 3, 32, 32))
    equal = [row for row in rows if row["kind"] == "paper"]
    some = {name for name, one in methods().items() if not one.baseline and not one.why_not(trace)}
    assert {row["method"] for row in equal} == some
    assert set(methods()) - some - {one for one in methods() if methods()[one].baseline} == {"cross_attention"}, (
        "tests/whole/libraries/test_cross_networks.py has its references"
    )
    assert not [row for row in equal if not (row["r"] >= 0.999999 and row["difference"] <= 1e-5)]


@pytest.mark.parametrize("network", ["toy", "DeiT-Ti"])
def test_the_table_is_that_of_these_references(network: str) -> None:
    rows = json.loads(FILE.read_text("utf-8"))[network]["rows"]
    said = [(row["method"], row["settings"], row["title"], row["kind"], row["about"]) for row in rows]
    assert said == [(one.method, dict(one.settings), one.title, one.kind, one.about) for one in references()], (
        "run: python -m bench.references"
    )
    # Transformer attribution divides by sums that may be next to nothing: rounding in float64 is up to 5e-5 of its range.
    assert all(row["r"] >= 0.999999 and row["difference"] <= 1e-4 for row in rows if row["kind"] == "paper")
    assert all(row["about"] for row in rows if row["kind"] == "code")
