"""What servers' threads say between two tests, while pytest does not capture: kept for a report, not put on the terminal."""

from __future__ import annotations

import sys
from collections import deque


class Between:
    """Stands for `sys` in `vizapp.ui.terminal`: its stderr is pytest's while that captures, else it keeps what is written."""

    def __init__(self) -> None:
        self._kept: deque[str] = deque()

    @property
    def stderr(self) -> object:
        return self if sys.stderr is sys.__stderr__ else sys.stderr

    def write(self, text: str) -> None:
        self._kept.append(text)

    def flush(self) -> None:
        """There is nothing to wait for."""

    def say(self) -> None:
        """Print what was kept. Call it while pytest captures."""
        while self._kept:
            sys.stderr.write(self._kept.popleft())


BETWEEN = Between()
