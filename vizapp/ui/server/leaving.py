"""How the server stops: at Ctrl-C and at SIGTERM alike, within two seconds, also in the middle of a run.

A run is a thread that computes, and Python waits for threads that are inside of PyTorch before it leaves (5 s were seen). What
it computes is for nobody any more: it is asked to end at its next step, and left behind. The folder of files goes first.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.server import folder

PATIENCE = 0.3  # seconds for connections to end by themselves
MOST = 0.8  # seconds after which the process ends, whatever it is doing


def end_cleanly_while_starting() -> None:
    """From here on SIGTERM ends the program as Ctrl-C does: what it has put on the disk is deleted."""
    _on_signals(lambda number: sys.exit(128 + number), signal.SIGTERM)


def stay(page: Any) -> None:
    """Serve until a signal comes, or the page is closed; then let everything go. Call it in the main thread."""
    told = threading.Event()

    def leave(number: int) -> None:
        if told.is_set():  # a second time: somebody is in a hurry
            _end()
        told.set()
        threading.Thread(target=_end_after, args=(MOST,), daemon=True).start()

    _on_signals(leave, signal.SIGINT, signal.SIGTERM)
    with _woken_by_signals() as sleep:
        while page.is_running and not told.is_set():
            sleep(0.5)
    close(page)
    if told.is_set():
        _end()


def close(page: Any) -> None:
    """End all runs, all connections and what the page started, and delete its files."""
    PROCESSOR.end("left", lambda job: True)
    closing = threading.Thread(target=_close_connections, args=(page,), daemon=True)
    closing.start()
    closing.join(PATIENCE)
    folder.close()


def _close_connections(page: Any) -> None:
    from gradio.tunneling import CURRENT_TUNNELS

    for tunnel in CURRENT_TUNNELS:
        tunnel.kill()
    if node := getattr(page, "node_process", None):
        node.terminate()
    page.close(verbose=False)


def _end_after(seconds: float) -> None:
    time.sleep(seconds)
    _end()


def _end() -> None:
    """Leave at once, whatever threads do. What Python would do at its end is done here: files, and words on their way."""
    folder.close()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # who read it is gone
            stream.flush()
    os._exit(0)


@contextmanager
def _woken_by_signals() -> Iterator[Callable[[float], Any]]:
    """A sleep that ends with a signal, whichever thread the system has given it to; else the main thread hears of it late."""
    if threading.current_thread() is not threading.main_thread():
        yield time.sleep
        return
    heard, told = socket.socketpair()
    with heard, told:
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield lambda seconds: select.select([heard], [], [], seconds)
        finally:
            signal.set_wakeup_fd(before)


def _on_signals(do: Callable[[int], Any], *numbers: signal.Signals) -> None:
    process = os.getpid()

    def handle(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a copy of the server that computes for it, and has nothing to clean up
            os._exit(128 + number)
        do(number)

    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, handle)
