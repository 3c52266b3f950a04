"""The names of timm's networks that have attention, known without importing timm: for suggestions, and for "did you mean".

`python -m bench.timm_names` makes the table when timm is updated.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vizapp.wording import alike

TABLE = Path(__file__).parents[1] / "assets" / "timm.csv"
WEIGHTS = {".safetensors", ".bin", ".pt", ".pth"}


@dataclass(frozen=True)
class Known:
    """name: timm's. millions: of parameters. weights: the repository of its default weights, "" if there are none"""

    name: str
    millions: float
    weights: str

    @property
    def full_name(self) -> str:
        """The name that `vizapp.load` takes."""
        return f"timm:{self.name}" if self.weights else f"timm:{self.name}?pretrained=no"


@cache
def known() -> dict[str, Known]:
    """Return the known networks by timm's name, in timm's order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {one["name"]: Known(one["name"], float(one["millions"]), one["weights"]) for one in csv.DictReader(file)}


@cache
def trained() -> tuple[Known, ...]:
    """Return the networks that have weights, for a list in which Enter takes the first name that contains what was typed.

    A name stands before all that contain it, so Enter takes the one that was typed in full. The others are random: they are
    loaded only for who types their full name.
    """
    found = [one for one in known().values() if one.weights]
    names = [one.name for one in found]
    innermost = {name: min((other for other in names if other in name), key=len) for name in names}
    return tuple(sorted(found, key=lambda one: (names.index(innermost[one.name]), len(one.name))))


def close_to(typed: str, others: Iterable[str] = ()) -> list[str]:
    """List full names, of timm and of `others`, that resemble a name typed without a source."""
    full = dict.fromkeys(others) | {name: one.full_name for name, one in known().items()}
    return [full[name] or name for name in alike(typed.partition(".")[0], full)]


def repository_of(name: str) -> str:
    """Return the hub's repository with the weights of a full name: "timm:x.y?size=224" -> "timm/x.y"; "" if it has none there."""
    source, _, rest = name.partition("?")[0].partition(":")
    return {"timm": f"timm/{rest}", "hf-hub": rest, "hf": rest}.get(source, "")


def downloaded() -> frozenset[str]:
    """Return the repositories of the hub whose weights are kept on this computer."""
    from huggingface_hub import constants

    kept = Path(constants.HF_HUB_CACHE).glob("models--*/snapshots/*/*")
    whole = (one.parents[2].name for one in kept if one.suffix in WEIGHTS)
    return frozenset(one.removeprefix("models--").replace("--", "/") for one in whole)
