"""The questions of the tab "Methods" have the numbers of `vizapp.compare`, and its files compute nothing anew."""

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.page_calls import asked
from support.serving import Server
from vizapp.analysis import Analysis
from vizapp.browser.shelf import FIRST, lesson
from vizapp.core.trust.faithfulness import FINE
from vizapp.server import comparison
from vizapp.ui.comparison_files import WIDTHS
from vizapp.vocabulary import ORDERS, ORDERS_AT_ONCE

NAMES = ["legrad", "rollout"]
SETTINGS = {"legrad": {"start_layer": "2"}, "rollout": {"skip_weight": 0.25}}
AS_PYTHON = {"legrad": {"start_layer": 1}, "rollout": {"skip_weight": 0.25}}


@pytest.fixture(scope="module")
def run(public: Server) -> str:
    return asked(public, "look", None, {"picture": f"lesson/{FIRST}", "model": "toy"}, "en")["run"]


@pytest.fixture(scope="module")
def seen() -> Analysis:
    shown = lesson(FIRST)  # without loss, so that the server has the same pixels
    return vizapp.analyse("toy", shown.pixels, truth=shown.truth)


def work(public: Server, call: str, run: str, **what: Any) -> Any:
    return asked(public, "work", call, run, what, "en")["answer"]


def given(public: Server, run: str, **what: Any) -> bytes:
    """A file, as the page fetches it."""
    path = work(public, "files", run, **what)["path"]
    return public.http.get(f"{public.url}gradio_api/file={path}").content


def test_files_hold_what_the_page_was_told(
    public: Server, run: str, seen: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two classes, with settings: maps, curves and random orders one by one, then the same as files."""
    (first, one), (second, other) = [(index, label) for index, label, _ in work(public, "classes", run)[:2]]
    how: dict[str, Any] = {"settings": SETTINGS, "empty": "blur"}
    told: dict[tuple[str, str], list[float]] = {}
    for target, label, names in ((first, one, [*NAMES, "centre"]), (second, other, ["legrad", "centre"])):
        for name in names:
            made = work(public, "explain", run, method=name, target=target, **how)
            scores = vizapp.explain(
                seen, name, target=target if name == "legrad" else None, **AS_PYTHON.get(name, {})
            ).scores
            np.testing.assert_allclose(made["values"], scores.ravel(), rtol=1e-6)
            told[label, name] = work(public, "judge", run, method=name, target=target, **how)["areas"]
        for number in range(0, ORDERS, ORDERS_AT_ONCE):
            count = min(ORDERS_AT_ONCE, ORDERS - number)
            work(public, "chance", run, target=target, count=count, **{"from": number}, **how)

    measured: list[Any] = []
    monkeypatch.setattr(comparison, "curves_of", lambda *args: measured.append(args))
    monkeypatch.setattr(comparison, "explain", lambda *args, **how: measured.append(args))
    what = {"methods": NAMES, "target": first, "other": {"target": second}} | how
    rows = list(csv.DictReader(io.StringIO(given(public, run, file="csv", **what).decode())))
    numbers = np.load(io.BytesIO(given(public, run, file="npz", **what)))
    width = WIDTHS[1]
    with Image.open(io.BytesIO(given(public, run, file="png", width=width, **what))) as sheet:
        assert sheet.width == width
        assert json.loads(sheet.info["Comment"])["second_class"] == other
    assert measured == []

    found = {(row["class"], row["method"]): row for row in rows}
    for key, areas in told.items():
        assert [float(found[key][name]) for name in ("deletion", "insertion")] == areas, key
    expected = vizapp.compare(
        seen, NAMES, target=first, settings=AS_PYTHON, steps=FINE, orders=ORDERS, empty="blur"
    ).rows()
    for row in expected:
        its = found[one, row["method"]]
        assert row.keys() <= its.keys()
        assert [float(its[name]) for name in ("deletion", "insertion", "auc")] == pytest.approx(
            [row[name] for name in ("deletion", "insertion", "auc")], abs=1e-6
        )
        over = row["insertion over random"]
        assert its["insertion over random"] == ("" if over is None else str(over))
        assert float(its["seconds"]) > 0 or row["method"] != "legrad"
    assert json.loads(found[one, "legrad"]["settings"]) == {"start_layer": 1}
    np.testing.assert_allclose(
        numbers["scores_legrad"], vizapp.explain(seen, "legrad", target=first, start_layer=1).scores, rtol=1e-6
    )
    assert numbers["second_deletion_legrad"].shape == numbers["share_legrad"].shape
    assert json.loads(str(numbers["about"]))["empty"] == "blur"


def test_what_is_left_is_pythons(public: Server, run: str, seen: Analysis) -> None:
    made = work(public, "forget", run, methods=["rollout"], target=seen.best(1)[0][0], settings=SETTINGS)
    found = vizapp.sanity(seen, ["rollout"], settings={"rollout": AS_PYTHON["rollout"]})
    assert made["stages"] == list(found.stages)
    np.testing.assert_allclose(made["left"]["rollout"], found.correlation["rollout"], rtol=1e-6)


def test_the_page_is_told_what_means_nothing_here(public: Server, run: str) -> None:
    here = work(public, "here", run)
    assert not here["reads"]
    assert "cross_attention" in here["notHere"]
    assert "rollout" not in here["notHere"]
    assert "means nothing here" in work(public, "explain", run, method="cross_attention")["why"]
