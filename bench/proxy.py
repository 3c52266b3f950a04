"""A wire between browser and server that can go silent: nothing passes any more, and neither end is told."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse


class Wire:
    """Hands on bytes in both directions, until `silent` is set."""

    def __init__(self, url: str) -> None:
        self._to = (urlparse(url).hostname or "127.0.0.1", urlparse(url).port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.silent = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Close every connection, as if the cable was plugged in again at last."""
        _close(self._listener)
        self.cut()

    def cut(self) -> None:
        """Close every connection; new ones are welcome."""
        ends, self._ends = self._ends, []
        for end in ends:
            _close(end)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._hand_on, args=(one, other), daemon=True).start()

    def _hand_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                if self.silent.is_set():
                    return  # both ends stay open
                other.sendall(data)
            if not self.silent.is_set():
                other.shutdown(socket.SHUT_WR)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire_to(url: str) -> Iterator[Wire]:
    """A wire to the server at `url`."""
    wire = Wire(url)
    try:
        yield wire
    finally:
        wire.close()
