"""Shows progress on stderr: one line that is overwritten in a terminal, and a line now and then in a log."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, TextIO

EVERY = 15.0  # seconds between lines without a terminal, so that the log of hours stays short


class Progress:
    """Call it with each new line; call `end`, or leave its `with` block, before anything else is printed."""

    def __init__(self, stream: TextIO | None = None, every: float = EVERY) -> None:
        self.stream = stream or sys.stderr
        self.every = every
        self.is_terminal = self.stream.isatty()
        self._last = time.monotonic()
        self._unsaid = ""
        self._moved = self._last
        self._parts: dict[str, tuple[float, int]] = {}  # part -> when it began, and how much was already done then

    def __call__(self, line: str) -> None:
        if self.is_terminal:
            print(f"\r{line:78}", end="", file=self.stream, flush=True)
            self._unsaid = line
        elif time.monotonic() - self._last >= self.every:
            print(line, file=self.stream, flush=True)
            self._last, self._unsaid = time.monotonic(), ""
        else:
            self._unsaid = line

    def step(self, part: str, done: int, of: int, unit: str = "") -> None:
        """The line "PART: 3 of 8 UNIT, 12 s left", by the pace of this part since the part before it ended.

        done  counts from 1, or from more if an earlier run did some
        of    0 if the total is unknown
        """
        now = time.monotonic()
        started, before = self._parts.setdefault(part, (self._moved, done - 1))
        self._moved = now
        left = f", {(now - started) / max(done - before, 1) * (of - done):.0f} s left" if of else ""
        self(" ".join(filter(None, (f"{part}: {done}" + (f" of {of}" if of else ""), unit))) + left)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """Clear the terminal's line. A log gets the last line if earlier ones were printed; a short run prints nothing."""
        if self.is_terminal and self._unsaid:
            print(f"\r{'':78}\r", end="", file=self.stream, flush=True)


@contextmanager
def logs_shown(verbose: bool) -> Iterator[None]:
    """Write messages of the loggers "vizapp.*" to stderr during the block: warnings, or everything if `verbose`.

    Without a terminal for the bars of other libraries, the progress of downloads is written, too.
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
