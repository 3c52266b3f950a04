"""Let slow work be interrupted between two of its steps, never within one.

for some in batches:
    may_pause()                        # does nothing, unless the caller asked to be called between steps
    ...

with pausing(on_pause):                # called between the steps of everything that runs inside, in this thread
    rise(context, query)

The function given to `pausing` may wait (while it lets more urgent work go first), or raise an exception that ends the
work. It must not raise a `VizError`: to methods that means "no map for this network", and the work would go on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_on_pause: ContextVar[Callable[[], None] | None] = ContextVar("on_pause", default=None)


def may_pause() -> None:
    """Say that a step of slow work has ended; the caller may pause or end it here."""
    if on_pause := _on_pause.get():
        on_pause()


@contextmanager
def pausing(on_pause: Callable[[], None]) -> Iterator[None]:
    """Call `on_pause` at every `may_pause()` inside the `with` block; other threads do not notice."""
    before = _on_pause.set(on_pause)
    try:
        yield
    finally:
        _on_pause.reset(before)
