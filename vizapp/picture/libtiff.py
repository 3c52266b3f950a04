"""Silences libtiff, the only library below Pillow that writes to the terminal past Python: a line for each damaged row of a fax.

That was 48,971 lines for 146 kB. Redirecting file descriptor 2 meanwhile was rejected: the descriptor belongs to the whole
process, so the output of other threads, and the last words of a library that aborts the process, would be lost too.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PIL import _imaging

HANDLERS = ("TIFFSetErrorHandler", "TIFFSetWarningHandler")

_one_at_a_time = threading.RLock()  # the handlers belong to the whole process


@contextmanager
def silenced() -> Iterator[None]:
    """Within the block, libtiff writes nothing. Exceptions are raised as before."""
    with _one_at_a_time:
        before = [(switch, switch(None)) for switch in _switches()]
        try:
            yield
        finally:
            for switch, handler in before:
                switch(handler)


def _switches() -> list[Any]:
    # On Linux and macOS, looking a symbol up in a module also finds it in the libraries that the module links. On Windows it
    # does not, and libtiff keeps printing there.
    try:
        pillow = ctypes.CDLL(_imaging.__file__)
        found = [getattr(pillow, name) for name in HANDLERS]
    except (OSError, AttributeError):
        return []
    for switch in found:
        switch.argtypes, switch.restype = [ctypes.c_void_p], ctypes.c_void_p
    return found
