"""A folder of pictures as a set: with masks as a lesson, without them by deletion and insertion alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.evaluations import METHODS, fill, scores
from vizapp.cli import main
from vizapp.data.evaluation import evaluate, run
from vizapp.data.folder import Folder
from vizapp.data.statistics import MapKey
from vizapp.errors import VizError
from vizapp.model.toy.lessons import LESSONS


def test_without_masks_only_the_curves_are_measured(tmp_path: Path) -> None:
    folder, output = str(fill(tmp_path / "photos", 2, masks=lambda number: False)), tmp_path / "out.json"
    [found] = run([vizapp.load("toy", "cpu")], [folder], METHODS, 2000, output, lambda *line: None, steps=4)
    assert set(found[MapKey("chefer")]) == {"deletion", "insertion"}
    rows = json.loads(output.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["rows"]
    assert next(row for row in rows if row["metric"] == "area")["mean"] is None
    with pytest.raises(VizError, match="only deletion and insertion") as caught:
        evaluate(vizapp.load("toy", "cpu"), folder)
    assert "cat.mask.png" in caught.value.hint


def test_the_command_line_takes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = fill(tmp_path / "photos", 2)
    assert main(["evaluate", "--set", str(folder), "--methods", "rollout", "--device", "cpu"]) == 0
    said = capsys.readouterr().out
    assert f"toy on {folder}: 2 pictures, object" in said
    assert "accuracy" not in said
    assert "rollout" in said


def test_slips_are_explained(tmp_path: Path) -> None:
    toy = vizapp.load("toy", "cpu")
    with pytest.raises(VizError, match="no set 'photos', and no such folder"):
        evaluate(toy, "photos")
    with pytest.raises(VizError, match="no picture in"):
        evaluate(toy, str(tmp_path))
    folder = fill(tmp_path / "photos", 1)
    Image.fromarray(np.zeros((8, 9), np.uint8)).save(folder / "0.mask.png")
    with pytest.raises(VizError, match="is 9 x 8, the picture 112 x 112"):
        evaluate(toy, str(folder))


def test_its_key_changes_with_its_files(tmp_path: Path) -> None:
    folder = fill(tmp_path / "photos", 1)
    before = Folder(folder).key
    assert Folder(folder).key == before
    fill(folder, 2)
    assert Folder(folder).key != before
    before = Folder(folder).key
    next(folder.glob("*.mask.png")).unlink()
    assert Folder(folder).key != before, "a mask is another question"


def test_what_spoils_one_picture_spoils_no_run(tmp_path: Path) -> None:
    """A mask outside of what the model saw, one that covers all, one of 0 and 1: no answer, no answer, and a mask."""
    toy, folder = vizapp.load("toy", "cpu"), tmp_path / "photos"
    fill(folder, 3)
    wide = np.zeros((112, 300), np.uint8)
    Image.fromarray(np.zeros((112, 300, 3), np.uint8)).save(folder / "0.png")
    wide[:10, :10] = 255
    Image.fromarray(wide).save(folder / "0.mask.png")
    Image.fromarray(np.full((112, 112), 255, np.uint8)).save(folder / "1.mask.png")
    Image.fromarray(LESSONS["one"].example(2).truth.astype(np.uint8)).save(folder / "2.mask.png")
    found = evaluate(toy, str(folder), methods=METHODS)
    alone = evaluate(toy, "one", methods=METHODS, count=1, first=2)
    assert scores(found) == pytest.approx(scores(alone))
    assert found.count == 3
    with pytest.raises(VizError, match="no number 50"):
        evaluate(toy, str(folder), first=50)


def test_a_run_goes_on_though_its_output_lies_beside_the_pictures(tmp_path: Path) -> None:
    folder = fill(tmp_path / "photos", 2)
    before = Folder(folder).key
    (folder / "out.csv.part").write_text("{}")
    assert Folder(folder).key == before


def test_who_knows_no_classes_is_never_right(tmp_path: Path) -> None:
    nameless = replace(vizapp.load("toy", "cpu"), labels=())
    assert evaluate(nameless, str(fill(tmp_path / "photos", 1)), methods=["rollout"]).accuracy is None
