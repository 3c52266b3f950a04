"""What the Tab key offers: by the protocol of argcomplete, quickly, and the names that there are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from support.starting import HEAVY, ran
from vizapp.core.methods import methods
from vizapp.model.timm_names import known
from vizapp.model.zoo import bundled
from vizapp.terminal import completion

pytest.importorskip("argcomplete")


def offered(line: str, folder: Path) -> list[str]:
    """What a shell would show after this line and Tab."""
    answer = folder / "answer"
    variables = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
    variables |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n"}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "vizapp"]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | variables | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", ""), "a shell shows it in the middle of the line"
    return [one.strip() for one in answer.read_text().split("\n")]


def test_a_shell_is_offered_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("")
    expected = {
        "vizapp me": ["measure", "methods"],
        "vizapp explain example --me": ["--method"],
        "vizapp explain example --method ro": ["rollout"],
        "vizapp explain pho": ["photo.jpg"],
        "vizapp evaluate --model un": ["unaided"],
        "vizapp check timm:vit_tiny_patch16": ["timm:vit_tiny_patch16_224", "timm:vit_tiny_patch16_384"],
    }
    wrong = {
        line: found for line, wanted in expected.items() if not set(wanted) <= set(found := offered(line, tmp_path))
    }
    assert wrong == {}


def test_names_are_those_that_there_are(tmp_path: Path) -> None:
    """Known without torch, for which nobody waits at a Tab."""
    assert sorted(completion.method_names()) == sorted(methods())
    assert set(completion.model_names()) >= {*bundled.names(), "photos", *(one.full_name for one in known().values())}
    said, _, loaded = ran(
        "from vizapp.terminal import completion as c; print(*c.method_names(), *c.model_names())", tmp_path
    )
    assert {"rollout", "toy"} <= set(said.split())
    assert set(HEAVY) & set(loaded) == set()
