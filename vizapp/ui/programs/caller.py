"""The caller of an endpoint, whether it comes through one of Gradio's events or as an MCP tool."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Caller:
    """A program.

    visitor      its name in the session; when it leaves, its jobs end
    on_progress  called with a sentence about the next step, and the share that is done
    """

    visitor: str = ""
    on_progress: Callable[[str, float], Any] = lambda what, share: None


NOBODY = Caller()
_calling: ContextVar[Caller] = ContextVar("caller", default=NOBODY)


def caller() -> Caller:
    """The caller for whom this thread computes."""
    return _calling.get()


@contextmanager
def asked_by(one: Caller) -> Iterator[None]:
    """Run the block for this caller."""
    before = _calling.set(one)
    try:
        yield
    finally:
        _calling.reset(before)
