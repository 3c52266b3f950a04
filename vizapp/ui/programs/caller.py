"""Who asks an endpoint, however the question came: an event of Gradio's, or a tool of MCP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Caller:
    """A program.

    visitor      its name in the session: when it goes, what was computed for it ends
    on_progress  called with what comes next, in words, and the share that is done
    """

    visitor: str = ""
    on_progress: Callable[[str, float], Any] = lambda what, share: None


NOBODY = Caller()
_calling: ContextVar[Caller] = ContextVar("caller", default=NOBODY)


def caller() -> Caller:
    """Who asked for what this thread computes."""
    return _calling.get()


@contextmanager
def asked_by(one: Caller) -> Iterator[None]:
    """What is inside is done for this caller."""
    before = _calling.set(one)
    try:
        yield
    finally:
        _calling.reset(before)
