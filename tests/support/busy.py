"""A server that computes for somebody else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from support.waiting import patience
from vizapp.ui.jobs import PROCESSOR, Job


@contextmanager
def busy() -> Iterator[None]:
    """The processor is at work for somebody else meanwhile."""
    go, begun = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait()

    thread = threading.Thread(target=PROCESSOR.run, args=(Job(), work))
    thread.start()
    assert begun.wait(patience())
    try:
        yield
    finally:
        go.set()
        thread.join()
