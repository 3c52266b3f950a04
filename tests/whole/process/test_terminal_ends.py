"""A terminal that takes no more."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT


@pytest.mark.parametrize(
    ("command", "said", "code"),
    [
        ("{python} -m vizapp methods | :", "", 141),
        ("{python} -m vizapp methods > /dev/full", "vizapp: No space left on device", 2),
        ("PYTHONIOENCODING=ascii {python} -m vizapp methods > /dev/null", "", 0),
    ],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_terminal_that_takes_no_more_is_no_traceback(command: str, said: str, code: int) -> None:
    """A pipe that is closed, a disk that is full, letters that it has not."""
    command = command.format(python=sys.executable)
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (code, said)
