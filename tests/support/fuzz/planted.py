"""A fuzzer with one case of each kind, for the test of who watches."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from vizapp.errors import VizError

COUNT = 9
MEMORY = 2**30
ALLOWED = (VizError,)


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases that know their number."""

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        drawn = rng.random()
        number = next(one for one in range(COUNT) if Random(f"planted {one}").random() == drawn)
        tries(f"planted {number}")
        if number == 1:
            raise RuntimeError("a slip")
        if number == 2:
            time.sleep(60)
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 4:
            try:
                raise RuntimeError("another thread would say so")
            except RuntimeError:
                traceback.print_exc(file=sys.stderr)
        if number == 5:
            raise VizError("")
        if number == 6:
            raise VizError("Refused in words.")
        if number == 7:
            bytearray(4 * 2**30)

    return case
