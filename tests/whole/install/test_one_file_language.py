"""docs/add-a-language.md as a test: its file, put into the tree, is on the page; taken away, nothing is left of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx

from bench.server import address_in, unused_port
from vizapp.ui.words._sentences import ROOT

TABLE = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "add-a-language.md").read_text("utf-8"), re.DOTALL)[1]
LEFT_OUT = shutil.ignore_patterns(
    ".git", "__pycache__", "node_modules", "build", "*.egg-info", "screenshots", ".*_cache"
)


def start(tree: Path) -> tuple[subprocess.Popen[str], str]:
    """`python launch.py` in a copy of the tree; its address."""
    options = ["--model", "toy", "--device", "cpu", "--port", str(unused_port()), "--no-browser"]
    command = [sys.executable, "launch.py", *options]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "GRADIO_TEMP_DIR": str(tree / "files"), "PYTHONPATH": ""}
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout
    said = ""
    while not (url := address_in(said)):
        line = process.stdout.readline()
        assert line, said
        said += line
    return process, url


def pages(tree: Path) -> dict[str, str]:
    """What the server sends for each way to ask."""
    process, url = start(tree)
    asked = {"english": ("", {}), "address": ("?lang=eo", {}), "browser": ("", {"accept-language": "eo"})}
    try:
        return {
            name: httpx.get(url + query, headers=headers, follow_redirects=True, timeout=30).text
            for name, (query, headers) in asked.items()
        }
    finally:
        process.terminate()
        process.communicate(timeout=30)


def told(tree: Path, *command: str) -> str:
    """What a program says that finds vizapp in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=tree, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.stdout + done.stderr


def test_a_language_is_one_file(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT, symlinks=True)
    file = tree / "vizapp" / "ui" / "words" / "eo.py"
    file.write_text(TABLE, "utf-8")
    found = pages(tree)
    assert "Metodoj" not in found["english"]
    assert '["eo","eo",' in found["address"].replace(", ", ",")
    for way in ("address", "browser"):
        assert "Metodoj" in found[way]
        assert "Kompari" in found[way]
    assert "Esperanto" in found["english"], "the way to it"
    say = "from vizapp.ui.words import words_for; from vizapp.errors import VizError as E\n"
    say += "print(words_for('eo').explain(E(\"There is no method '{name}'.\", 'Choose another.', name='a')))"
    assert told(tree, "-c", say) == "There is no method 'a'. Choose another.\n", (
        "in one language: the hint has no Esperanto"
    )
    assert told(tree, "-c", say.replace("'Choose another.', ", "")) == "Ne ekzistas metodo 'a'.\n"
    lacking = told(tree, "-m", "vizapp.ui.words").splitlines()
    assert "eo: TEXTS: Try again in a minute." in lacking
    assert "eo: TEXTS: There is no method '{name}'." not in lacking
    assert all(one.startswith("eo: ") for one in lacking), "the others owe nothing"
    file.unlink()
    after = pages(tree)
    assert "Metodoj" not in "".join(after.values())
    assert "Esperanto" not in "".join(after.values())
    assert '["eo","eo",' not in after["address"].replace(", ", ","), "no page of it either"
