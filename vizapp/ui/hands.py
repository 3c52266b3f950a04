"""Threads that compute for others.

Whoever waits for a map sleeps in a thread of the server's. If each computed there as well, PyTorch would start helpers of its own
for every one of them, as many as there are cores, and the C library would keep memory for every one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class Hand:
    """One such thread, which starts with its first work. It ends with the process, whatever it is doing."""

    def __init__(self, name: str) -> None:
        self._name, self._lock = name, threading.Lock()
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, work: Callable[[], Result]) -> Result:
        """`work()` over there, with the context variables of here; what it returns or raises."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._working, name=self._name, daemon=True)
                self._thread.start()
        future: Future[Result] = Future()
        context = copy_context()
        self._work.put((future, lambda: context.run(work)))
        try:
            return future.result()
        finally:
            del future  # an error keeps what its frames name, and a frame that names the error would keep it for ever

    def _working(self) -> None:
        while True:
            _do_one(*self._work.get())


def _do_one(future: Future[Any], work: Callable[[], Any]) -> None:
    """In a frame of its own, so that a hand at rest keeps nothing of what it did last."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
