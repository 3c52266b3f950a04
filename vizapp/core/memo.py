"""Remember what was worked out for a network, for as long as the network lives."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from torch import nn

from vizapp.core.state import state_of

Value = TypeVar("Value")


class _Slot(Generic[Value]):
    """One value, made or still to be made; `lock` is held by the thread that makes it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: tuple[Value] | None = None  # in a tuple, since None may be the value


class Memo(Generic[Value]):
    """Remembers one value for each network and key. Threads may share it.

    estimates: Memo[int] = Memo()
    estimates.get(net, size, lambda: estimate(net, size))

    What was worked out for a network is forgotten when the network was changed in place (`fingerprint`): hooks, modules, plain
    attributes, precision. Weights may change otherwise; what depends on them is not for a `Memo`.

    Networks are held weakly, as a cache of models that lets one go must be able to free it: so a value must not refer to its
    network. An error of `make` is passed on and not remembered, since the next try may have more memory or another picture.
    """

    def __init__(self) -> None:
        self._slots: WeakKeyDictionary[nn.Module, tuple[Hashable, dict[Hashable, _Slot[Value]]]] = WeakKeyDictionary()
        self._lock = threading.Lock()  # of the dictionaries only, never held while a value is made

    def get(self, net: nn.Module, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of `net` and `key`; made now if it was not before. A thread that asks meanwhile waits for it.

        `make` must not ask for the same value: it would wait for itself.
        """
        slot = self._slot(net, key)
        with slot.lock:
            if slot.made is None:
                slot.made = (make(),)
            return slot.made[0]

    def put(self, net: nn.Module, key: Hashable, value: Value) -> None:
        """Remember `value` in place of what was remembered."""
        self._slot(net, key).made = (value,)

    def known(self, net: nn.Module, key: Hashable) -> Value | None:
        """The value if it was made; it is not made now, nor waited for."""
        made = self._slot(net, key).made
        return None if made is None else made[0]

    def _slot(self, net: nn.Module, key: Hashable) -> _Slot[Value]:
        now = state_of(net).fingerprint
        with self._lock:
            before, slots = self._slots.get(net, (None, {}))
            if before != now:
                slots = {}
                self._slots[net] = now, slots
            return slots.setdefault(key, _Slot())
