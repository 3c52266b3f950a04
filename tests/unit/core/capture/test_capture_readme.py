"""The walk in core/capture/README.md, from q and k to the map, is true: its code runs and prints what stands there."""

import contextlib
import io
import re

import numpy as np
import pytest

from support.paths import ROOT

README = ROOT / "vizapp" / "core" / "capture" / "README.md"
NUMBER = r"-?\d+\.?\d*(?:e-?\d+)?|nan"


def parts(text: str) -> tuple[str, list[float]]:
    """The words without spaces, and the numbers between them: how wide numpy prints a column is of no interest."""
    return re.sub(r"\s+", "", re.sub(NUMBER, "#", text)), [float(one) for one in re.findall(NUMBER, text)]


def test_the_walk_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    steps = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert len(steps) == README.read_text("utf-8").count("```python")
    names: dict = {}
    for code, expected in steps:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), names)
        (words, numbers), (said, values) = parts(printed.getvalue()), parts(expected)
        assert words == said
        np.testing.assert_allclose(numbers, values, rtol=0, atol=2e-3)


def test_every_file_of_the_wing_is_named() -> None:
    files = {path.relative_to(README.parent).as_posix() for path in README.parent.rglob("*.py")}
    files = {name for name in files if not name.endswith("__init__.py")}
    assert set(re.findall(r"`([\w/]+\.py)`", README.read_text("utf-8").partition("\n\nBelow")[0])) == files
