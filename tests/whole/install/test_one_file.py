"""What is added is one file: each case is put into a copy of the tree, found by everything that lists its kind, and removed.

A new kind is a new `Case`; a new place that lists some kind is a new entry of `LISTS`. Nothing here touches the working tree.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.paths import ROOT

LISTS = {  # name -> code that prints a list, as a person would see it
    "vizapp methods": 'from vizapp.cli import main; main(["methods"])',
    "vizapp models": 'from vizapp.cli import main; main(["models"])',
    "vizapp evaluate": 'from vizapp.cli import main; main("evaluate --set one --methods rollout --count 1".split())',
    "docs/methods.md": "from docs.methods import page; print(page())",
    "the page": 'import json; from vizapp.ui.app import build; print(json.dumps(build("toy").config, default=str))',
    "the page's table": (
        "import vizapp; from vizapp.analysis import Truth; from vizapp.model.toy.lessons import LESSONS\n"
        "from vizapp.ui import comparison_html; from vizapp.ui.words import words_for\n"
        "one = LESSONS['one'].example(0, 112); seen = vizapp.analyse('toy', one.picture, truth=[Truth('it', one.truth)])\n"
        "print(comparison_html.table(words_for('en'), vizapp.compare(seen, ['rollout'], steps=0)))"
    ),
}


@dataclass(frozen=True)
class Case:
    """One throw-away thing.

    file    where it is put, from the top of the tree
    source  all of it
    listed  what it is listed as, by names of `LISTS`
    use     code that uses it, and fails where it does not work
    """

    file: str
    source: str
    listed: dict[str, str]
    use: str


CASES = {
    "a method": Case(
        file="vizapp/core/methods/throw_away.py",
        source='''"""Rows by number."""
import torch
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method
from vizapp.model.spec import TokenLayout


@method(title="Throw away", sentence="Rows of patches by number.", paper="none", unit=lambda settings: "rows")
def throw_away(trace: AttentionTrace, query: torch.Tensor, *, step: float = 1.0) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): the row of each patch."""
    rows, cols = trace.layout.grid
    return step * torch.arange(rows).repeat_interleave(cols).double(), TokenLayout((), (rows, cols))
''',
        listed={
            "vizapp methods": "throw_away: Rows of patches by number.",
            "docs/methods.md": "## throw_away",
            "the page": '["Throw away", "throw_away"]',
        },
        use="""
import vizapp, numpy as np
seen = vizapp.analyse("toy", np.zeros((112, 112, 3), np.uint8))
assert vizapp.explain(seen, "throw_away", step=2.0).scores[:, 3].tolist() == [2.0 * row for row in range(14)]
assert "throw_away" in vizapp.compare(seen, steps=0, names=["throw_away"]).maps
""",
    ),
    "a metric": Case(
        file="vizapp/core/metrics/throw_away.py",
        source='''"""Nothing."""
from vizapp.core.metrics import metric


@metric(title="Thrown away", sentence="always zero.", paper="none", uninformed="0", short="thrown", main=True)
def throw_away(scores, mask):
    """Zero."""
    return 0 * scores[:, 0, 0]
''',
        listed={
            "vizapp evaluate": " thrown",
            "docs/methods.md": "| throw_away | higher | Thrown away: always zero.",
            "the page's table": "Thrown away (higher)",
        },
        use="""
import numpy as np
from vizapp.core.metrics import metric_named, metrics
assert metric_named("throw_away")(np.ones((2, 4, 4)), np.eye(8, dtype=bool)).tolist() == [0, 0]
assert [one.declaration()["title"] for one in metrics().values()][-1] == "Thrown away"
""",
    ),
    "a source of models": Case(
        file="vizapp/model/zoo/throw_away.py",
        source='''"""The toy under another name."""
from dataclasses import replace
import vizapp.model

PREFIXES = ("thrown",)


def names():
    return ("thrown:toy",)


def load(asked):
    return replace(vizapp.model.load("toy", "cpu"), name=asked.text)
''',
        listed={"vizapp models": "thrown:toy", "the page": '"thrown:toy"'},
        use="""
import vizapp, numpy as np
seen = vizapp.analyse("thrown:toy", np.zeros((112, 112, 3), np.uint8))
assert seen.model_name == "thrown:toy" and vizapp.explain(seen, "rollout").scores.any()
""",
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as a copy: links are followed, so that nothing leads back to the working tree."""
    top = tmp_path_factory.mktemp("tree")
    skipped = shutil.ignore_patterns("__pycache__", "screenshots", "node_modules")
    for name in ("vizapp", "docs"):
        shutil.copytree(ROOT / name, top / name, ignore=skipped)
    assert not any(path.is_symlink() for path in top.rglob("*"))
    return top


def run(tree: Path, code: str) -> str:
    """What Python prints that finds vizapp in the copy."""
    guard = f"import vizapp; assert vizapp.__file__.startswith({str(tree)!r}), vizapp.__file__\n"
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", guard + code], cwd=tree, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def lists(tree: Path, names: list[str], use: str = "") -> dict[str, str]:
    """Name of a list -> what it says, after `use`; all in one process, as importing torch takes longer than any list."""
    parts = {name: LISTS[name] for name in names}
    code = f"""{use}
import contextlib, io, json
said = {{}}
for name, code in json.loads({json.dumps(parts)!r}).items():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {{}})
    said[name] = printed.getvalue()
print(json.dumps(said))
"""
    found: dict[str, str] = json.loads(run(tree, code).splitlines()[-1])
    return found


def files(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*")}


@pytest.mark.parametrize("name", CASES)
def test_one_file_is_all_that_it_takes(tree: Path, name: str) -> None:
    case, before = CASES[name], files(tree)
    file = tree / case.file
    file.write_text(case.source)
    try:
        found = lists(tree, list(case.listed), case.use)
    finally:
        file.unlink()
    for place, words in case.listed.items():
        assert words in found[place], f"{name} is not listed by {place}"
    assert files(tree) == before


def test_nothing_is_left_of_them(tree: Path) -> None:
    found = lists(tree, sorted({place for case in CASES.values() for place in case.listed}))
    left = [
        (name, place) for name, case in CASES.items() for place, words in case.listed.items() if words in found[place]
    ]
    assert left == []
