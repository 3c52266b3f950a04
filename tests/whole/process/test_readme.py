"""README.md as a test: it is short, its code runs, and that of docs/python.md and its like; the commands that they name exist."""

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path, PurePosixPath

import pytest

from support.commands import COMMANDS, SET_UP, TOLD, TYPED, blocks, here
from support.paths import ROOT
from vizapp import cli

ARCHITECTURE = (ROOT / "docs/architecture.md").read_text("utf-8")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
]


def test_readme_is_read() -> None:
    """In a few minutes: the head of a Space is not counted, and what a package says instead is."""
    assert len(TYPED["README.md"].split("---", 2)[2].split()) <= 1300


def test_the_set_up_commands_are_what_ci_does() -> None:
    assert [line for block in blocks("bash") for line in block.splitlines() if line in SET_UP] == list(SET_UP)
    assert 'pip install -q -e ".[test]"' in (ROOT / ".ci" / "run").read_text("utf-8")
    assert "pytest tests/whole" in (ROOT / ".ci" / "whole").read_text("utf-8")
    assert len(COMMANDS) >= 8, "the others are found"


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split("#")[0].strip().replace("/", "|"))
def test_a_command_runs(line: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(here(line), comments=True)
    assert program == "vizapp"
    arguments += ["--count", "2"] if arguments[0] == "evaluate" and "--count" not in arguments else []  # of 2000
    assert cli.main(arguments) == 0, capsys.readouterr().err
    assert (desk / arguments[arguments.index("-o") + 1]).stat().st_size > 100 if "-o" in arguments else True


def test_the_python_runs_from_top_to_bottom(desk: Path) -> None:
    """Each page in one namespace, as a reader would type it."""
    for page, text in TYPED.items():
        names: dict[str, object] = {}
        for number, block in enumerate(blocks("python", text)):
            exec(compile(here(block), f"{page}, Python block {number}", "exec"), names)
    assert names["picture"].shape == (64, 80, 3)
    assert (desk / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert len(names["found"].rows()) >= 3


def tree() -> Iterator[str]:
    """Each name of the tree in docs/architecture.md, as a path."""
    (block,) = [one for one in blocks("", ARCHITECTURE) if one.startswith("launch.py")]
    folders: list[tuple[int, str]] = [(-1, "")]
    for line in block.splitlines():
        depth = len(line) - len(line.lstrip())
        names = re.match(r"\s*(\S+( [\w.]+(\.py|/))*)", line)[1].split()
        while folders[-1][0] >= depth:
            folders.pop()
        yield from (str(PurePosixPath(folders[-1][1], name)) for name in names)
        if names[-1].endswith("/"):
            folders.append((depth, str(PurePosixPath(folders[-1][1], names[-1]))))


def test_what_stands_in_the_tree_exists() -> None:
    listed = list(tree())
    assert len(listed) > 40
    assert "model/toy/things.py" in listed
    assert [name for name in listed if not (ROOT / name).exists()] == []


def test_what_exists_stands_in_the_tree() -> None:
    """Rooms down to the third floor, and the files of model/, model/toy/, vizapp/, vizapp/core/ and vizapp/ui/."""
    listed = set(tree())
    rooms = {
        path.parent
        for room in ("model", "vizapp")
        for path in (ROOT / room).rglob("*.py")
        if "__pycache__" not in path.parts
    }
    inside = {path.relative_to(ROOT) for path in rooms}
    expected = {str(path) for path in inside if len(path.parts) <= 3 and not {"lrp"} & set(path.parts)}
    expected |= {
        f"{room}/{path.name}"
        for room in ("model", "model/toy", "vizapp", "vizapp/core", "vizapp/ui")
        for path in (ROOT / room).glob("[!_]*.py")
    }
    expected |= {path.name for path in ROOT.glob("*.py")} - {"setup.py"}
    linked = tuple(str(path.relative_to(ROOT)) for path in (ROOT / "vizapp").iterdir() if path.is_symlink())
    assert sorted(name for name in expected - listed if not name.startswith(linked)) == []


def commands_named() -> list[tuple[str, str]]:
    """(page, command) of each `vizapp ...` and `python launch.py ...` in a sentence."""
    pattern = r"(?<!`)`((?:vizapp|python launch\.py)(?: [^`]+)?)`(?!`)"
    return [
        (path.name, text) for path in PAGES for text in re.findall(pattern, path.read_text("utf-8").replace("\n", " "))
    ]


def test_every_command_that_is_named_is_understood() -> None:
    """In sentences, where nothing runs: an option that was renamed would stay there for ever."""
    named = [(page, text) for page, text in commands_named() if " " in text]
    assert len(named) > 5
    wrong = []
    for page, text in named:
        arguments = shlex.split(text.removeprefix("python launch.py").removeprefix("vizapp"))
        arguments = ["serve", *arguments] if text.startswith("python") else arguments
        if arguments == ["explain"]:
            continue  # the command by its name
        try:
            with redirect_stdout(StringIO()):
                cli.parser().parse_args(arguments)
        except SystemExit as end:
            wrong += [f"{page}: {text}"] if end.code else []
    assert wrong == []


def subcommands() -> dict[str, argparse.ArgumentParser]:
    (action,) = [one for one in cli.parser()._actions if isinstance(one, argparse._SubParsersAction)]
    assert action.metavar == " | ".join(action.choices), "--help lists each of them"
    return action.choices


def test_each_command_is_named_and_what_serve_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [name for name in subcommands() if f"vizapp {name}" not in TOLD] == []
    told = subcommands()["serve"].format_help()
    sentence = re.search(r"`python launch\.py --help` lists the options ([\w, ]+)\.", TOLD)[1]
    assert [
        word for word in re.split(r", | and ", sentence) if f"--{word}" not in told and f"--no-{word}" not in told
    ] == []


def test_the_settings_are_those_of_the_program() -> None:
    """Each option in them is one of the program, so that --help knows it."""
    told = "\n".join(one.format_help() for one in subcommands().values()) + cli.parser().format_help()
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", TOLD))
    assert sorted(option for option in options if option not in told) == ["--index-url"], "pip's own"


def test_links_of_the_pages_lead_somewhere() -> None:
    broken = []
    for path in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL)  # code is no link
        for link in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
            if not os.path.lexists(path.parent / link):
                broken.append(f"{path.name}: {link}")
    assert broken == []
