"""How the server stops: at Ctrl-C and at SIGTERM alike, within two seconds, also in the middle of a run.

A run is a thread that computes; Python would wait for its end before it leaves. What it computes is for nobody any more, so it
is asked to end at its next step, and left behind if that does not come at once. The folder of files goes either way.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.server import folder

PATIENCE = 1.0  # seconds for connections and runs to end by themselves
MOST = 1.6  # seconds after which the process ends, whatever it is doing


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
    while page.is_running and not told.wait(0.5):
        pass
    close(page)
    if any(_holds_up(one) for one in threading.enumerate()):
        _end()


def close(page: Any) -> None:
    """End all runs, all connections and what the page started, and delete its files."""
    until = time.monotonic() + PATIENCE
    PROCESSOR.end("left", lambda job: True)
    closing = threading.Thread(target=_close_connections, args=(page,), daemon=True)
    closing.start()
    closing.join(PATIENCE)
    while time.monotonic() < until and any(_holds_up(one) for one in threading.enumerate()):
        time.sleep(0.02)
    folder.close()


def _close_connections(page: Any) -> None:
    from gradio.tunneling import CURRENT_TUNNELS

    for tunnel in CURRENT_TUNNELS:
        tunnel.kill()
    if node := getattr(page, "node_process", None):
        node.terminate()
    page.close(verbose=False)


def _holds_up(thread: threading.Thread) -> bool:
    """Would Python wait for it?"""
    return thread.is_alive() and not thread.daemon and thread is not threading.main_thread()


def _end_after(seconds: float) -> None:
    time.sleep(seconds)
    _end()


def _end() -> None:
    """Leave at once, whatever threads do."""
    folder.close()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # who read it is gone
            stream.flush()
    os._exit(0)


def _on_signals(do: Callable[[int], Any], *numbers: signal.Signals) -> None:
    process = os.getpid()

    def handle(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a copy of the server that computes for it, and has nothing to clean up
            os._exit(128 + number)
        do(number)

    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, handle)
