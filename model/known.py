"""The networks of timm that attend, by name, known without importing timm: for suggestions, and for "did you mean".

`python -m bench.timm_names` makes the table when timm is updated.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parents[1] / "assets" / "timm.csv"
WEIGHTS = {".safetensors", ".bin", ".pt", ".pth"}


@dataclass(frozen=True)
class Known:
    """name: timm's. millions: of parameters. weights: repository of those it is loaded with, "" where there are none"""

    name: str
    millions: float
    weights: str

    @property
    def full_name(self) -> str:
        """As it is asked for."""
        return f"timm:{self.name}" if self.weights else f"timm:{self.name}?pretrained=no"


@cache
def known() -> dict[str, Known]:
    """By timm's name, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {one["name"]: Known(one["name"], float(one["millions"]), one["weights"]) for one in csv.DictReader(file)}


def close_to(typed: str, others: Iterable[str] = ()) -> list[str]:
    """Full names that are like what was typed without a source: those of timm, and `others`."""
    full = dict.fromkeys(others) | {name: f"timm:{name}" for name in known()}
    like = difflib.get_close_matches(typed.partition(".")[0], full, n=3, cutoff=0.6)
    return [full[name] or name for name in like]


def repository_of(name: str) -> str:
    """Where the weights of a full name come from, of those that come from the hub: "timm:x.y?size=224" -> "timm/x.y"; else ""."""
    source, _, rest = name.partition("?")[0].partition(":")
    return {"timm": f"timm/{rest}", "hf-hub": rest, "hf": rest}.get(source, "")


def downloaded() -> frozenset[str]:
    """Repositories of the hub whose weights are kept on this computer."""
    from huggingface_hub import constants

    kept = Path(constants.HF_HUB_CACHE).glob("models--*/snapshots/*/*")
    whole = (one.parents[2].name for one in kept if one.suffix in WEIGHTS)
    return frozenset(one.removeprefix("models--").replace("--", "/") for one in whole)
