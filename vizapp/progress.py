"""How far something is, on stderr: one line that is written over in a terminal, a line now and then everywhere else."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

EVERY = 15.0  # seconds between lines where there is no terminal: a log of hours stays short


class Progress:
    """Call it with each new line; call `end` when all is done, before anything else is printed."""

    def __init__(self, stream: TextIO | None = None, every: float = EVERY) -> None:
        self.stream = stream or sys.stderr
        self.every = every
        self.is_terminal = self.stream.isatty()
        self._last = time.monotonic()
        self._unsaid = ""

    def __call__(self, line: str) -> None:
        if self.is_terminal:
            print(f"\r{line:78}", end="", file=self.stream, flush=True)
            self._unsaid = line
        elif time.monotonic() - self._last >= self.every:
            print(line, file=self.stream, flush=True)
            self._last, self._unsaid = time.monotonic(), ""
        else:
            self._unsaid = line

    def end(self) -> None:
        """Leave the terminal's line empty. A run that was told of ends with its last line; a short one says nothing."""
        if self.is_terminal and self._unsaid:
            print(f"\r{'':78}\r", end="", file=self.stream, flush=True)


@contextmanager
def logs_shown(verbose: bool) -> Iterator[None]:
    """While it lasts, what the loggers "vizapp.*" say is written to stderr: warnings, or all of it if `verbose`.

    How downloads go is said, too, where there is no terminal for the bars of other libraries.
    """
    root, downloads = logging.getLogger("vizapp"), logging.getLogger("vizapp.model.download")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("vizapp: %(message)s"))
    before = root.level, downloads.level
    root.addHandler(handler)
    root.setLevel(logging.INFO if verbose else logging.WARNING)
    downloads.setLevel(logging.INFO if verbose or not sys.stderr.isatty() else logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        downloads.setLevel(before[1])
