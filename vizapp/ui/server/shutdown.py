"""Stops the server within two seconds, on Ctrl-C and SIGTERM alike, even in the middle of a run.

Python waits at exit for threads that compute inside PyTorch; 5 s were seen. Nobody needs their result any more, so each run
is asked to end at its next step, and the process leaves without waiting. The folder of files is renamed at once and deleted
as far as time allows. The next start deletes the rest.
"""

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

from vizapp.ui.server import folder

PATIENCE = 0.3  # seconds for connections to end by themselves
DELETING = 1.5  # seconds to delete files: eight busy minutes left 425 MB
MOST = PATIENCE + DELETING + 0.1  # seconds after which the process ends, whatever it is doing


def end_cleanly_while_starting() -> None:
    """Let SIGTERM exit the program through Python, as Ctrl-C does, so that its files are deleted."""
    _on_signals(lambda number: sys.exit(128 + number), signal.SIGTERM)


def stay(page: Any) -> None:
    """Serve until a signal comes or the page is closed, then shut down. Call it in the main thread."""
    told = threading.Event()

    def leave(number: int) -> None:
        if told.is_set():  # a second signal: leave at once
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
    """End all runs, connections and child processes of the page, and delete its files."""
    if "vizapp.ui.jobs" in sys.modules:  # if not, nothing runs, and importing it here would load PyTorch
        from vizapp.ui.jobs import PROCESSOR

        PROCESSOR.end("left", lambda job: True)
    closing = threading.Thread(target=_close_connections, args=(page,), daemon=True)
    closing.start()
    closing.join(PATIENCE)
    folder.close(DELETING)


def _close_connections(page: Any) -> None:
    if "gradio.tunneling" in sys.modules:  # Gradio imports it only for a shared link
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
    """End the process at once, whatever its threads do. Gives up the files and flushes the streams, as Python's exit would."""
    giving_up = threading.Thread(target=folder.close, args=(0,), daemon=True)
    giving_up.start()
    giving_up.join(PATIENCE)  # a disk that hangs must not hold up the end
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads the stream any more
            stream.flush()
    os._exit(0)


@contextmanager
def _woken_by_signals() -> Iterator[Callable[[float], Any]]:
    """A sleep that a signal interrupts, whichever thread receives it. With `time.sleep` the main thread would notice late."""
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
        if os.getpid() != process:  # a forked worker, which has nothing to clean up
            os._exit(128 + number)
        do(number)

    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, handle)
