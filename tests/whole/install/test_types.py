"""A user's project, under `mypy --strict` and pyright, sees our types: from the wheel (py.typed), and editable."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.environments import LONGEST, variables_of_a_stranger

SCRIPT = """\
import vizapp
from vizapp.model.spec import VisionModel

model = vizapp.load("toy")
seen = vizapp.analyse(model, "photo.jpg")
relevance = vizapp.explain(seen, "rollout", layer=3)
reveal_type(model)
reveal_type(seen)
reveal_type(relevance)
reveal_type(vizapp.paint(seen, relevance))
size: int = model.name
vizapp.analyse(model, "photo.jpg", fit="round")
vizapp.explain("photo.jpg", "rollout")
seen.mistake
vizapp.mistake()
"""
REVEALED = {7: "VisionModel", 8: "Analysis", 9: "Relevance", 10: "ndarray"}
MISTAKES = [11, 12, 13, 14, 15]  # the last: `vizapp.__getattr__` must not make every name a known one
SKIPPED = "torch timm torchvision gradio cv2 matplotlib safetensors transformers open_clip captum scipy ray".split()


def said(command: list[object], cwd: Path) -> str:
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=variables_of_a_stranger(),
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    assert ended.returncode == 1, f"there are mistakes to be found: {ended.stdout}\n{ended.stderr}"
    return ended.stdout


def expect(lines: str, mistake: str, note: str) -> None:
    """Each type is revealed and each mistake found, on its line of SCRIPT, and nothing else is."""
    revealed = {int(line): name for line, name in re.findall(note, lines)}
    assert {line: found for line, name in REVEALED.items() if name not in (found := revealed.get(line, ""))} == {}, (
        lines
    )
    assert sorted({int(line) for line in re.findall(mistake, lines)}) == MISTAKES, lines


@pytest.fixture(params=["from_wheel", "editable"])
def python(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The Python that the script is for."""
    (tmp_path / "stranger.py").write_text(SCRIPT)
    return request.getfixturevalue(request.param).python


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy keeps: Python's own library is read once."""
    return tmp_path_factory.mktemp("mypy")


def test_mypy(python: Path, checked: Path, tmp_path: Path) -> None:
    """Without reading torch, which takes half a minute and changes nothing here."""
    settings = tmp_path / "mypy.ini"
    sections = (f"[mypy-{name}.*]\nfollow_imports = skip\nignore_missing_imports = true\n" for name in SKIPPED)
    own = "[mypy-vizapp.*]\nfollow_imports = silent\n"
    settings.write_text("[mypy]\nstrict = true\n" + own + "".join(sections))
    options = ["--python-executable", python, "--config-file", settings, "--cache-dir", checked]
    lines = said([sys.executable, "-m", "mypy", *options, "stranger.py"], tmp_path)
    expect(lines, r"stranger\.py:(\d+): error", r'stranger\.py:(\d+): note: Revealed type is "(.*)"')
    assert "vizapp/" not in lines


@pytest.mark.skipif(find_spec("pyright") is None, reason='pyright is not installed: pip install -e ".[test]"')
def test_pyright(python: Path, tmp_path: Path) -> None:
    lines = said([sys.executable, "-m", "pyright", "--pythonpath", python, "stranger.py"], tmp_path)
    expect(lines, r"stranger\.py:(\d+):\d+ - error", r'stranger\.py:(\d+):\d+ - information: Type of ".*" is "(.*)"')
