"""Bundles of JavaScript, and the tools that build them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.node import NODE
from support.paths import ROOT

BUNDLE = ROOT / "vizapp" / "ui" / "viewer" / "bundle.js"
BUILDS = NODE and (ROOT / "node_modules" / "esbuild").is_dir()


needs_tools = pytest.mark.skipif(
    not BUILDS, reason="`npm ci` has not been run here: only those who change the viewer need it"
)


def run(*command: str, **environment: str) -> None:
    """Run a program in the repository; its output is the failure's."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def copy_of_viewer(folder: Path) -> Path:
    """The viewer's sources without their bundle, to be changed and built."""
    copy, ignored = folder / "vizapp" / "ui" / "viewer", shutil.ignore_patterns("bundle.js", "__pycache__")
    shutil.copytree(BUNDLE.parent, copy, ignore=ignored)
    shutil.copy(ROOT / "vizapp" / "vocabulary.js", folder / "vizapp")
    return copy


def built(viewer: Path) -> bytes:
    """What the build makes of a copy."""
    run("node", str(BUNDLE.parent / "build.mjs"), str(viewer))
    return (viewer / "bundle.js").read_bytes()
