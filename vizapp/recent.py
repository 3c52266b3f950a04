"""A memory of what was used recently: analyses, models, gradients, and what a browser may ask for later."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


class Recent(Generic[Key, Thing]):
    """Keeps `most` things by key, or any number, and evicts the least recently used. Thread-safe. A copy begins empty."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Thing] = OrderedDict()
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._most,)  # a lock cannot be pickled or copied

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Key]:
        with self._lock:
            return iter(list(self._kept))

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def keep(self, key: Key, thing: Thing) -> None:
        with self._lock:
            self._kept[key] = thing
            self._kept.move_to_end(key)
            while self._most is not None and len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def get(self, key: Key) -> Thing | None:
        """Return a thing, None if it was evicted."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def made(self, key: Key, make: Callable[[], Thing]) -> Thing:
        """Return a thing, which `make` makes if it is not kept; others wait meanwhile."""
        with self._lock:
            found = self.get(key)
            thing = make() if found is None else found
            self.keep(key, thing)
            return thing

    def take(self, key: Key) -> Thing | None:
        """Return a thing and forget it."""
        with self._lock:
            return self._kept.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def values(self) -> list[Thing]:
        """The things, the newest first."""
        with self._lock:
            return list(reversed(self._kept.values()))

    def shrink(self, fits: Callable[[Key, Thing], bool]) -> None:
        """Ask `fits` of each thing, from the newest on, and evict those that do not; the newest stays in any case."""
        with self._lock:
            for place, (key, thing) in enumerate(reversed(list(self._kept.items()))):
                if not fits(key, thing) and place > 0:
                    del self._kept[key]
