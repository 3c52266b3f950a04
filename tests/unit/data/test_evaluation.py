"""Evaluation: the right sums, the right intervals, and a run that was broken off ends as an unbroken one."""

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import vizapp
from support.evaluations import silent
from support.together import together
from vizapp.analysis.unfinished import Unfinished
from vizapp.core.metrics import metric_named
from vizapp.data.engines import engine_named
from vizapp.data.evaluation import evaluate, key_of, run
from vizapp.data.intervals import Interval, Z, bounded, interval_of, mean_of, student, wilson
from vizapp.data.report import table
from vizapp.data.statistics import Answer, Evaluation, MapKey, RunningStats
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS


@pytest.fixture(scope="module")
def result(toy: VisionModel) -> Evaluation:
    return evaluate(toy, "clutter", count=4)


def same(one: Evaluation, other: Evaluation) -> bool:
    """Sums that were broken off and taken up again may differ in the last bit."""
    return one.scores.keys() == other.scores.keys() and all(
        math.isclose(one[seen][name].mean, other[seen][name].mean, rel_tol=1e-12)
        and math.isclose(one[seen][name].high, other[seen][name].high, rel_tol=1e-9)
        for seen in one.scores
        for name in one[seen]
    )


def test_a_number_is_the_mean_of_what_the_road_gives(toy: VisionModel, result: Evaluation) -> None:
    """The last layer, head 3, and rollout, by load, analyse, explain and the metric, one picture after the other."""
    one_head, rolled, hits = [], [], 0
    for number in range(4):
        example = LESSONS["clutter"].example(number)
        seen = vizapp.analyse(toy, example.picture)
        mask = seen.frame.mask_of(example.truth)
        hits += seen.top(1)[0][0] == LESSONS["clutter"].classes[example.answers[0]]
        one_head.append(metric_named("energy")(vizapp.explain(seen, "attention", layer=4, head=2).scores, mask))
        rolled.append(metric_named("auc")(vizapp.explain(seen, "rollout").scores, mask))
    assert result[MapKey("attention", 4, 2)]["energy"].mean == pytest.approx(np.mean(one_head))
    assert result[MapKey("rollout")]["auc"].mean == pytest.approx(np.mean(rolled))
    assert result[MapKey("rollout")]["auc"] == mean_of(np.array(rolled), "area")
    half = scipy.stats.t.ppf(0.975, 3) * np.std(rolled, ddof=1) / 2
    assert mean_of(np.array(rolled)).high - np.mean(rolled) == pytest.approx(half, rel=1e-3)
    assert result.accuracy is not None
    assert result.accuracy.mean == hits / 4


def test_it_holds_every_layer_every_head_and_the_baselines_and_prints_intervals(result: Evaluation) -> None:
    heads = [seen for seen in result.scores if seen.head is not None]
    assert len(heads) == 5 * 6
    fused = {str(seen) for seen in result.fused}
    assert fused == {"random", "centre", "rollout", *(f"attention, layer {i}" for i in range(5))}
    assert result.best_head() == max(heads, key=lambda seen: result[seen]["energy"].mean)
    assert result[MapKey("random")]["lift"].mean == pytest.approx(1, abs=0.3)
    said = table(result)
    found = result[MapKey("rollout")]["energy"]
    assert f"{found.mean:.3f} [{found.low:.2f}, {found.high:.2f}]" in said
    assert "+-" not in said


def test_the_share_of_right_answers_has_wilsons_interval() -> None:
    """Wilson 1927 for 8 of 10, computed by solving |p - share| = z sqrt(p (1 - p) / n) numerically."""
    p = np.linspace(1e-6, 1 - 1e-6, 2_000_001)
    inside = p[np.abs(p - 0.8) <= 1.96 * np.sqrt(p * (1 - p) / 10)]
    interval = wilson(8, 10)
    assert (interval.mean, interval.low, interval.high) == pytest.approx((0.8, inside[0], inside[-1]), abs=1e-5)
    assert wilson(10, 10).high <= 1
    assert wilson(0, 10).high == pytest.approx(Z**2 / (10 + Z**2), abs=1e-12), "the same quantile as all else, not 1.96"


@together("freedom", [*range(1, 16), 30, 100, 5000])
def test_a_mean_of_few_pictures_has_the_interval_of_student(freedom: int) -> None:
    assert student(freedom) == pytest.approx(scipy.stats.t.ppf(0.975, freedom), abs=2e-3)


def test_an_interval_of_shares_stays_within_0_and_1() -> None:
    """And is Wilson's for numbers that are 0 or 1, Student's for many, and solves its equation."""
    few = np.array([1.0, 0.9, 0.4])
    found = mean_of(few, "share")
    assert 0 <= found.low < found.mean < found.high <= 1
    assert mean_of(few).high > 1, "as Student's does not"
    phi = few.var(ddof=1) / (few.mean() * (1 - few.mean()))
    for end in (found.low, found.high):
        t = abs(few.mean() - end) / math.sqrt(phi * end * (1 - end) / 3)
        assert t == pytest.approx(scipy.stats.t.ppf(0.975, 2), rel=1e-3)
    many = np.random.default_rng(0).beta(8, 2, 5000)
    assert mean_of(many, "area").low == pytest.approx(mean_of(many).low, abs=1e-4)
    hits = np.repeat([0.0, 1.0], [1000, 3000])
    assert mean_of(hits, "share").low == pytest.approx(wilson(3000, 4000).low, abs=1e-4)
    assert bounded(5, 0, 0).high == pytest.approx(wilson(0, 5, student(4)).high), "all 0: nothing tells the spread"
    assert interval_of("times", 2, 3.0, 8.9).low == 0
    assert mean_of(np.array([3.0, 4.0]), "share") == mean_of(np.array([3.0, 4.0])), (
        "what is no share is not forced to be"
    )


def test_the_interval_of_three_shares_holds_the_truth_as_often_as_it_says() -> None:
    """Where Student's and the bootstrap do not (the shape is that of energies of a good map)."""
    samples = np.random.default_rng(1).beta(0.5, 4, (1500, 5))
    inside = [found.low <= 0.5 / 4.5 <= found.high for found in (mean_of(one, "share") for one in samples)]
    plain = [found.low <= 0.5 / 4.5 <= found.high for found in map(mean_of, samples)]
    assert np.mean(inside) > 0.9 > np.mean(plain)


def test_rows_of_pictures_allow_paired_tests(toy: VisionModel, tmp_path: Path) -> None:
    """Their means are the means, and the difference of two methods is that of each picture by itself."""
    output = tmp_path / "out.csv"
    [result] = run([toy], ["clutter"], ["rollout", "attention"], 3, output, silent)
    rows = list(csv.DictReader((tmp_path / "out.pictures.csv").read_text().splitlines()))
    assert len(rows) == 3 * len(result.scores)
    assert {row["picture"] for row in rows} == {"0", "1", "2"}
    assert list(rows[0])[:6] == ["model", "set", "picture", "method", "layer", "head"]
    rights = [int(row["right"]) for row in rows if row["method"] == "rollout"]
    assert result.accuracy is not None
    assert np.mean(rights) == result.accuracy.mean
    assert len({id(answer.maps) for answer in result.answers}) == 1, "kept once"
    for seen, scores in result.scores.items():
        place = [seen.method, *("" if one is None else str(one) for one in (seen.layer, seen.head))]
        own = [row for row in rows if [row[key] for key in ("method", "layer", "head")] == place]
        for name, value in scores.items():
            assert value.mean == pytest.approx(np.mean([float(row[name]) for row in own]))


def test_other_sets_have_what_they_know(toy: VisionModel) -> None:
    both = evaluate(toy, "two", methods=["rollout"], count=6)
    right = 0
    for number in range(6):
        example = LESSONS["two"].example(number)
        best = {label for label, _ in vizapp.analyse(toy, example.picture).top(2)}
        right += best == {LESSONS["two"].classes[answer] for answer in example.answers}
    assert both.accuracy is not None
    assert both.accuracy.mean == right / 6
    other = evaluate(toy, "relation", methods=["rollout"], count=2)
    assert other.accuracy is None
    assert "accuracy -" in table(other)
    assert 0 < other[MapKey("rollout")]["energy"].mean < 1
    marked = evaluate(toy, "shortcut", methods=["rollout"], count=2)
    assert 0 < marked[MapKey("rollout")]["energy on the mark"].mean < 1
    assert "on mark" in table(marked)


class BrokenOff(Exception):
    """Ctrl-C, or worse."""


def test_a_broken_run_goes_on(toy: VisionModel, result: Evaluation, tmp_path: Path) -> None:
    output, looked = tmp_path / "out.json", []

    def break_off(part: str, done: int, of: int) -> None:
        if (part, done) == ("toy on clutter", 3):
            raise BrokenOff

    with pytest.raises(BrokenOff):
        run([toy], ["clutter"], ["attention", "rollout"], 4, output, break_off)
    assert not output.exists()
    [whole] = run([toy], ["clutter"], ["attention", "rollout"], 4, output, lambda *line: looked.append(line))
    assert looked == [("toy on clutter", 4, 4)], "the three pictures that it had seen are not looked at again"
    assert same(whole, result)
    assert {one.name for one in tmp_path.iterdir()} == {"out.json", "out.pictures.csv"}


def test_what_is_kept_belongs_to_one_question(toy: VisionModel, tmp_path: Path) -> None:
    unfinished = Unfinished(tmp_path / "out.csv")
    stats = RunningStats()
    evaluate(toy, "clutter", methods=["rollout"], count=1, stats=stats)
    own = key_of(toy, "clutter", ["rollout"])
    unfinished.keep(own, stats.answers[0].content())
    again = Unfinished(tmp_path / "out.csv")
    [read] = map(Answer.of, again.of(own, list))
    assert read.content() == stats.answers[0].content()
    assert again.of(key_of(toy, "two", ["rollout"]), list) == []
    assert again.of(key_of(toy, "clutter", ["attention"]), list) == []
    assert len({key_of(toy, "clutter", ["rollout"], steps) for steps in (0, 4, 8)}) == 3, "other points, other areas"
    part = tmp_path / "out.csv.part"
    part.write_text(part.read_text() + '{"half a fi')
    assert len(Unfinished(tmp_path / "out.csv").of(own, list)) == 1
    Unfinished(tmp_path / "out.csv").keep(own, stats.answers[0].content())
    assert len(Unfinished(tmp_path / "out.csv").of(own, list)) == 2, "the half line does not spoil the next one"


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_files_hold_every_number(toy: VisionModel, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"out{suffix}"
    [result] = run([toy], ["one"], ["attention"], 2, output, silent)
    rows: Sequence[dict] = (
        list(csv.DictReader(output.read_text().splitlines()))
        if suffix == ".csv"
        else json.loads(output.read_text())["rows"]
    )
    assert len(rows) == len(result.scores) * 6 + 2, "and accuracy and area"
    for row in rows:
        if row["metric"] in ("accuracy", "area"):
            continue
        layer, head = (None if row[key] in ("", None) else int(row[key]) for key in ("layer", "head"))
        value = Interval(*(float(row[key]) for key in ("mean", "low", "high")))
        assert result[MapKey(row["method"], layer, head)][row["metric"]] == value


@together(
    ("change", "message"),
    [
        ({"lessons": ["three"]}, "no set 'three'"),
        ({"methods": ["guess"]}, "no method 'guess'"),
        ({"count": 0}, "At least one"),
        ({"output": Path("out.txt")}, "neither .csv nor .json"),
        ({"output": Path("nowhere/out.csv")}, "no folder 'nowhere'"),
    ],
)
def test_slips_are_said(toy: VisionModel, change: dict, message: str) -> None:
    asked = {"lessons": ["one"], "methods": ["rollout"], "count": 1, "output": None} | change
    with pytest.raises(VizError, match=message):
        run([toy], **asked, on_progress=silent)


def test_slips_of_engines_are_said() -> None:
    with pytest.raises(VizError, match="no engine 'cluster'"):
        engine_named("cluster", 1)
    with pytest.raises(VizError, match="At least one worker"):
        engine_named("processes", 0)


def test_the_own_object_is_the_one_that_was_asked_for(toy: VisionModel) -> None:
    """Counted by hand; what does not depend on the class is right half of the time."""
    found = evaluate(toy, "two", methods=["rollout", "chefer"], count=4)
    hits = []
    for number in range(4):
        example = LESSONS["two"].example(number)
        seen = vizapp.analyse(toy, example.picture)
        masks = [seen.frame.mask_of(thing.mask).reshape(14, 8, 14, 8).mean((1, 3)) for thing in example.objects]
        for own, answer in enumerate(example.answers):
            scores = vizapp.explain(seen, "chefer", target=answer).scores
            inside = [(scores * mask).sum() / mask.sum() for mask in masks]
            hits.append(inside[own] > inside[1 - own])
    assert found[MapKey("chefer")]["own object"].mean == np.mean(hits)
    assert found[MapKey("rollout")]["own object"].mean == 0.5
