"""Limits how many jobs may wait for the processor: in all, for one address, for one session.

Maps, a browser's questions about them ("ask"), long runs, and a page's own questions ("spare") each have separate places, so a
hundred long runs never keep a map out. Jobs without a listener have a few places more, and compute only once somebody listens.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from vizapp.errors import VizError
from vizapp.recent import Recent

Priority = Literal["map", "ask", "long", "spare"]


@dataclass(frozen=True)
class Asker:
    """The visitor or program that a job is for.

    session   Gradio's session; "" for a program without one
    address   of the visitor, if it belongs to one visitor; "" if unknown, for example behind a proxy that forwards none
    is_there  tells whether a client waits for the answer now
    since     the time of the request, by `time.monotonic`: first come, first served
    """

    session: str = ""
    address: str = ""
    is_there: Callable[[], bool] = field(default=lambda: True)
    since: float | None = None


NOBODY = Asker()


@dataclass(frozen=True)
class Limits:
    """The most jobs that may wait or run at once. A kind that is not named has no place. Reasons: docs/decisions/0015."""

    in_all: Mapping[Priority, int] = field(default_factory=lambda: {"map": 96, "ask": 64, "long": 48, "spare": 16})
    address: Mapping[Priority, int] = field(default_factory=lambda: {"map": 64, "ask": 48, "long": 32, "spare": 8})
    session: Mapping[Priority, int] = field(default_factory=lambda: {"map": 8, "ask": 16, "long": 3, "spare": 2})
    unheard: int = 32

    @property
    def most(self) -> int:
        """The most jobs that can exist at once."""
        return sum(self.in_all.values()) + self.unheard

    def refuse(self, priority: Priority, asker: Asker, others: Iterable[Asker]) -> None:
        """Raise `Full` if one more job would be too many. `others` are the askers of the same priority."""
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
    """The queue is full. The same request works later."""


# Sessions that met a full queue, until their page asks for the reason (vizapp/ui/retry.py).
TURNED_AWAY: Recent[str, Full] = Recent(10_000)
