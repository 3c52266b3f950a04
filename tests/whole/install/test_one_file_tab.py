"""A tab is one file: put into views/, it is on the page and follows the stage; taken away, nothing of it is left."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from support.copies import page_of
from support.paths import ROOT
from vizapp.analysis import Request
from vizapp.ui.app import open_session

PAGE = (ROOT / "docs" / "add-a-tab.md").read_text("utf-8")
SIZES, ROWS, PEAKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
REFUSES = """        if request.model == "relation":
            raise VizError("'{model}' <b> is not for this tab.", "Choose another one.", model=request.model)
        if request.model == "shortcut":
            raise KeyError("a slip")
"""


def files_in(copy: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in copy.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_a_tab_is_one_file(copy: Path, browser: Any) -> None:
    files = files_in(copy)
    tab, style = (copy / "vizapp" / "ui" / "views" / name for name in ("sizes.py", "sizes.css"))
    tab.write_text(SIZES, "utf-8")
    style.write_text("#sizes-said { color: rgb(1, 2, 3); }", "utf-8")
    with page_of(copy, browser) as page:
        heads = page.locator("#tabs button[role=tab]")
        assert heads.all_inner_texts()[:2] == ["Attention", "Sizes"]
        page.get_by_role("tab", name="Sizes").click()
        page.get_by_text("toy sees").wait_for()
        assert page.locator("#sizes-said").evaluate("(one) => getComputedStyle(one).color") == "rgb(1, 2, 3)"
        page.locator("#lesson-relation").click()
        page.get_by_text("relation sees").wait_for()  # it follows the stage
    tab.unlink()
    style.unlink()
    assert files_in(copy) == files


@pytest.mark.parametrize("source", [SIZES, PEAKS], ids=["sizes", "peaks"])
def test_the_examples_pass_the_checks_of_the_project(tmp_path: Path, source: str) -> None:
    """Formatted, linted, with types on every function and words on every public one."""
    (tmp_path / "example.py").write_text(source, "utf-8")
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for check in (["check", "--extend-select", "ANN,D100,D103", "--ignore", "ANN401"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *check, *settings, str(tmp_path)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_rows_of_the_docs(models: SimpleNamespace, cache: Path, pictures: SimpleNamespace) -> None:
    """The block that reads rows, with CLS and without."""
    for model, prefix in ((models.registers, 3), (models.average, 0)):
        given = {"session": open_session(model, device="cpu"), "request": Request(str(pictures.square), model, "crop")}
        exec(compile(ROWS.replace("trace, 3", "trace, 2"), "add-a-tab.md", "exec"), given)
        heads, tokens = 4, prefix + 16
        assert given["name"] == ("cls" if prefix else "mean")
        assert given["row"].shape == (heads, tokens)
        assert given["patches"].shape == (heads, 4, 4)
        assert given["rows"].shape == (heads, 2, tokens)
        torch.testing.assert_close(given["row"].sum(-1), torch.ones(heads))


def test_a_tab_that_cannot_follow_says_why(copy: Path, browser: Any) -> None:
    """The message replaces what the tab showed for the last picture, and the tab follows again as soon as it can."""
    refusing = SIZES.replace("import Request\n", "import Request\nfrom vizapp.errors import VizError\n")
    refusing = refusing.replace("        rows, cols =", REFUSES + "        rows, cols =")
    (copy / "vizapp" / "ui" / "views" / "sizes.py").write_text(refusing, "utf-8")
    with page_of(copy, browser) as page:
        said, refusal = page.locator("#sizes-said"), page.locator("#refusal-sizes")
        page.get_by_role("tab", name="Sizes").click()
        page.get_by_text("toy sees").wait_for()
        assert not refusal.is_visible()
        page.locator("#lesson-relation").click()
        page.get_by_text("'relation' <b> is not for this tab. Choose another one.").wait_for()
        assert refusal.get_by_role("alert").count() == 1
        assert not said.is_visible(), "the numbers of the picture before"
        page.locator("#lesson-one").click()
        page.get_by_text("toy sees").wait_for()
        assert not refusal.is_visible()
        # Opened on what it cannot follow, it is open: it follows what comes next.
        page.get_by_role("tab", name="Attention").click()
        page.locator("#lesson-relation").click()
        page.wait_for_function("document.querySelector('.viz').viewer.payload?.model === 'relation'")
        page.get_by_role("tab", name="Sizes").click()
        refusal.get_by_text("'relation'").wait_for()
        assert not said.is_visible()
        page.locator("#lesson-one").click()
        page.get_by_text("toy sees").wait_for()
        assert not refusal.is_visible()
        page.locator("#lesson-shortcut").click()
        refusal.get_by_text("KeyError: 'a slip'").wait_for()
        assert page.locator(".toast-body").count() == 0, "it is said once, where it belongs"


def test_a_long_run_of_a_tab(copy: Path, browser: Any) -> None:
    """The whole one of the docs: it says what it found, and forgets it with the picture."""
    (copy / "vizapp" / "ui" / "views" / "peaks.py").write_text(PEAKS, "utf-8")
    with page_of(copy, browser) as page:
        page.get_by_role("tab", name="Peaks").click()
        page.locator("#peaks-go").click()
        said = page.locator("#peaks-said")
        said.get_by_text(re.compile(r"^\d+\.\d%(, \d+\.\d%){4}$")).wait_for()
        page.get_by_role("tab", name="Attention").click()
        page.get_by_role("tab", name="Peaks").click()
        page.wait_for_timeout(500)
        assert "%" in said.inner_text(), "of the same picture, it stays"
        page.locator("#lesson-relation").click()
        said.get_by_text("%").wait_for(state="detached")
