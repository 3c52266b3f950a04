"""Where the files of a server lie: a folder of its own for each run, which nobody else on the machine may enter.

It lies below GRADIO_TEMP_DIR or the system's folder for temporary files, never below a home, and has a random name: no
other user can have taken it before. A lock says that its server lives. A server that was killed lost its lock, so the next
one knows what was left behind. Replicas that hand out each other's files are given one folder by VIZAPP_FOLDER instead.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vizapp.errors import VizError

try:
    import fcntl
except ImportError:  # Windows: there a file that is open cannot be deleted, which tells as much
    fcntl = None  # type: ignore[assignment]

SHARED = "VIZAPP_FOLDER"
LOCK = ".lock"
MARK = ".vizapp"  # stands in a shared folder: what lies there is ours to delete


@dataclass(frozen=True)
class Place:
    """A folder, and what lets it go. A shared one stays when its server goes."""

    path: Path
    is_shared: bool
    release: Callable[[], None]


def own() -> Place:
    """A new folder that goes with this server, or the one that its replicas share. Raises `VizError` where none can be."""
    if shared := os.environ.get(SHARED):
        return _shared(Path(shared))
    base = _base()
    try:
        path = Path(tempfile.mkdtemp(prefix=_prefix(), dir=base)).resolve()  # mode 0700
        lock = _hold(path / LOCK)
    except OSError as error:
        raise _unwritable(str(base), error) from None
    return Place(path, False, lock.close)


def remove_leftovers() -> int:
    """Delete the folders of this user's servers that live no more; how many there were."""
    found = [path for path in _base().glob(_prefix() + "*") if _is_ours(path) and not _lives(path)]
    for path in found:
        shutil.rmtree(path, ignore_errors=True)
    return len(found)


def _base() -> Path:
    try:
        base = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
        if (base / LOCK).exists() and base.name.startswith(_prefix()):
            base = base.parent  # our own folder, as told to Gradio by this process or by the one that started it
        base.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(os.environ.get("GRADIO_TEMP_DIR", ""), error) from None
    return base


def _unwritable(where: str, error: OSError) -> VizError:
    return VizError(
        "The server cannot make a folder for its files below '{where}': {why}.",
        "Set GRADIO_TEMP_DIR to a folder that can be written.",
        where=where,
        why=error.strerror or str(error),
    )


def _prefix() -> str:
    return f"vizapp-{os.getuid()}-" if hasattr(os, "getuid") else "vizapp-"


def _shared(path: Path) -> Place:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (path / MARK).exists():
            if any(path.iterdir()):
                raise VizError(
                    "'{where}', the folder of VIZAPP_FOLDER, holds files that are not vizapp's.",
                    "Give it an empty folder: the server deletes what is old there.",
                    where=str(path),
                )
            (path / MARK).touch()
    except OSError as error:
        raise _unwritable(str(path), error) from None
    return Place(path.resolve(), True, lambda: None)


# ---- the lock


def _hold(path: Path) -> IO[str]:
    """A file that is locked until it is closed, or its process is gone. It is locked before it has its name."""
    if fcntl is None:
        return path.open("w")
    fresh = path.with_name(LOCK + ".new")
    file = fresh.open("w")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fresh.replace(path)
    return file


def _is_ours(path: Path) -> bool:
    """A folder of this user with a lock: one without is just being made."""
    try:
        is_mine = not hasattr(os, "getuid") or path.lstat().st_uid == os.getuid()
        return is_mine and path.is_dir() and not path.is_symlink() and (path / LOCK).exists()
    except OSError:
        return False


def _lives(path: Path) -> bool:
    try:
        if fcntl is None:
            (path / LOCK).unlink()
            return False
        with (path / LOCK).open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except OSError:  # it is held, or cannot be asked
        return True
