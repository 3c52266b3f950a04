"""How a download goes: said now and then by the logger "vizapp.model.download", as bars of other libraries need a terminal; or
told at each step to a listener, who may end it."""

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
SMALL = 10**6  # bytes of a file that is no download worth a word; bars that count other things stay below it, too
STEP = 2**20  # bytes between two steps: the hub's library takes ten times as many
UNFINISHED = ("*.incomplete", "*.partial")  # files of huggingface_hub, and of torch.hub, while they are fetched


def folders() -> list[Path]:
    """Where the libraries put what they fetch."""
    from huggingface_hub import constants

    return [Path(constants.HF_HUB_CACHE), Path(torch.hub.get_dir()) / "checkpoints"]


@contextmanager
def told_of(name: str) -> Iterator[None]:
    """While a model is loaded: how much of a file was fetched, every EVERY seconds in which more came."""
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
    """While it lasts, `listener(bytes, bytes in all)` is told of each step of a file that is fetched by a library.

    What it raises ends the download, and comes out of here, whatever the library makes of it. A disk without room for the rest
    is a `VizError` before it is full. Libraries have one thing in common, the bar that they draw: its steps are listened to.
    """
    from huggingface_hub import constants
    from tqdm.std import tqdm

    if not _listening.acquire(blocking=False):  # somebody else's download, in another thread
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
    # Xet's downloads run in threads that nobody can end from here.
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
    """Raise `VizError` if a disk that downloads go to has less room than that."""
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
    """Bytes in files that are not whole yet, and have grown since then; those of broken downloads lie still."""
    sizes = []
    for folder in folders():
        for file in (file for pattern in UNFINISHED for file in folder.rglob(pattern)):
            try:
                found = file.stat()
            except OSError:  # it has become whole in this moment
                continue
            sizes.append(found.st_size if found.st_mtime >= since else 0)
    return sum(sizes)
