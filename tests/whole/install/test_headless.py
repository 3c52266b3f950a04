"""A slim machine has no libGL, libgthread and libxcb: an installed vizapp builds its page and paints there."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from support.environments import Environment

DESKTOP = (
    "libGL.so.1",
    "libEGL.so.1",
    "libgthread-2.0.so.0",
    "libglib-2.0.so.0",
    "libxcb.so.1",
    "libX11.so.6",
    "libXext.so.6",
)
LOADS = "import ctypes, sys\nfor name in sys.argv[1:]:\n    try: print(ctypes.CDLL(name))\n    except OSError: pass\n"
WHOLE = """
import runpy
runpy.run_path("use.py")
import vizapp.ui.app
from vizapp.browser import html, in_notebook
from vizapp.cli import main
vizapp.ui.app.build("toy", device="cpu")
assert all((html.app(), html.worker(), html.unpack(), html.style(), in_notebook._style()))
assert main(["explain", "photo.jpg", "-o", "out.png"]) == 0
"""  # every script and style that Python sends is read: what a wheel leaves out is found
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these libraries to hide")


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, str]:
    """Variables under which no program can load a library of a desktop: a file that is none stands before it on the way."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    for name in DESKTOP:
        (folder / name).write_text("not a library")
    return {"LD_LIBRARY_PATH": str(folder)}


def test_it_builds_its_page_and_paints(from_wheel: Environment, hidden: dict[str, str], project: Path) -> None:
    """With what pyproject.toml declares. A script imports its own `model`, `assets` and `tests`, and vizapp those of vizapp."""
    loaded = from_wheel.run(from_wheel.python, "-c", LOADS, *DESKTOP, cwd=project, **hidden)
    assert loaded == "", "they are hidden indeed"
    installed = from_wheel.packages / "vizapp"
    shutil.copy(installed / "assets" / "examples" / "scene-1.jpg", project / "photo.jpg")
    said = from_wheel.run(from_wheel.python, "-c", WHOLE, cwd=project, **hidden)
    assert "out.png: rollout" in said
    assert (project / "out.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(said.partition("\n")[0])
    assert found["whose"] == ["mine"] * 3
    assert found["painted"] == [40, 60, 3]
    assert [Path(file).parent for file in found["files"]] == [installed, installed / "model", installed / "assets"]
