"""How many jobs may wait for the processor: in all, of one address, of one session; and who asks.

Maps, what a browser asks later ("ask"), long runs, and what a page asks for of itself ("spare") have places of their own: a
hundred long runs never keep a map out. What nobody listens to (yet) has a few places besides, and computes only when somebody
does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from vizapp.errors import VizError
from vizapp.ui.recent import Recent

Priority = Literal["map", "ask", "long", "spare"]


@dataclass(frozen=True)
class Asker:
    """For whom a job is.

    session   of Gradio's; "": a program that has none
    address   of the visitor, where an address is a visitor; "": not known, as behind a proxy that tells none
    is_there  does somebody wait for the answer now?
    since     when the server was asked, by `time.monotonic`, where it is known: first come, first served
    """

    session: str = ""
    address: str = ""
    is_there: Callable[[], bool] = field(default=lambda: True)
    since: float | None = None


NOBODY = Asker()


@dataclass(frozen=True)
class Limits:
    """Jobs that may wait or be at work at once. A kind that is not named has no place. Why these: docs/decisions/0024, 0026."""

    in_all: Mapping[Priority, int] = field(default_factory=lambda: {"map": 96, "ask": 64, "long": 48, "spare": 16})
    address: Mapping[Priority, int] = field(default_factory=lambda: {"map": 64, "ask": 48, "long": 32, "spare": 8})
    session: Mapping[Priority, int] = field(default_factory=lambda: {"map": 8, "ask": 16, "long": 3, "spare": 2})
    unheard: int = 32

    @property
    def most(self) -> int:
        """Jobs that can be there at once."""
        return sum(self.in_all.values()) + self.unheard

    def refuse(self, priority: Priority, asker: Asker, others: Iterable[Asker]) -> None:
        """Raise `Full` where one more is too many. `others` are of the same priority."""
        there = list(others)
        mine = sum(1 for one in there if asker.session and one.session == asker.session)
        if mine >= self.session.get(priority, 0):
            raise Full("This page waits for too many answers already: {n}.", "Try again in a minute.", n=mine)
        near = sum(1 for one in there if asker.address and one.address == asker.address)
        if asker.address and near >= self.address.get(priority, 0):
            raise Full(
                "Too many visitors of your network wait for this computer: {n}.", "Try again in a minute.", n=near
            )
        if len(there) >= self.in_all.get(priority, 0):
            raise Full("Too many visitors wait for this computer: {n}.", "Try again in a minute.", n=len(there))


class Full(VizError):
    """There is no place now. It is no fault of what was asked: the same works in a while."""


# Sessions that met a full queue, until their page asks why nothing came (vizapp/ui/again.py).
TURNED_AWAY: Recent[Full] = Recent(10_000)
