"""Where models come from: one source per file of this folder, found by itself.

A source is a module with
    PREFIXES: tuple[str, ...]                            the words before the colon of a model name
    def names() -> tuple[str, ...]                       what to offer in a list of models, full names
    def load(asked: ModelName) -> VisionModel            the model on the CPU; `model.load` puts it into eval mode
It imports its library inside `load`, so that nobody pays for a library that nobody asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from urllib.parse import parse_qsl

from model.errors import VizError


@dataclass(frozen=True)
class ModelName:
    """SOURCE:NAME?option=value&...  A name without a source is a bundled model, or a file if it ends like one."""

    source: str
    name: str
    options: dict[str, str]
    text: str  # as it was typed

    @classmethod
    def parse(cls, text: str) -> ModelName:
        body, _, options = text.strip().partition("?")
        source, colon, name = body.partition(":")
        if not colon or len(source) == 1:  # "C:\model.safetensors" is a path
            source, name = ("file" if body.endswith(".safetensors") else "bundled"), body
        return cls(source, name, dict(parse_qsl(options, keep_blank_values=True)), text.strip())

    def take(self, **defaults: str) -> dict[str, str]:
        """The options, completed by `defaults`. Raises `VizError` for an option that is not among them."""
        for option in self.options:
            if option not in defaults:
                known = ", ".join(defaults) or "none"
                raise VizError(f"'{option}' is no option of {self.source}:{self.name}.", f"Its options are: {known}.")
        return defaults | self.options


@cache
def sources() -> dict[str, ModuleType]:
    """Prefix -> source, in the order of the files' names."""
    found: dict[str, ModuleType] = {}
    for module in pkgutil.iter_modules(__path__):
        source = importlib.import_module(f"{__name__}.{module.name}")
        found |= dict.fromkeys(source.PREFIXES, source)
    return found


def parse_size(text: str) -> tuple[int, int] | None:
    """ "384" or "224x448" (height x width) -> (height, width); "" -> None."""
    if not text:
        return None
    try:
        height, width = (int(side) for side in (text.split("x") if "x" in text else (text, text)))
    except ValueError:
        height = width = 0
    if not (0 < height <= 4096 and 0 < width <= 4096):
        raise VizError(
            f"size={text} is no input size.", "Write size=384, or size=224x448 for height x width, up to 4096."
        )
    return height, width
