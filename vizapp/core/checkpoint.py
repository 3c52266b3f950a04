"""Let slow work be interrupted between two of its steps, never within one.

for some in batches:
    checkpoint()                       # does nothing, unless the caller asked to be called between steps
    ...

with stepping(on_step):                # called between the steps of everything that runs inside, in this thread
    rise(context, query)

The function given to `stepping` may wait (while it lets more urgent work go first), or raise an exception that ends the
work. It must not raise a `VizError`: to methods that means "no map for this network", and the work would go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_on_step: ContextVar[Callable[[], None] | None] = ContextVar("on_step", default=None)


def checkpoint() -> None:
    """Say that a step of slow work has ended; the caller may pause or end it here."""
    if on_step := _on_step.get():
        on_step()


@contextmanager
def stepping(on_step: Callable[[], None]) -> Iterator[None]:
    """Call `on_step` at every checkpoint inside the `with` block; other threads do not notice."""
    before = _on_step.set(on_step)
    try:
        yield
    finally:
        _on_step.reset(before)
