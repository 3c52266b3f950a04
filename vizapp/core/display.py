"""How things show themselves in a notebook: said by a room above, which can paint, for things that are made here below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Maker = Callable[[Any], str]

_makers: dict[type, Maker] = {}


def shows(kind: type) -> Callable[[Maker], Maker]:
    """Declare a function to be what gives HTML for things of this kind."""

    def keep(maker: Maker) -> Maker:
        _makers[kind] = maker
        return maker

    return keep


def html_of(one: Any) -> str | None:
    """The HTML; None where nothing that can paint was imported, and then a notebook shows the repr."""
    maker = _makers.get(type(one))
    return maker(one) if maker else None
