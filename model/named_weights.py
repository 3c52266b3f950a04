"""The full name of a file of weights: file:PATH?arch=NAME, with the architecture as the file itself says it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from safetensors import SafetensorError, safe_open

from vizapp.errors import VizError

OWN = "vizapp"  # what `vizapp.model.toy.train` writes: it describes its network whole, and needs no name of one
KEYS = ("arch", "architecture", "model_name", "timm_model", "model")  # under which others write the name of theirs


def full_name(path: Path, architectures: Collection[str]) -> str:
    """What `vizapp.load` takes for the file at `path`; the name of the file counts too, as `load` compares every tensor.

    architectures  names that count
    A file that cannot be read has its plain name: to load it says why. Raises `VizError` if nothing says which network it is of.
    """
    try:
        with safe_open(path, framework="pt") as file:
            said = file.metadata() or {}
    except (SafetensorError, OSError, ValueError):
        return f"file:{path}"
    if OWN in said:
        return f"file:{path}"
    named = [
        name for key in KEYS if (name := said.get(key, "").partition(".")[0].removeprefix("timm/")) in architectures
    ]
    named += sorted((one for one in architectures if re.match(rf"{re.escape(one)}(?![a-z0-9])", path.name)), key=len)[
        -1:
    ]
    if not named:
        raise unnamed(path.name)
    return f"file:{path}?arch={named[0]}"


def unnamed(name: str) -> VizError:
    """The error of a file, called `name`, that does not say which network it is of."""
    return VizError(
        "'{name}' does not say which architecture its weights belong to.",
        "Add it: file:PATH.safetensors?arch=deit_tiny_patch16_224 (a name of timm).",
        name=name,
    )
