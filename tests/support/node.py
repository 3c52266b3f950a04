"""Node and what builds bundles: whether they are here; and tests in Node."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.paths import ROOT

FOLDER = ROOT / "tests" / "js"
NODE = shutil.which("node")
BUILDS = NODE and (ROOT / "node_modules" / "esbuild").is_dir()
needs_tools = pytest.mark.skipif(
    not BUILDS, reason="`npm ci` has not been run here: only those who change the viewer need it"
)
needs_node = pytest.mark.skipif(not NODE, reason="Node is not installed: only those who change JavaScript need it")
# Node 20 may hang as it ends: its main thread waits for one that compiles, which waits for the main thread to collect garbage
# (docs/lab-notes.md, 2026-11-27). With this flag nothing is compiled in another thread.
FLAGS = ("--no-concurrent-recompilation",)


def node_tests(*names: str, **environment: str) -> None:
    """Run files of tests/js, or all at its top if none is named. In a named file, no test may be skipped for lack of fixtures."""
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    older = int(said.lstrip("v").split(".")[0]) < 21  # knows fused multiply-add by a flag only
    flags = [*FLAGS, *(["--experimental-wasm-relaxed-simd"] if older else [])]
    files = [str(FOLDER / name) for name in names] or [str(one) for one in sorted(FOLDER.glob("*.test.js"))]
    command = ["node", *flags, "--test", "--test-reporter=tap", *files]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    # First the names: the end of a long run tells of tests that passed.
    failed = [line for line in done.stdout.splitlines() if line.lstrip().startswith("not ok")]
    assert done.returncode == 0, "\n".join([*failed, done.stdout[-6000:], done.stderr[-1000:]])
    assert not names or "# skipped 0" in done.stdout, done.stdout[-6000:]


def run_node(name: str, folder: Path) -> None:
    """Run one file of tests/js/export on the fixtures in `folder`."""
    node_tests(f"export/{name}", VIZAPP_ENGINE=str(folder))
