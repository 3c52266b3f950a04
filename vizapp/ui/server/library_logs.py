"""Silences what libraries print while they read a stranger's file. The log has one line of ours for each.

Tests with damaged files of all formats showed that only libtiff writes to stderr past Python: one line per row of a fax,
48,971 lines for 146 kB. Its error handlers are switched off. Redirecting file descriptor 2 while a picture is read was
rejected: the descriptor belongs to the whole process, so the output of other threads, and the last words of a library that
aborts the process, would be lost too.

Pillow reports through Python's `warnings` and `logging`. They are filtered once, when a server starts, and not in
`vizapp.picture`, which other programs import: it must not change their settings.
"""

from __future__ import annotations

import ctypes
import logging
import warnings
from contextlib import suppress

from PIL import _imaging

HANDLERS = ("TIFFSetErrorHandler", "TIFFSetWarningHandler")


def hush() -> None:
    """Silence libraries about the pictures that this process reads from now on. Their exceptions are raised as before."""
    warnings.filterwarnings("ignore", module=r"PIL\.")
    logging.getLogger("PIL").setLevel(logging.CRITICAL)
    # On Linux and macOS, looking a symbol up in a module also finds it in the libraries that the module links. On Windows it
    # does not, and libtiff keeps printing there.
    with suppress(OSError, AttributeError):
        pillow = ctypes.CDLL(_imaging.__file__)
        for name in HANDLERS:
            switch = getattr(pillow, name)
            switch.argtypes, switch.restype = [ctypes.c_void_p], ctypes.c_void_p
            switch(None)
