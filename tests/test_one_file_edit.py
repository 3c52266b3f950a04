"""A new kind of edit is one new file: found, typed on the command line, applied, written down, and gone with its file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]

LOUDER = '''
"""A whole layer's attention, louder: a throw-away edit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vizapp.core.capture.call import Call
from vizapp.core.interventions import Edit
from vizapp.core.capture.site import Site
from vizapp.wording import Text


@dataclass(frozen=True)
class Louder(Edit):
    name = "louder"
    title = "Turn a layer up"
    sentence = "What a layer's heads write counts several times."
    form = "louder:LAYER=FACTOR"
    paper = "none"

    factor: float = 2.0

    @classmethod
    def read(cls, what: str) -> Louder:
        layer, _, factor = what.partition("=")
        return cls(int(layer), float(factor or 2))

    def __str__(self) -> str:
        return f"louder:{self.layer}={self.factor:g}"

    def check(self, site: Site) -> None:
        pass

    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        return replace(call, v=call.v * self.factor, output=call.output * self.factor)

    @property
    def note(self) -> Text:
        return Text("Edited: layer {layer} is {factor:g} times as loud.", layer=self.layer + 1, factor=self.factor)
'''


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The program as it stands, in another place."""
    for name in ("vizapp", "model", "assets"):
        ignore = shutil.ignore_patterns("__pycache__", "screenshots", "*.png")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignore)
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (112, 112, 3), dtype=np.uint8)).save(tmp_path / "in.png")
    return tmp_path


def explain(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vizapp", "explain", "in.png", "--device", "cpu", "-o", "out.npz", *options]
    path = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=tree, env=os.environ | path, capture_output=True, text=True, check=False)


def test_an_edit_is_one_file(tree: Path) -> None:
    file = tree / "vizapp" / "core" / "interventions" / "louder.py"
    before = sorted(path for path in tree.rglob("*.py"))
    file.write_text(LOUDER.lstrip(), "utf-8")
    found = explain(tree, "--edit", "louder:1=3")
    assert found.returncode == 0, found.stderr
    assert "note: Edited: layer 2 is 3 times as loud." in found.stdout
    with np.load(tree / "out.npz") as numbers:
        assert json.loads(str(numbers["about"]))["edits"] == ["louder:1=3"]
        louder = numbers["logits"]
    file.unlink()
    gone = explain(tree, "--edit", "louder:1=3")
    assert gone.returncode == 2
    assert "There is no edit 'louder'." in gone.stderr
    assert explain(tree).returncode == 0
    with np.load(tree / "out.npz") as numbers:
        assert np.abs(numbers["logits"] - louder).max() > 0.01, "it was applied"
    assert sorted(path for path in tree.rglob("*.py")) == before
