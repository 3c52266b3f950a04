"""Programs in a process of their own, and what is imported when a part of vizapp starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.paths import ROOT

HEAVY = ("torch", "torchvision", "timm", "cv2", "matplotlib", "gradio", "numpy", "PIL", "transformers", "pandas")

LIGHT = """
import io, json, runpy, sys
from contextlib import redirect_stdout
said, code = io.StringIO(), 0
with redirect_stdout(said):
    try:
        exec(sys.argv[1])
    except SystemExit as end:
        code = end.code
print(json.dumps([said.getvalue(), code, sorted(name for name in sys.modules if "." not in name)]))
"""


def in_python(code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program that finds vizapp and these tests' checkout, with variables beside those of this process, to a good end."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def ran(statement: str, cwd: Path) -> tuple[str, int, list[str]]:
    """What a new process said, its exit code, and what it has loaded."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{LIGHT}", statement]
    return tuple(json.loads(subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout))
