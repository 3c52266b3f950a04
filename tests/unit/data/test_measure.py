"""`vizapp measure`: the rows of each picture, from one pass, in a file, by any number of workers."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.evaluations import alike, fill
from vizapp.analysis import Truth
from vizapp.cli import main
from vizapp.core.head_statistics import COLUMNS
from vizapp.data.heads import measure
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


def test_rows_are_those_of_each_picture_alone(toy: VisionModel, tmp_path: Path) -> None:
    """Also when norms come from the same pass, from the second picture on."""
    folder = fill(tmp_path / "photos", 3, masks=lambda number: number != 1)
    rows = vizapp.measure(toy, folder)
    assert [row["picture"] for row in rows[::30]] == ["0.png", "1.png", "2.png"]
    for number in range(3):
        seen = vizapp.analyse(toy, folder / f"{number}.png")
        mask = np.asarray(Image.open(folder / f"{number}.mask.png")) > 0 if number != 1 else None
        for row, expected in zip(rows[30 * number :], vizapp.head_statistics(seen, mask=mask), strict=False):
            assert {name: row[name] for name in expected} == pytest.approx(expected, nan_ok=True)
            assert math.isnan(row["on_mask"]) == (number == 1)
            assert row["sink_share"] == 0


def test_the_command_line_writes_a_row_per_picture_layer_and_head(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Masks in a folder of their own; a picture that cannot be read is named."""
    folder, masks, out = fill(tmp_path / "photos", 2), tmp_path / "masks", tmp_path / "heads.csv"
    masks.mkdir()
    (folder / "0.mask.png").rename(masks / "0.png")
    (folder / "1.mask.png").rename(masks / "1.mask.png")
    (folder / "broken.jpg").write_text("no picture")
    asked = ["measure", "toy", str(folder), "--masks", str(masks), "-o", str(out), "--device", "cpu"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "left out: broken.jpg: " in said
    assert "layer 4" in said
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == 2 * 30 + 1
    assert list(rows[0]) == ["picture", "layer", "head", *COLUMNS, "skipped"]
    assert all(0 < float(row["on_mask"]) < 1 for row in rows[:60])
    assert set(rows[60].values()) == {"broken.jpg", rows[60]["skipped"], ""}
    assert main(["measure", "toy", str(folder), "-o", str(out), "--device", "cpu"]) == 0
    assert {row["on_mask"] for row in csv.DictReader(out.read_text().splitlines())} == {""}, "not known: an empty cell"
    assert main(["measure", "toy", str(folder), "--masks", "nowhere", "--device", "cpu"]) == 2
    assert "no folder of masks 'nowhere'" in capsys.readouterr().err


def test_so_many_pictures_as_were_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = fill(tmp_path / "photos", 2), tmp_path / "heads.csv"
    assert main(["measure", "toy", str(folder), "--count", "1", "-o", str(out), "--device", "cpu"]) == 0
    assert {row["picture"] for row in csv.DictReader(out.read_text().splitlines())} == {"0.png"}


def test_the_mark_that_explains_a_picture_is_no_object(toy: VisionModel) -> None:
    """No head is expected to find it: without an object `on_mask` is not known, and beside one it counts for nothing."""
    picture, object_, mark = np.zeros((112, 112, 3), np.uint8), np.zeros((112, 112), bool), np.zeros((112, 112), bool)
    object_[:56], mark[80:, 80:] = True, True
    truth = [Truth("cat", object_), Truth("mark", mark, is_object=False)]
    known = [vizapp.head_statistics(vizapp.analyse(toy, picture, truth=some)) for some in (truth, truth[:1], truth[1:])]
    assert alike(known[0], known[1])
    assert all(math.isnan(row["on_mask"]) for row in known[2])


def test_slips_are_said(toy: VisionModel, tmp_path: Path) -> None:
    with pytest.raises(VizError, match="no set 'nowhere'"):
        measure(toy, "nowhere")
    for count in (0, -1):
        with pytest.raises(VizError, match="At least one picture"):
            measure(toy, "one", count=count)
    with pytest.raises(VizError, match=r"neither .csv nor .json"):
        measure(toy, "one", output=tmp_path / "heads.txt")
