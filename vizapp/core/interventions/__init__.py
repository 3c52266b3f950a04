"""Edits of a forward pass: one per file of this folder, found by itself. Text such as "head-off:5.3" <-> `Edit`.

An edit is a frozen dataclass that derives from `Edit`, says what it is (`name`, `title`, `sentence`, `paper`), and turns the
one attention call that it is about into another. It is a value: it can be a key, stand in a file, be typed and printed.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from vizapp.core.capture.call import Call
from vizapp.core.capture.site import Site
from vizapp.errors import VizError
from vizapp.registry import modules_in
from vizapp.wording import Text


@dataclass(frozen=True)
class Edit(ABC):
    """One change of one attention layer, for as long as a forward pass lasts. The weights stay as they are.

    layer  index among the layers of a trace, from 0; -1 is the last one, and becomes its number when a model is edited

    A kind of edit declares:
    name      what is typed: "head-off" in "head-off:5.3"
    title     a few words; `sentence` says what it does to the network, `form` how it is typed, `paper` where it comes from
    """

    name: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    form: ClassVar[str]
    paper: ClassVar[str]

    layer: int

    @classmethod
    @abstractmethod
    def read(cls, what: str) -> Self:
        """The edit from what stands behind the colon. Raises `ValueError` for what cannot be read."""

    @abstractmethod
    def __str__(self) -> str:
        """Write the edit as it is typed; `parse` reads it back."""

    @abstractmethod
    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        """The attention call of `layer`, changed; `site` says how its axes are read, and `pictures` lie in it.

        What is returned must still be attention: its matrix, or softmax(scale q k^T + bias), times its v is its output. Only
        `output` reaches the network; the other parts are what maps and methods are made from.
        """

    @abstractmethod
    def check(self, site: Site) -> None:
        """Raise `VizError` if it means nothing for this layer."""

    def within(self, site: Site) -> "tuple[Edit, Site]":
        """Give this edit as one of a single call, and that call. Raises `VizError` for a layer of several calls."""
        site.check_apart()
        if site.calls:
            raise VizError(
                "{title} computes each head in a call of its own, and {edit} can change only one call.",
                "Choose another layer.",
                title=site.shape.title,
                edit=str(self),
            )
        return self, site

    @property
    def target(self) -> Hashable:
        """The thing that is changed: two edits of one target are refused. The edit itself, unless a kind says otherwise."""
        return self

    @property
    @abstractmethod
    def note(self) -> Text:
        """The note beside every map: the edit as it is typed, from 0, and its place counted from 1."""


@cache
def edits() -> dict[str, type[Edit]]:
    """All kinds of edits by name: each class of a file of this folder that gives itself a name."""
    modules_in(__name__)
    kinds: list[type[Edit]] = Edit.__subclasses__()
    for kind in kinds:  # and, as it grows, those that derive from them
        kinds += kind.__subclasses__()
    return {kind.name: kind for kind in kinds if "name" in vars(kind)}


def parse(text: str | Edit) -> Edit:
    """ "head-off:5.3" -> HeadOff(layer=5, head=3); an `Edit` as it is. Raises `VizError` for what is no edit."""
    if isinstance(text, Edit):
        return text
    name, _, what = str(text).strip().partition(":")
    if name not in edits():
        raise VizError("There is no edit '{name}'.", "Choose one of: {names}.", name=name, names=", ".join(forms()))
    kind = edits()[name]
    try:
        return kind.read(what)
    except VizError:
        raise
    except (ValueError, TypeError):
        raise VizError("'{text}' is no edit.", "Write {form}.", text=text, form=kind.form) from None


def parse_all(texts: str | Edit | Iterable[str | Edit]) -> tuple[Edit, ...]:
    """Read several edits, each once, in their order; a single one counts as a list of one."""
    return tuple(dict.fromkeys(parse(one) for one in ([texts] if isinstance(texts, (str, Edit)) else texts)))


def forms() -> list[str]:
    """List how each kind is typed: ["head-off:LAYER.HEAD", ...]."""
    return [kind.form for kind in edits().values()]
