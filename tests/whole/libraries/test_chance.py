"""A map is judged by its percentile among random orders."""

import numpy as np
import pytest

import vizapp
from support.comparisons import seen_clutter
from vizapp.analysis import Analysis
from vizapp.core.trust.faithfulness import DELETION, FINE, INSERTION, curves


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return seen_clutter()


def test_a_map_is_judged_by_its_percentile_among_random_orders(seen: Analysis) -> None:
    """Line by line: nineteen seeds measured one by one; what differs is never a range of a few of them."""
    found = vizapp.compare(seen, ["rollout", "chefer"], steps=FINE, orders=19)
    context = seen.of_class(None)
    args = context.model.net, context.pixels
    few = (
        0,
        0.08,
        0.16,
        0.32,
        0.64,
        1,
    )  # of FINE: what the first steps add to an area is too little to be paid nineteen times
    each = [
        curves(*args, vizapp.explain(seen, "random", seed=seed).scores, context.explained, few).areas
        for seed in range(19)
    ]
    assert found.orders == 19
    assert found.curves["random"].areas == pytest.approx(tuple(np.mean(each, 0)), abs=1e-5)
    rows = {row["method"]: row for row in found.rows()}
    for place, measure in enumerate((DELETION, INSERTION)):
        np.testing.assert_allclose(found.chance[measure.name], [one[place] for one in each], atol=1e-5)
        for name in ("rollout", "chefer", "centre"):
            own = curves(*args, found.maps[name].scores, context.explained, few).areas[place]
            worse = [one[place] > own if measure is DELETION else one[place] < own for one in each]
            assert found.beaten(name, measure) == rows[name][f"{measure.name} over random"] == np.mean(worse)
            assert found.beats_chance(name, measure) == all(worse)
    assert rows["random"]["deletion over random"] is None
    plain = vizapp.compare(seen, ["rollout"], steps=2)
    assert (plain.orders, dict(plain.chance)) == (1, {})
    assert "deletion over random" not in plain.rows()[0]
    assert list(plain.curves) == ["rollout", "random", "centre"]
    assert vizapp.compare(seen, ["rollout"], steps=1, orders=7).orders == 7, "too few for a verdict, so none ends early"
