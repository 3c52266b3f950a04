"""Find the full name of a file of weights: file:PATH?arch=NAME, with the architecture that the file itself names."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open

from vizapp.errors import VizError
from vizapp.model.torch_file import is_torch_file
from vizapp.model.zoo import ModelName

OWN = "vizapp"  # key of our own files: they describe their network and need no name of one
KEYS = (
    "arch",
    "architecture",
    "model_name",
    "timm_model",
    "model",
)  # keys under which other programs write the architecture


def full_name(path: Path, architectures: Collection[str]) -> str:
    """Return the name that `vizapp.load` takes for the file at `path`.

    The name of the file may name the architecture, too: `load` compares every tensor, so a wrong guess does no harm.
    architectures  the accepted names
    An unreadable file gets its plain name, and loading it says why. Raises `VizError` if nothing names the architecture.
    """
    said = words_beside(path)
    if said is None or OWN in said:
        return f"file:{path}"
    return f"file:{path}?arch={architecture_of(path.name, said, architectures)}"


def words_beside(path: Path) -> dict[str, str] | None:
    """Read the metadata of a safetensors file; None if it cannot be read."""
    try:
        with safe_open(path, framework="pt") as file:
            return file.metadata() or {}
    except (SafetensorError, OSError, ValueError):
        return None


def architecture_of(name: str, said: Mapping[str, str], architectures: Collection[str]) -> str:
    """Find the architecture of a file's weights in its metadata `said`, or else in its `name`; one of `architectures`.

    Raises `VizError` if neither names one.
    """
    told = [said.get(key, "").partition(".")[0].removeprefix("timm/") for key in KEYS]
    named = [one for one in told if one in architectures]
    named += sorted((one for one in architectures if re.match(rf"{re.escape(one)}(?![a-z0-9])", name)), key=len)[-1:]
    if not named:
        raise unnamed(name)
    return named[0]


def pickle_in(name: str) -> Path | None:
    """Return the file of a model's full name if it would be read as a pickle of torch.save; None for every other model."""
    asked = ModelName.parse(name)
    if asked.source != "file" or not is_torch_file(Path(asked.name)):
        return None
    try:
        return Path(asked.name).expanduser()
    except RuntimeError:  # "~nobody": an unknown home
        return None


def unnamed(name: str) -> VizError:
    """Make the error for a file, called `name`, that does not name its network."""
    return VizError(
        "'{name}' does not say which architecture its weights belong to.",
        "Add it: file:PATH.safetensors?arch=deit_tiny_patch16_224 (a name of timm).",
        name=name,
    )
