"""The wheel of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def built(checkout: Path, folder: Path) -> Path:
    """The wheel of `checkout`, in `folder`."""
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    subprocess.run(pip, cwd=checkout, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
