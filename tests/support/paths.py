"""Where the checkout is, what its settings say, and the real weights beside it."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DEIT = ROOT.parent / "shared" / "weights" / "deit_tiny_patch16_224.in1k.safetensors"


def settings(path: str) -> Any:
    """A YAML file of the checkout."""
    import yaml  # comes with gradio

    return yaml.safe_load((ROOT / path).read_text("utf-8"))
