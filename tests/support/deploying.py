"""Workflows and pinned versions are those of the project."""

from __future__ import annotations

from typing import Any

import yaml  # comes with gradio

from support.paths import ROOT


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))
