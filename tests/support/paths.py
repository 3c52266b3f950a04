"""Where the checkout is, and the real weights beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DEIT = ROOT.parent / "shared" / "weights" / "deit_tiny_patch16_224.in1k.safetensors"
