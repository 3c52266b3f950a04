"""How a download goes, said now and then by the logger "vizapp.model.download": bars of other libraries need a terminal."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

LOG = logging.getLogger("vizapp.model.download")
EVERY = 10.0  # seconds between two lines
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
