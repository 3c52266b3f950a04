"""Where tests lie: unit tests mirror the rooms, no test imports another, and `python -m tests.of` finds the tests of a file."""

import ast
import re
import runpy
from pathlib import Path

import pytest

from support.imports import imports_of, tree_of
from support.paths import ROOT

TESTS = ROOT / "tests"
FILES = sorted(TESTS.rglob("*.py"))
# Folders of tests/unit that mirror one outside of vizapp.
OUTSIDE = {one: ROOT / one for one in ("model", "bench", "deploy")}
named = runpy.run_path(str(TESTS / "of.py"))["tests_of"]


def test_tests_lie_where_a_run_finds_them_and_unit_tests_mirror_the_rooms() -> None:
    folders = [
        one.relative_to(TESTS / "unit") for one in (TESTS / "unit").rglob("*") if one.is_dir() and one.name[0] != "_"
    ]
    roots = {one: OUTSIDE.get(one.parts[0], ROOT / "vizapp" / one.parts[0]) for one in folders}
    assert [str(one) for one in folders if not roots[one].joinpath(*one.parts[1:]).is_dir()] == []
    runs = ("unit", "page", *(f"whole/{one}" for one in ("browser", "process", "install", "fuzz", "load", "libraries")))
    homes = [TESTS / one for one in runs]
    lost = [path for path in FILES if path.name.startswith("test_") and not any(home in path.parents for home in homes)]
    assert lost == []


def test_no_test_imports_another() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in FILES
        for _, name in imports_of(path.read_text("utf-8"))
        if re.search(r"(^|\.)(test_\w+|conftest)(\.|$)", name) or name.startswith("tests.")
    ]
    assert found == []


def test_no_two_tests_of_a_file_have_one_name() -> None:
    """The first one would never run."""
    for path in FILES:
        names = [one.name for one in tree_of(path.read_text("utf-8")).body if isinstance(one, ast.FunctionDef)]
        assert sorted(set(names)) == sorted(names), path.relative_to(ROOT)


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("model/frame.py", "tests/unit/model/test_frame.py"),
        ("vizapp/core/capture/watch.py", "tests/unit/core/capture"),
        ("vizapp/core/attention/layers.py", "tests/unit/core/attention"),
        # Which imports it, from another room.
        ("vizapp/core/methods/rollout.py", "tests/unit/core/attention/test_hidden_rows.py"),
        ("vizapp/ui/viewer/keys.js", "tests/page/test_js.py"),
        ("vizapp/ui/server/guard.py", "tests/page/server"),
        ("tests/unit/model/test_vit.py", "tests/unit/model/test_vit.py"),
        ("vizapp/ui/incoming/__init__.py", "tests/page/test_in_a_browser.py"),
        ("vizapp/ui/viewer/keys.js", "tests/page/test_in_a_browser.py"),
        ("vizapp/browser/one_file.py", "tests/page/test_in_a_browser.py"),
        ("tests/support/queue_jobs.py", "tests/unit/ui/test_jobs.py"),
        ("bench/planted.py", "tests/unit/bench"),
        ("deploy/space.py", "tests/unit/deploy"),
    ],
)
def test_the_tests_of_a_file_are_named(file: str, wanted: str) -> None:
    found = named([file])
    assert any(Path(one) == Path(wanted) or Path(one) in Path(wanted).parents for one in found), found
    assert all((ROOT / one).exists() for one in found)


def test_what_no_test_of_the_gate_is_about_names_none() -> None:
    assert named(["docs/page.md", "README.md"]) == []
    # Git names what was deleted among what was changed, and pytest ends at once where a file is not there.
    assert named(["tests/unit/test_of_yesterday.py"]) == []


def test_a_script_names_the_tests_of_its_page_alone() -> None:
    """No test imports it: it named every test that imports something from outside, which is nearly every one."""
    page = {"tests/page/test_js.py", "tests/page/test_page.py", "tests/page/test_in_a_browser.py"}
    assert set(named(["vizapp/ui/viewer/keys.js"])) == {*page, "tests/unit/ui", "tests/unit/test_architecture.py"}
