"""A new kind of edit is one new file: found, typed on the command line, applied, written down, and gone with its file.

For the browser it is one entry of a file more, and a case that both sides are held to.
"""

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

from support.bundles import needs_tools
from support.paths import ROOT

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

DOUBLE = '''
"""One head, twice as loud: a throw-away edit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vizapp.core.capture.call import Call
from vizapp.core.capture.site import Site
from vizapp.core.interventions.one_head import HeadEdit
from vizapp.wording import Text


@dataclass(frozen=True)
class HeadDouble(HeadEdit):
    name = "head-double"
    title = "Double a head"
    sentence = "What one head of one layer writes counts twice."
    form = "head-double:LAYER.HEAD"
    paper = "none"

    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        times = 1 + (site.heads(pictures, call.output.device) == self.head).to(call.output.dtype)
        return replace(call, v=call.v * times, output=call.output * times)

    @property
    def note(self) -> Text:
        return Text("Edited: {edit}, which counts twice.", edit=str(self))
'''
IN_ENGINE = """
  "head-double": {
    settings: { head: undefined },
    steps: ({ head }) => ({
      before: (of) => {
        const values = of("v", head);
        for (let i = 0; i < values.length; i++) values[i] *= 2;
      },
    }),
  },
"""


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
    assert "note: Edited: layer 2 is 3 times as loud." in found.stderr
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


def run(tree: Path, *command: str) -> str:
    path = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=tree, env=os.environ | path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_in(tree: Path) -> dict[str, bytes]:
    return {str(path.relative_to(tree)): path.read_bytes() for path in (tree / "vizapp").rglob("*") if path.is_file()}


def hold(tree: Path, **holds: str) -> None:
    """Both sides to the cases of the tree, and to that one of the new edit."""
    file, edit = tree / "tests" / "support" / "edit_cases.json", {"kind": "head-double", "layer": 1, "head": 2}
    what = {"network": "plain", "picture": "scene-1.jpg", "typed": ["head-double:1.2"], "edits": [edit], **holds}
    known = json.loads((ROOT / "tests" / "support" / "edit_cases.json").read_text("utf-8"))
    file.write_text(json.dumps([*known, what, what | {"network": "crate"}]), "utf-8")
    run(tree, sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "tests/page/test_edit_cases.py")


@needs_tools
def test_an_edit_of_both_sides_is_two_files(tree: Path) -> None:
    shutil.copytree(ROOT / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__", "goldens"))
    for name in ("pyproject.toml", "package.json", "tsconfig.json"):
        shutil.copy(ROOT / name, tree)
    (tree / "node_modules").symlink_to(ROOT / "node_modules")
    new, engine = "vizapp/core/interventions/head_double.py", "vizapp/browser/engine/edits.js"
    before = files_in(tree)
    (tree / new).write_text(DOUBLE.lstrip(), "utf-8")
    head, at, tail = (tree / engine).read_text("utf-8").partition("export const EDITS = {\n")
    (tree / engine).write_text(head + at + IN_ENGINE.lstrip("\n") + tail, "utf-8")
    assert {name for name, text in files_in(tree).items() if before.get(name) != text} == {new, engine}
    run(tree, "npm", "run", "--silent", "types")
    run(tree, "npm", "run", "--silent", "build:engine")
    assert "head-double" in (tree / "vizapp" / "browser" / "engine" / "bundle.js").read_text("utf-8")
    hold(tree, map="stays")
    found = explain(tree, "--edit", "head-double:1.2")
    assert "note: Edited: head-double:1.2, which counts twice." in found.stderr
    with np.load(tree / "out.npz") as numbers:
        assert json.loads(str(numbers["about"]))["edits"] == ["head-double:1.2"]
    (tree / new).unlink()
    (tree / engine).write_bytes(before[engine])
    run(tree, "npm", "run", "--silent", "build:engine")
    assert files_in(tree) == before
    hold(tree, refused="There is no edit")
