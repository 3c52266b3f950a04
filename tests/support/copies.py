"""A copy of the tree."""

import shutil
from pathlib import Path

import pytest

from support.paths import ROOT


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The working tree, without its history and its tests."""
    ignored = shutil.ignore_patterns(".git", "tests", "node_modules", "__pycache__", "screenshots", ".*_cache")
    return Path(shutil.copytree(ROOT, tmp_path / "copy", symlinks=True, ignore=ignored))
