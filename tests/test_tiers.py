"""The short run and the whole one."""

from __future__ import annotations

import re

import tiers
from conftest import ROOT


def test_what_is_left_out_is_there() -> None:
    """A file that was renamed would come back into the short run, or never leave it, in silence."""
    assert [str(path) for path in tiers.named() if not path.exists()] == []


def test_a_kind_is_found_by_place() -> None:
    found = {
        "tests/ui/test_layers.py::test_a[x]": "all that is done with the page",
        "tests/ui/test_browser.py::test_a": None,
        "tests/test_coverage.py::test_a_family_is_exact[vit]": "a network of each family",
        "tests/test_coverage.py::test_a_family_is_exactly": None,
        "tests/test_one_file_edit.py::test_b": "copies of the whole tree",
        "tests/core/test_capture.py::test_c": None,
    }
    assert {place: tiers.kind_of(place) for place in found} == found


def test_the_quick_tests_of_each_room_are_there() -> None:
    """CONTRIBUTING has a table of them: what was changed, and which files."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Which tests answer first")[2].partition("##")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines() if row.startswith("| ") and "changed" not in row]
    rooms, files = (
        [one for row in rows for one in re.findall(r"[\w./]*[/.][\w./]*", row[column])] for column in (0, 1)
    )
    assert len(files) > 15
    assert [one for one in files if not (ROOT / one).exists()] == []
    assert [one for one in rooms if not ((ROOT / one).exists() or (ROOT / "vizapp/core" / one).exists())] == []
