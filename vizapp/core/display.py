"""Show things in a notebook. A room above, which can paint, says how for things that are made here below."""

import importlib
from collections.abc import Callable
from typing import Any

Maker = Callable[..., str]

_makers: dict[type, Maker | str] = {}


def shows(kind: type) -> Callable[[Maker], Maker]:
    """Declare a function to be what gives HTML for things of this kind."""

    def keep(maker: Maker) -> Maker:
        _makers[kind] = maker
        return maker

    return keep


def shown_by(kind: type, where: str) -> None:
    """Declare the same by name, "vizapp.room.file:function": that room is loaded when a notebook first asks for such a thing."""
    _makers[kind] = where


def html_of(one: Any, **how: Any) -> str | None:
    """The HTML, made as `how` says; None where nothing that can paint was imported, and then a notebook shows the repr."""
    maker = _makers.get(type(one))
    if isinstance(maker, str):
        module, _, name = maker.partition(":")
        maker = _makers[type(one)] = getattr(importlib.import_module(module), name)
    return maker(one, **how) if maker else None
