"""docs/security.md has a row for each kind of fault, and the bounds of the code; it names tests that exist, as all pages do.

docs/README.md and the site (mkdocs.yml) list all pages, in one order.
"""

import ast
import re

import pytest

from support.paths import ROOT
from vizapp.picture import MAX_PIXELS
from vizapp.picture.chunks import STEPS
from vizapp.picture.opening import MAX_SCANS
from vizapp.ui import limits
from vizapp.ui.server import bounds, folder, guard, queue_entry, sessions

PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
TABLE = PAGE.partition("\n## Faults\n")[2]
MB = 2**20
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


def test_the_bounds_are_those_of_the_code() -> None:
    """Row -> (on a public page, at home)."""
    cells = [[cell.strip() for cell in line.split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
    told = {row[1]: (row[2], row[3]) for row in cells}
    public, home, places = bounds.PUBLIC, bounds.HOME, limits.Limits()
    assert told["a file"] == (f"{public.file // MB} MB", f"{home.file // MB} MB")
    assert told["an upload"] == tuple(f"{one.files} files, {one.upload // MB} MB" for one in (public, home))
    assert told["uploads in progress from one address"] == tuple(f"{one.at_once // MB} MB" for one in (public, home))
    assert told["any other request"] == tuple(f"{one.message // MB} MB" for one in (public, home))
    assert told["lists and objects of JSON in it"] == (f"{public.lists:,}", f"{home.lists:,}")
    assert told["a body"] == tuple(f"{one.longest / 60:g} minutes" for one in (public, home))
    assert told["path and query of an address"][0].startswith(f"{guard.LONGEST} ")
    assert told["the name of a session"][0] == f"{sessions.LONGEST} characters"
    for row, kind in {
        "maps: in all, for an address, for a session": "map",
        "questions about maps": "ask",
        "long runs": "long",
        "questions that a page asks unasked": "spare",
    }.items():
        assert told[row][0] == f"{places.in_all[kind]}, {places.address[kind]}, {places.session[kind]}"
    assert told["runs that nobody listens to"][0].startswith(f"{places.unheard}, ")
    assert told["events without a thread; answers that nobody fetches"][0].startswith(f"{queue_entry.FLOOD}; ")
    kept = (f"{folder.PUBLIC.total // 2**30} GB, {folder.PUBLIC.visitor // MB} MB", f"{folder.HOME.total // 2**30} GB")
    assert told["files kept: in all, for an address"] == kept
    assert told["pixels of a picture"][1] == f"{MAX_PIXELS // 10**6} million"
    assert told["scans of a JPEG"][0] == str(MAX_SCANS)
    assert told["segments, chunks, blocks in front of the pixels"][0] == f"{STEPS:,} each"


def test_the_list_and_the_site_have_all_pages_in_one_order() -> None:
    """The decisions are a folder, to which the list leads."""
    listed = re.findall(r"\]\(([\w.-]+\.md)\)", (ROOT / "docs" / "README.md").read_text("utf-8"))
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    assert re.findall(r": ([\w.-]+\.md)", navigation) == ["README.md", *listed]
    assert {*listed, "README.md"} == {path.name for path in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize(
    "page", ["README.md", "README.zh.md", "docs/teaching.md", "docs/teaching.zh.md", "docs/command-line.md"]
)
def test_where_the_docs_export_pictures_they_name_lessons(page: str) -> None:
    lines = re.findall("^.*vizapp export .*--pictures.*$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    assert lines
    assert [line for line in lines if "--lessons" not in line] == []
