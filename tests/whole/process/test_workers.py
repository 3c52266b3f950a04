"""Evaluations by several workers: the same rows as by one; and of folders of pictures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import vizapp
from support.evaluations import METHODS, alike, fill, scores
from vizapp.cli import main
from vizapp.core.trust.randomisation import randomised
from vizapp.data.engines import engine_named
from vizapp.data.evaluation import evaluate
from vizapp.data.statistics import MapKey
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS


class Lambda(torch.nn.Module):
    """A network that no other process can be given."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__()
        self.net, self.function = net, lambda x: net(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def test_workers_look_with_the_very_network(toy: VisionModel) -> None:
    """One with other weights than its name would load, to the last bit; one that cannot travel says so."""
    forgetful = randomised(vizapp.analyse(toy, LESSONS["one"].example(0).picture).context, 5)
    asked: dict[str, Any] = {"methods": METHODS, "count": 2, "steps": 2}
    alone = evaluate(forgetful, "one", **asked)
    assert alone[MapKey("rollout")]["energy"] != evaluate(toy, "one", **asked)[MapKey("rollout")]["energy"]
    found = evaluate(forgetful, "one", engine=engine_named("processes", 2), **asked)
    assert found == alone
    assert alike(found.rows(), alone.rows())
    with pytest.raises(VizError, match="cannot be handed"):
        evaluate(replace(toy, net=Lambda(toy.net).eval()), "one", engine=engine_named("processes", 2), **asked)


def test_an_unreadable_picture_is_reported_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy, folder = vizapp.load("toy", "cpu"), fill(tmp_path / "photos", 3)
    alone = evaluate(toy, str(folder), methods=METHODS)
    (folder / "0a.png").write_bytes((folder / "0.png").read_bytes()[:300])  # cut off
    (folder / "1.mask.png").write_text("no picture")
    found = evaluate(toy, str(folder), methods=METHODS)
    assert found.count == 2
    assert set(found.skipped) == {"0a.png", "1.png"}
    assert {row["picture"] for row in found.rows()} == {"0.png", "2.png"}
    own = [row["energy"] for row in alone.rows() if row["method"] == "chefer" and row["picture"] != "1.png"]
    assert found[MapKey("chefer")]["energy"].mean == pytest.approx(np.mean(own))
    out = tmp_path / "out.json"
    asked = ["--set", str(folder), "--methods", "rollout", "--device", "cpu", "-o", str(out), "--workers", "2"]
    assert main(["evaluate", *asked]) == 0
    assert "left out: 0a.png: " in capsys.readouterr().out
    assert [one["picture"] for one in json.loads(out.read_text())["skipped"]] == ["0a.png", "1.png"]
    for file in folder.iterdir():
        file.write_text("no picture")
    with pytest.raises(VizError, match="None of the pictures"):
        evaluate(toy, str(folder), methods=METHODS)


def test_pictures_with_masks_are_as_a_lesson_and_others_have_no_part_in_what_needs_one(tmp_path: Path) -> None:
    toy = vizapp.load("toy", "cpu")
    lesson = evaluate(toy, "one", methods=METHODS, count=3, steps=2)
    folder = evaluate(toy, str(fill(tmp_path / "photos")), methods=METHODS, steps=2)
    assert scores(folder) == pytest.approx(scores(lesson))
    assert folder.area == lesson.area
    assert (folder.count, folder.accuracy) == (3, None)
    toy = vizapp.load("toy", "cpu")
    some = evaluate(toy, str(fill(tmp_path / "some", masks=lambda number: number < 2)), methods=METHODS, steps=2)
    first = evaluate(toy, "one", methods=METHODS, count=2)
    every = evaluate(toy, "one", methods=METHODS, count=3, steps=2)
    assert scores(some, skip=("deletion", "insertion")) == pytest.approx(scores(first))
    for name in ("deletion", "insertion"):
        assert some[MapKey("chefer")][name].mean == pytest.approx(every[MapKey("chefer")][name].mean)
