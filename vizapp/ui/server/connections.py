"""How many connections there may be, and how long one may say nothing: below HTTP, where no middleware looks.

uvicorn has no limits of this kind. It makes a protocol object for each connection, and which class that is may be told.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Of connections.

    silence    seconds until the head of a request must be there, after the connection or the answer before it
    deafness   seconds that a visitor may take none of what is sent
    each       connections of one address, where an address is a visitor (`is_one_visitor`)
    files      the share of the files which this process may open that connections may take
    """

    silence: float = 15.0
    deafness: float = 60.0
    each: int = 256  # a school behind one address: forty browsers with six each
    files: float = 0.75

    @property
    def most(self) -> int:
        """Connections in all."""
        if sys.platform == "win32":
            return 10_000
        import resource  # which Windows has not

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return int(self.files * files) if files != resource.RLIM_INFINITY else 2**20


def is_one_visitor(address: str) -> bool:
    """Is the other end of a connection a visitor? A private address is that of a proxy, as on a Space, or of a neighbour."""
    try:
        one = ipaddress.ip_address(address.partition("%")[0])
        return (getattr(one, "ipv4_mapped", None) or one).is_global
    except ValueError:
        return False


def bounded(protocol: type[Any], limits: Limits) -> type[Any]:
    """uvicorn's `protocol` with limits."""
    most = limits.most

    class Bounded(protocol):
        """A connection that is closed when it is one too many, half-open or deaf."""

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
            """From here on, not from the last byte: one byte a second is no request either."""
            if self._head is None and not self.transport.is_closing():
                self._head = self.loop.call_later(limits.silence, self._no_head, self.cycle)

        def _no_head(self, before: Any) -> None:
            self._head = None
            if self.cycle is before:  # no request has begun since
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
