"""Every block of code in the docs is run: here from top to bottom of its page, or by the test that is named here."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.commands import COMMANDS, desk, here  # noqa: F401
from support.paths import ROOT
from vizapp import cli

PAGES = [
    *(ROOT / name for name in ("README.zh.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "vizapp").glob("*/**/README.md")),
]
RUN = {"python", "bash", "json", "toml"}  # other kinds are shown, not run: text, html
# Page -> how many of its blocks are run elsewhere, by the files that this line names, with what they need: a browser, a server.
ELSEWHERE = {
    "docs/api.md": (2, "tests/page/programs/test_endpoints.py"),
    "docs/extend.md": (3, "tests/unit/core/methods/test_methods_docs.py", "tests/support/additions.py"),
    "docs/models.md": (4, "tests/unit/pipeline/test_own_model.py"),
    "docs/python.md": (8, "tests/support/commands.py"),  # for test_readme.py
    "vizapp/core/capture/README.md": (9, "tests/unit/core/capture/test_capture_readme.py"),
}


INSTALLS = ("pip install ",)
BY_HAND = {  # first words of lines that build or push something, and who has looked
    "python deploy/space.py": "tests/whole/install/test_deploy.py",
    "docker build": "deploy/rehearse.py",
    "docker run": "tests/unit/deploy/test_deploy.py",
    "TORCH_INDEX=URL docker": "deploy/rehearse.py",
}
# What test_readme.py runs is not run once more.
IN_README = [shlex.split(here(line), comments=True) for line in COMMANDS]


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """(language, text) of those that are to be run."""
    for fenced in ("\n" + page.read_text("utf-8")).split("\n```")[1::2]:
        language, _, text = fenced.partition("\n")
        if language in RUN:
            yield language, text + "\n"


def wrong_in(name: str, found: list[tuple[str, str]]) -> Iterator[str]:
    """What does not hold in the blocks of a page, which share one namespace and one folder."""
    names: dict[str, object] = {"__name__": "page"}
    for number, (language, text) in enumerate(found, 1):
        at = f"{name}, block {number}"
        try:
            if language == "python":
                exec(compile(here(text), at, "exec"), names)
            elif language == "json":
                json.loads(text)
            elif language == "toml":
                tomllib.loads(text)
            else:
                yield from (f"{at}: {line}: {slip}" for line in text.splitlines() if (slip := slip_of(line)))
        except Exception as error:
            yield f"{at}: {type(error).__name__}: {error}"


def slip_of(line: str) -> str:
    """Why a line of a terminal does not do what it says; "" where it does, or where README has it, too."""
    words = shlex.split(here(line), comments=True)
    if not words or words in IN_README or line.startswith(tuple(BY_HAND)):
        return ""
    if line.startswith(INSTALLS):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
        asked = re.findall(r"\[(\w+)\]", line.partition("#")[0])
        return "" if set(asked) <= set(extras) else f"there is no extra {asked}"
    return "" if words[0] == "vizapp" and cli.main(words[1:]) == 0 else "it ended otherwise than well"


@pytest.mark.usefixtures("desk")
def test_every_block_of_the_docs_runs(tmp_path: Path) -> None:
    frames = [Image.fromarray(np.random.default_rng(n).integers(0, 255, (64, 80, 3), np.uint8)) for n in range(2)]
    frames[0].save(tmp_path / "moving.gif", save_all=True, append_images=frames[1:])
    assert cli.main("evaluate --methods chefer rollout --set one --count 4 -o result.csv --device cpu".split()) == 0
    kept = (tmp_path / "result.pictures.csv").read_bytes()
    wrong, seen = [], set()
    for page in PAGES:
        name, found = page.relative_to(ROOT).as_posix(), list(blocks(page))
        seen.add(name)
        (tmp_path / "result.pictures.csv").write_bytes(kept)  # which another page may have written over
        count, *tests = ELSEWHERE.get(name, (0,))
        if not tests:
            wrong += wrong_in(name, found)
            continue
        # What another test runs are the blocks in a language of its own; those that are only to be read hold here.
        code = [one for one in found if one[0] in {"python", "bash"}]
        code = [one for one in code if not one[1].startswith(INSTALLS)]
        if len(code) != count or not all(page.name in (ROOT / test).read_text("utf-8") for test in tests):
            wrong.append(f"{name}: {len(code)} blocks, of which {tests} run {count}")
        wrong += wrong_in(name, [one for one in found if one not in code])
    wrong += [f"{name}: no such page" for name in ELSEWHERE.keys() - seen]
    assert wrong == []
