"""Processor time of what needs no torch, beside the same of the last commit whose `import vizapp` loaded it."""

import os
import subprocess
import sys
import tarfile
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.launch import cpu_seconds_of_children
from bench.measure import Result, in_turns, over
from bench.server import ROOT

BEFORE = "561e1c0"  # the last commit of the first storey


def measure(repeats: int) -> list[Result]:
    """`repeats` pairs of processes that take turns. Without the history of the repository there is no earlier commit."""
    with TemporaryDirectory() as folder:
        before = Path(folder)
        if not unpacked(BEFORE, before):
            return [Result("processor time of `vizapp --help`", "s", tuple(helped(ROOT) for _ in range(repeats)))]
        for tree in (before, ROOT) * 2:  # compiles, and fills the cache of the disk
            helped(tree)
        pairs = [in_turns(turn, partial(helped, ROOT), partial(helped, before)) for turn in range(repeats)]
    now, then = zip(*pairs, strict=True)
    return [
        Result("processor time of `vizapp --help`", "s", now),
        Result(f"the same at commit {BEFORE}", "s", then),
        Result("their ratio", "x", over(now, then), 0.3),
    ]


def unpacked(commit: str, folder: Path) -> bool:
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True)
    if archive.returncode == 0:
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as file:
            file.extractall(folder, filter="data")
    return archive.returncode == 0


def helped(tree: Path) -> float:
    """Seconds of the processor for `python -m vizapp --help` in a tree, in a new process."""
    began = cpu_seconds_of_children()
    command = [sys.executable, "-m", "vizapp", "--help"]
    subprocess.run(command, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, check=True, capture_output=True)
    return cpu_seconds_of_children() - began
