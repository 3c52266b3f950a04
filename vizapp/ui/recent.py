"""A memory of recent things that a browser may ask for later, by the name of a run or of its session."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")


class Recent(Generic[Thing]):
    """Keeps `most` things by name, and evicts the least recently used. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, Thing] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, name: str, thing: Thing) -> None:
        with self._lock:
            self._kept[name] = thing
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def get(self, name: Any) -> Thing | None:
        """Return a thing, None if it was evicted. `name` may be anything: it comes from a browser."""
        with self._lock:
            name = str(name)
            if name in self._kept:
                self._kept.move_to_end(name)
            return self._kept.get(name)

    def take(self, name: str) -> Thing | None:
        """Return a thing and forget it."""
        with self._lock:
            return self._kept.pop(name, None)
