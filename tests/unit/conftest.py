"""Unit tests compute, in this process, and nothing else: what sleeps, connects, or starts a process or a browser, fails."""

import multiprocessing.process
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import matplotlib.font_manager  # noqa: F401  the first import on a machine asks another program for its fonts
import numpy.testing  # noqa: F401  numpy 1.26 asks another program for the processor, at its first import
import pytest

platform.platform()  # asks another program for the processor, the first time


def _refuse(what: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        pytest.fail(f"a unit test {what}: move it to tests/page or tests/whole", pytrace=True)

    return refuse


REFUSED = (
    (time, "sleep", "sleeps"),
    (socket.socket, "connect", "connects"),
    (subprocess.Popen, "__init__", "starts a process"),
    (multiprocessing.process.BaseProcess, "start", "starts a process"),
)


@pytest.fixture(autouse=True)
def nothing_but_computing() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, what in REFUSED:
            patch.setattr(owner, name, _refuse(what))
        patch.setitem(sys.modules, "playwright.sync_api", None)  # its import fails
        yield
