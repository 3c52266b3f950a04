"""What the server remembers for a browser that asks for it later: by the name of a run, or of its session."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")


class Recent(Generic[Thing]):
    """The last `most` things, by name. The one that rested longest goes. Safe with threads."""

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
        """None if it is not remembered any more. `name` may be anything: it comes from a browser."""
        with self._lock:
            name = str(name)
            if name in self._kept:
                self._kept.move_to_end(name)
            return self._kept.get(name)

    def take(self, name: str) -> Thing | None:
        """The same, and it is not remembered from now on."""
        with self._lock:
            return self._kept.pop(name, None)
