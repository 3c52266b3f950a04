"""An export says why a network is not on board."""

import json
import re
from pathlib import Path

import pytest

from support.paths import ROOT
from vizapp.cli import main

ASSETS = ROOT / "assets"


def test_an_export_says_why_a_network_is_not_on_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal, and in the page in each of its languages."""
    site, scene = tmp_path / "site", str(ASSETS / "examples" / "scene-1.jpg")
    asked = ["--model", "timm:cait_xxs24_224?pretrained=no", "--pictures", scene, "--site", str(site)]
    assert main(["export", *asked]) == 0
    assert "talking heads" in capsys.readouterr().out
    about = json.loads(re.search(r'id="about">(.*?)</script>', (site / "index.html").read_text("utf-8"), re.DOTALL)[1])
    (model,) = about["models"]
    assert model["blob"] is None
    assert sorted(model["why"]) == sorted(about["languages"])
    assert "talking heads" in model["why"]["en"]
    assert model["why"]["zh"] != model["why"]["en"]
