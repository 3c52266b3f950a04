"""What workers of tests do: look, or die. Without torch, so that a process that does it starts at once."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from vizapp.data.workers import Process
from vizapp.errors import VizError


def look(folder: Path, deaths: int, number: int) -> int:
    """The number; over number 2, so many workers are killed first, and 7 is refused."""
    if number == 2 and len(list(folder.iterdir())) < deaths:
        (folder / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        raise VizError("Seven is refused.")
    return number


def begin(folder: Path, deaths: int) -> Callable[[int], int]:
    """As a worker of a run takes up its network."""
    return partial(look, folder, deaths)


def start(folder: Path, deaths: int) -> Process:
    """A worker that does it."""
    return Process(partial(begin, folder, deaths))
