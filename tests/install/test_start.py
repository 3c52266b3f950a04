"""What waits for torch and what does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import vizapp
from install.environments import ROOT

HEAVY = ("torch", "torchvision", "timm", "cv2", "matplotlib", "gradio", "numpy", "PIL", "transformers", "pandas")
LIGHT = """
import io, json, runpy, sys
from contextlib import redirect_stdout
said, code = io.StringIO(), 0
with redirect_stdout(said):
    try:
        exec(sys.argv[1])
    except SystemExit as end:
        code = end.code
print(json.dumps([said.getvalue(), code, sorted(name for name in sys.modules if "." not in name)]))
"""


def ran(statement: str, cwd: Path) -> tuple[str, int, list[str]]:
    """What a new process said, its exit code, and what it has loaded."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{LIGHT}", statement]
    return tuple(json.loads(subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout))


@pytest.mark.parametrize(
    ("statement", "expected", "code"),
    [
        ("import vizapp", "", 0),
        ("from vizapp.cli import main; main(['--help'])", "usage: vizapp", 0),
        ("from vizapp.cli import main; main(['explain', '--help'])", "--method METHOD", 0),
        ("from vizapp.cli import main; main(['--version'])", f"vizapp {vizapp.__version__}\n", 0),
        ("from vizapp.cli import main; main(['explain'])", "", 2),
        ("sys.argv = ['vizapp', '--version']; runpy.run_module('vizapp', run_name='__main__')", "vizapp ", 0),
        ("import vizapp; print(dir(vizapp))", "'analyse'", 0),
    ],
)
def test_what_needs_no_torch_loads_none(statement: str, expected: str, code: int, tmp_path: Path) -> None:
    said, ended, loaded = ran(statement, tmp_path)
    assert expected in said
    assert ended == code
    assert set(HEAVY) & set(loaded) == set()


def test_torch_is_seen_where_it_is_loaded(tmp_path: Path) -> None:
    """The guard itself."""
    assert {"torch", "cv2"} <= set(ran("import vizapp.model.toy.scenes; vizapp.paint", tmp_path)[2])


def test_every_public_name_is_there() -> None:
    assert [name for name in vizapp.__all__ if not callable(getattr(vizapp, name))] == []
    with pytest.raises(AttributeError, match="module 'vizapp' has no attribute 'mistake'"):
        _ = vizapp.mistake
