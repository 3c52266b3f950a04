"""Limits the number of connections and how long each may stay silent, below HTTP, where no middleware sees them.

uvicorn has no such limits. It makes a protocol object for each connection, and lets us set the class.
"""

import asyncio
import ipaddress
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """The limits of connections.

    silence    seconds in which the head of a request must arrive, after the connection or the previous answer
    deafness   seconds in which a visitor may read nothing of what is sent
    each       connections of one address, if the address belongs to one visitor (`is_one_visitor`)
    files      the fraction of this process's file descriptors that connections may use
    """

    silence: float = 15.0
    deafness: float = 60.0
    each: int = 256  # a class at school behind one address: forty browsers with six connections each
    files: float = 0.75

    @property
    def most(self) -> int:
        """Connections in all."""
        if sys.platform == "win32":
            return 10_000
        import resource  # does not exist on Windows

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return int(self.files * files) if files != resource.RLIM_INFINITY else 2**20


def is_one_visitor(address: str) -> bool:
    """Tell whether an address belongs to one visitor. A private address may be a proxy's, as on a Space, or a neighbour's."""
    try:
        one = ipaddress.ip_address(address.partition("%")[0])
        return (getattr(one, "ipv4_mapped", None) or one).is_global
    except ValueError:
        return False


def bounded(protocol: type[Any], limits: Limits) -> type[Any]:
    """Subclass uvicorn's `protocol` with limits."""
    most = limits.most

    class Bounded(protocol):
        """A connection that is closed if there are too many, if it sends no request, or if it does not read its answer."""

        _head: asyncio.TimerHandle | None = None
        _deaf: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            address = self.client[0] if self.client else ""
            of_same = (one for one in self.connections if one.client and one.client[0] == address)
            if len(self.connections) > most or (is_one_visitor(address) and sum(1 for _ in of_same) > limits.each):
                transport.abort()
            else:
                self._await_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_idle():
                self._await_head()

        def _is_idle(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _await_head(self) -> None:
            """Start the timer for a request's head. Further bytes do not restart it: one byte a second must not keep it open."""
            if self._head is None and not self.transport.is_closing():
                self._head = self.loop.call_later(limits.silence, self._no_head, self.cycle)

        def _no_head(self, before: Any) -> None:
            self._head = None
            if self.cycle is before:  # no request has begun since the timer started
                self.transport.abort()
            elif self._is_idle():
                self._await_head()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._deaf = self.loop.call_later(limits.deafness, self.transport.abort)

        def resume_writing(self) -> None:
            if self._deaf:
                self._deaf.cancel()
            self._deaf = None
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            for timer in filter(None, (self._head, self._deaf)):
                timer.cancel()
            super().connection_lost(exc)

    return Bounded
