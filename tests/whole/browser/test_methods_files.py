"""What the tab "Methods" saves: as wide as it was asked for, and saying where it comes from."""

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vizapp
from support.methods_tab import Tab
from support.serving import Server
from support.viz import Viz
from vizapp.errors import VizError
from vizapp.picture import read_picture
from vizapp.ui.comparison_files import WIDTHS, drawn_again
from vizapp.ui.words.en import PAGE


@pytest.fixture
def tab(viz: Viz) -> Tab:
    return Tab(viz)


def choose_width(tab: Tab, pixels: int) -> None:
    tab.page.locator("#methods-width input").click()
    tab.page.locator("ul[role=listbox] li", has_text=PAGE["save_width"].format(width=pixels)).click()


def saved_maps(tab: Tab) -> tuple[tuple[int, int], dict[str, Any], np.ndarray]:
    with Image.open(io.BytesIO(tab.download("png"))) as plate:
        return plate.size, json.loads(plate.info["Comment"]), np.asarray(plate.convert("RGB"))


def test_what_is_saved_is_as_wide_as_asked_for_and_says_where_it_comes_from(tab: Tab, server: Server) -> None:
    """The picture, the weights, the settings of each method, seeds, versions: as `vizapp.made_from` has them."""
    tab.tick_only("legrad", "attention")
    tab.compare()
    size, about, narrow = saved_maps(tab)
    assert size[0] == WIDTHS[0]
    rows = {row["method"]: row for row in csv.DictReader(io.StringIO(tab.download("csv").decode()))}
    source = tab.page.evaluate(
        "window.gradio_config.components.find(({ props }) => props.elem_id === 'picture').props.value.path"
    )
    pixels = hashlib.sha256(np.ascontiguousarray(read_picture(Path(source))).tobytes()).hexdigest()
    for said in (about, rows["legrad"], rows["random"]):
        assert said["picture_sha256"] == pixels
        assert said["vizapp"] == vizapp.__version__
        assert len(said["weights_sha256"]) == 64
        assert said["empty"] == "mean"
        assert {"torch", "timm", "numpy", "python", "date", "model", "class"} <= said.keys()
    assert about["settings"].keys() == rows.keys()
    for name, row in rows.items():
        assert json.loads(row["settings"]) == about["settings"][name]
    assert about["seed"]["random"] == int(rows["random"]["seed"])
    assert rows["legrad"]["seed"] == ""
    choose_width(tab, 1600)
    expect(tab.page.locator("#methods-png")).to_be_disabled(), "what is there is not what was asked for"
    expect(tab.page.locator("#methods-png")).to_be_enabled()
    size, _, wide = saved_maps(tab)
    assert size[0] == 1600
    small = np.asarray(Image.fromarray(wide).resize(narrow.shape[1::-1], Image.Resampling.BOX)).astype(float)
    assert np.abs(small - narrow).mean() < 6, "the same picture, larger"
    tab.tick_only("attention")
    tab.compare()
    assert saved_maps(tab)[0][0] == 1600


def test_maps_that_are_gone_are_said(server: Server, tmp_path: Path) -> None:
    for path in ("/etc/hostname", str(tmp_path / "plate.npz"), ""):
        with pytest.raises(VizError, match="not here any more"):
            drawn_again(path, 800)
