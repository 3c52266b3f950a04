"""Progress of downloads. The logger "vizapp.model.download" writes it now and then, because the bars of other libraries need a
terminal. A listener gets it at each step, and may end the download."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from vizapp.errors import VizError

LOG = logging.getLogger("vizapp.model.download")
EVERY = 10.0  # seconds between two lines
SMALL = 10**6  # bytes of a file that is too small to report; bars that count other things stay below it, too
STEP = 2**20  # bytes between two steps: the steps of the hub's library are ten times as large
UNFINISHED = ("*.incomplete", "*.partial")  # files of huggingface_hub, and of torch.hub, while they are fetched


def folders() -> list[Path]:
    """List the folders that the libraries download into."""
    from huggingface_hub import constants

    return [Path(constants.HF_HUB_CACHE), Path(torch.hub.get_dir()) / "checkpoints"]


@contextmanager
def told_of(name: str) -> Iterator[None]:
    """Log how much of a file was fetched while a model is loaded, every EVERY seconds if more came."""
    if not LOG.isEnabledFor(logging.INFO):
        yield
        return
    done, started, wall = threading.Event(), time.monotonic(), time.time()

    def tell() -> None:
        before = 0
        while not done.wait(EVERY):
            size = _fetched(wall)
            if size > before:
                LOG.info("%s: %.0f MiB fetched, %.0f s", name, size / 2**20, time.monotonic() - started)
                before = size

    telling = threading.Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        done.set()
        telling.join()


_listening = threading.Lock()


@contextmanager
def heard(listener: Callable[[int, int], None]) -> Iterator[None]:
    """Call `listener(bytes, bytes in all)` at each step of a file that a library fetches within the block.

    An exception of the listener ends the download and leaves this block, even if the library would swallow it. A disk without
    room for the rest is a `VizError` before it is full. All libraries draw a progress bar: the steps of that bar are counted.
    """
    from huggingface_hub import constants
    from tqdm.std import tqdm

    if not _listening.acquire(blocking=False):  # another thread is downloading
        yield
        return
    update, raised, counted = tqdm.update, list[BaseException](), dict[int, float]()

    def step(bar: Any, n: float | None = 1) -> Any:
        done = counted.get(id(bar), bar.n) + (n or 0)
        counted[id(bar)] = done  # a bar that is not drawn does not count
        whole = bar.total or 0
        if whole >= SMALL:
            try:
                _require_disk(whole - done)
                listener(int(done), int(whole))
            except BaseException as error:
                raised.append(error)
                raise
        return update(bar, n)

    was = constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET
    # Xet's downloads run in threads that cannot be ended from here.
    constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET = STEP, True
    tqdm.update = step
    try:
        yield
    except Exception as error:
        if raised and error is not raised[0]:
            raise raised[0] from None
        raise
    finally:
        tqdm.update = update
        constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET = was
        _listening.release()


def _require_disk(size: float) -> None:
    """Raise `VizError` if a disk for downloads has less room than that."""
    for folder in folders():
        there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
        free = shutil.disk_usage(there).free
        if free < size:
            raise VizError(
                "The rest of the download takes {size:.0f} MB, and {free:.0f} MB are free in {folder}.",
                "Make room, or choose a smaller model.",
                size=size / 1e6,
                free=free / 1e6,
                folder=there,
            )


def _fetched(since: float) -> int:
    """Count the bytes of unfinished files that have grown since then; those of broken downloads do not grow."""
    sizes = []
    for folder in folders():
        for file in (file for pattern in UNFINISHED for file in folder.rglob(pattern)):
            try:
                found = file.stat()
            except OSError:  # it was finished and renamed in this moment
                continue
            sizes.append(found.st_size if found.st_mtime >= since else 0)
    return sum(sizes)
