"""A copy of the tree, and its page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.server import running
from support.paths import ROOT


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The working tree, without its history and its tests."""
    ignored = shutil.ignore_patterns(".git", "tests", "node_modules", "__pycache__", "screenshots", ".*_cache")
    return Path(shutil.copytree(ROOT, tmp_path / "copy", symlinks=True, ignore=ignored))


@contextmanager
def page_of(copy: Path, browser: Any) -> Iterator[Any]:
    """The page of the copy, in a browser, with its first map."""
    with running("toy", copy) as (url, _):
        page = browser.new_page()
        page.goto(url)
        page.wait_for_selector('#viewer .viz[data-state="ready"]')
        yield page
        page.close()
