"""Many methods on one picture: the table is what its parts say, sanity sees who listens to the classifier."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.evaluations import seen_clutter
from support.networks import small_vit, timm_model
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.core.attention.relevance import Relevance
from vizapp.core.trust.agreement import rank_correlation
from vizapp.core.trust.chance import is_lost
from vizapp.core.trust.faithfulness import DELETION, FINE, INSERTION, Curves, curves_of
from vizapp.core.trust.randomisation import randomised
from vizapp.model.toy.lessons import LESSONS

FEW = ["rollout", "chefer", "legrad"]


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return seen_clutter()


@pytest.fixture(scope="module")
def compared(seen: Analysis) -> vizapp.Comparison:
    return vizapp.compare(seen, FEW, steps=6)


def test_each_row_says_what_its_parts_say(seen: Analysis, compared: vizapp.Comparison) -> None:
    assert [row["method"] for row in compared.rows()] == [*FEW, "random", "centre"]
    rows = {row["method"]: row for row in compared.rows()}
    np.testing.assert_array_equal(compared.maps["chefer"].scores, vizapp.explain(seen, "chefer").scores)
    assert (rows["chefer"]["deletion"], rows["chefer"]["insertion"]) == compared.curves["chefer"].areas
    inside = seen.frame.mask_of(seen.truth[0].mask)
    patches = inside.reshape(14, 8, 14, 8).mean((1, 3))
    scores = compared.maps["rollout"].scores
    assert rows["rollout"]["energy"] == pytest.approx(float((scores * patches).sum() / scores.sum()), rel=1e-6)
    assert rows["rollout"]["class_specific"] is False
    assert compared.curves["rollout"].deletion[0] == pytest.approx(seen.top(1)[0][1], abs=1e-5)


def test_classes_have_their_own_probability_and_rows_in_one_table(seen: Analysis, tmp_path: Path) -> None:
    other = vizapp.compare(seen, ["chefer"], target=seen.top(2)[1][0], steps=4)
    assert other.curves["chefer"].deletion[0] == pytest.approx(seen.top(2)[1][1], abs=1e-5)
    assert seen.labels[other.target] == seen.top(2)[1][0]
    one, two = (vizapp.compare(seen, ["chefer"], target=seen.top(2)[place][0], steps=2) for place in (0, 1))
    one.save(tmp_path / "both.csv", two)
    rows = list(csv.DictReader((tmp_path / "both.csv").read_text().splitlines()))
    assert [row["class"] for row in rows if row["method"] == "chefer"] == [label for label, _ in seen.top(2)]
    assert [float(row["deletion"]) for row in rows if row["method"] == "chefer"] == pytest.approx(
        [found.curves["chefer"].areas[0] for found in (one, two)]
    )


def test_what_means_nothing_is_skipped_with_its_reason() -> None:
    seen = vizapp.analyse(timm_model("vit_small_patch14_reg4_dinov2"), LESSONS["one"].example(0, 112).picture)
    found = vizapp.compare(seen, ["rollout", "chefer", "cross_attention"], steps=2)
    assert set(found.maps) == {"rollout", "chefer", "random", "centre"}
    assert "means nothing here" in found.skipped["cross_attention"]
    assert found.target == seen.trace.largest


def test_progress_is_told_and_can_stop(seen: Analysis) -> None:
    told: list[tuple[str, float]] = []
    vizapp.compare(seen, ["rollout"], steps=2, on_progress=lambda what, share: told.append((what, share)))
    assert [share for _, share in told] == sorted(share for _, share in told)
    assert told[0] == ("rollout", 0.0)
    assert 0.5 <= told[-1][1] < 1

    class Stop(Exception):
        pass

    def stop(what: str, share: float) -> None:
        if share >= 0.5:
            raise Stop

    with pytest.raises(Stop):
        vizapp.compare(seen, ["rollout"], steps=2, on_progress=stop)


def test_tables_are_saved(compared: vizapp.Comparison, tmp_path: Path) -> None:
    compared.save(tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert float(rows[1]["deletion"]) == pytest.approx(compared.curves["chefer"].areas[0])
    compared.save(tmp_path / "table.json")
    saved = json.loads((tmp_path / "table.json").read_text())
    assert saved["class"] == compared.seen.top(1)[0][0]
    assert [row["method"] for row in saved["rows"]] == list(compared.maps)
    with pytest.raises(VizError, match="neither"):
        compared.save(tmp_path / "table.txt")


def test_agreement_is_spearmans(compared: vizapp.Comparison) -> None:
    from scipy.stats import spearmanr

    names, matrix = compared.agreement()
    maps = [compared.maps[name].scores.ravel() for name in names]
    np.testing.assert_allclose(matrix, spearmanr(np.array(maps), axis=1).statistic, atol=1e-12)
    ties = [np.array([1, 1, 2, 3, 3.0]), np.array([5, 4, 4, 2, 1.0])]
    assert rank_correlation(ties)[0, 1] == pytest.approx(spearmanr(*ties).statistic)
    for no_order in (np.ones(4), np.array([0, 1, np.nan, 2])):
        np.testing.assert_array_equal(rank_correlation([no_order, np.arange(4.0)]), [[1, np.nan], [np.nan, 1]])


def test_rollout_does_not_notice_that_the_classifier_forgot(seen: Analysis) -> None:
    found = vizapp.sanity(seen, ["rollout", "chefer"])
    assert found.stages[:2] == ("classifier", "+ layer 5")
    assert found.correlation["rollout"][0] == pytest.approx(1)  # it never asks the classifier
    assert found.correlation["chefer"][0] < 0.9
    assert found.correlation["rollout"][-1] < 0.7


def test_what_is_forgotten_depends_on_the_seed() -> None:
    """The same seed draws the same weights, another one others."""
    small = vizapp.analyse(small_vit(), np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8))
    one, again, other = (vizapp.sanity(small, ["rollout"], seed=seed).correlation["rollout"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.allclose(one[1:], other[1:])


def test_forgetting_leaves_the_network_as_it_was(seen: Analysis) -> None:
    model = seen.context.model
    before = {name: value.clone() for name, value in model.net.state_dict().items()}
    forgetful = randomised(seen.context, 1)
    for name, value in model.net.state_dict().items():
        assert torch.equal(value, before[name])
    shared = dict(forgetful.net.named_parameters())["patch_embed.proj.weight"]
    assert shared.data_ptr() == model.net.patch_embed.proj.weight.data_ptr()  # no second copy of what is kept


def test_settings_are_those_of_each_method(seen: Analysis) -> None:
    asked = {"attention": {"layer": 0, "head": 1}, "rollout": {"skip_weight": 0.2}}
    found = vizapp.compare(seen, ["attention", "rollout", "chefer"], steps=0, settings=asked)
    for name in ("attention", "rollout", "chefer"):
        np.testing.assert_array_equal(found.maps[name].scores, vizapp.explain(seen, name, **asked.get(name, {})).scores)
    for wrong, said in (
        ({"chefer": {"skip_weight": 1}}, "no setting 'skip_weight'"),
        ({"rollout": {"skip_weight": "much"}}, "not possible"),
        ({"legrad": {}}, "not among the methods"),
        ({"lime": {}}, "no method 'lime'"),
    ):
        with pytest.raises(VizError, match=said):
            vizapp.compare(seen, ["rollout", "chefer"], settings=wrong)
    plain, other = (
        vizapp.sanity(seen, ["rollout"], settings=one).correlation["rollout"]
        for one in ({}, {"rollout": {"skip_weight": 0.1}})
    )
    assert not np.allclose(plain, other)


def test_what_beats_chance() -> None:
    """Planted areas. One order of 39 that lies far out hides nothing, as the range of all did; two that are as good do."""
    share = np.array([0.0, 1.0])

    def level(value: float) -> Curves:
        return Curves(share, np.full(2, value), np.full(2, 1 - value))

    areas = {"chefer": level(0.137), "rollout": level(0.36), "legrad": level(0.4)}
    spread_out = np.r_[0.36, np.linspace(0.4, 0.9, 38)]
    found = vizapp.Comparison(
        None, 0, {}, {}, areas, None, {}, orders=39, chance={"deletion": spread_out, "insertion": 1 - spread_out}
    )
    assert found.ranking(DELETION) == found.ranking(INSERTION) == ["chefer", "rollout", "legrad"]
    for measure in (DELETION, INSERTION):
        assert [found.beats_chance(name, measure) for name in areas] == [True, True, False]
        assert [found.beaten(name, measure) for name in areas] == [1, 38 / 39, 37 / 39]
    assert [is_lost([one], list(map(level, spread_out)), 39) for one in areas.values()] == [False, False, True]
    few = {name: some[:18] for name, some in found.chance.items()}
    assert not replace(found, chance=few).beats_chance("chefer", DELETION), "18 and one have no best twentieth"


def test_orders_end_where_no_map_can_beat_them_any_more(seen: Analysis) -> None:
    """A map upside down loses to the first random orders, so the rest are not measured; maps are measured before orders are."""

    def upside_down(seen: Analysis, name: str, **rest: Any) -> Relevance:
        one = vizapp.explain(seen, name, **rest)
        return one if name == "random" else replace(one, scores=-one.scores)

    found = vizapp.compare(seen, ["rollout"], steps=FINE, orders=19, explain=upside_down)
    assert 1 < found.orders < 19
    assert not any(found.beats_chance("rollout", measure) for measure in (DELETION, INSERTION))
    assert list(found.curves) == list(found.maps)


@pytest.mark.parametrize("steps", [20, FINE], ids=str)
def test_a_map_and_random_orders_are_compared_at_the_same_points(seen: Analysis, steps: Any) -> None:
    """Planted: the map is one of the random orders, so its areas are those of that order."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 112 * 112, 5))

    def quickly(_: nn.Module, pixels: Tensor, maps: Any, target: Any, *rest: Any) -> list[Curves]:
        return curves_of(net, pixels, maps, 0, *rest)

    def an_order(seen: Analysis, name: str, **rest: Any) -> Relevance:
        return vizapp.explain(seen, "random", seed=2) if name == "rollout" else vizapp.explain(seen, name, **rest)

    found = vizapp.compare(seen, ["rollout"], steps=steps, orders=19, explain=an_order, curves=quickly)
    own, same = found.curves["rollout"].coarse, found.drawn[2]
    assert own.share.tolist() == same.share.tolist()
    assert own.areas == pytest.approx(same.areas, rel=1e-5)
