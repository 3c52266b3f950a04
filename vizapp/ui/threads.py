"""Threads that compute for others.

A request that waits for a map sleeps in a thread of the server. If it also computed there, PyTorch would start as many helpers
as there are cores for every such thread, and the C library would keep memory for every one of them.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class Hand:
    """One computing thread, which starts with its first work. It ends with the process, even in the middle of work."""

    def __init__(self, name: str) -> None:
        self._name, self._lock = name, threading.Lock()
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, work: Callable[[], Result]) -> Result:
        """Run `work()` in that thread, with the caller's context variables; return its result or raise its error."""
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
            del (
                future
            )  # an error keeps its frames' variables, and a frame with a variable for the error would keep it for ever

    def _working(self) -> None:
        while True:
            _do_one(*self._work.get())


def _do_one(future: Future[Any], work: Callable[[], Any]) -> None:
    """Run the work in a frame of its own, so that an idle thread keeps no object of its last work."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
