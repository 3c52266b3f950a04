"""Messages of the server in its terminal: one line each, in one piece, whatever a stranger's input contains."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TextIO

_log: ContextVar[TextIO | None] = ContextVar("the log of a server", default=None)
LONGEST = 2000  # characters of a line: quoted input may be as long as a message


def tell(what: object) -> None:
    """Print one line. Quoted input cannot begin another line or command the terminal: it is written as \\n, \\x1b."""
    write(_line(f"vizapp: {what}"))


def tell_slip() -> None:
    """Print the traceback of the current error: a slip of the program. Its message may quote input, too."""
    write("\n".join(map(_line, traceback.format_exc().splitlines())))


def write(line: str, to: TextIO | None = None) -> None:
    """Write a line to `to`, or the server's log, or stderr, in one piece: `print` writes the line end separately.

    If the terminal is closed, nothing is written, and the page goes on.
    """
    stream = to or _log.get() or sys.stderr
    with suppress(OSError, ValueError):
        stream.write(f"{line}\n")
        stream.flush()


@contextmanager
def writing_to(log: TextIO | None) -> Iterator[None]:
    """Write what is said in this context to a server's own log; None: stderr. Computing threads say it for their callers."""
    before = _log.set(log)
    try:
        yield
    finally:
        _log.reset(before)


def _line(said: str) -> str:
    seen = "".join(map(_seen, said[: LONGEST + 1]))  # a letter may be written out as up to ten characters
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 3] + "..."


def _seen(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()
