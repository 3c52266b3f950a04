"""docs/faults.md names tests that exist, as all pages do, and has a row for each kind of fault."""

import ast
import re

from support.paths import ROOT

TABLE = (ROOT / "docs" / "faults.md").read_text("utf-8")

NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE)
FILES = re.compile(r"\btests/[\w/]+\.\w+")

EACH = (
    "kill -9", "SIGTERM", "disk", "home", "HOME", "/dev/shm", "2 GB", "2.5 GB", "version 1", "version 2", "port", "clock",
    "connection", "replica",
)  # fmt: skip


def test_the_table_names_tests_that_exist() -> None:
    """And each fault has a row."""
    assert len(NAMED) > 20
    missing = []
    for path, name in NAMED:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        known = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
        missing += [] if name in known else [f"{path}::{name}"]
    assert missing == []
    rows = [line.split("|")[1] for line in TABLE.splitlines() if line.startswith("| ")]
    assert [fault for fault in EACH if not any(fault in row for row in rows)] == []
    assert [row for row in TABLE.splitlines() if row.startswith("| ") and row.count("|") != 4] == []


def test_pages_name_files_of_tests_that_exist() -> None:
    """All but those that tell of former days."""
    pages = [
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("README*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "vizapp").rglob("README.md"),
    ]
    named = {path for page in pages if page.name != "lab-notes.md" for path in FILES.findall(page.read_text("utf-8"))}
    assert len(named) > 10
    assert sorted(path for path in named if not (ROOT / path).exists()) == []
