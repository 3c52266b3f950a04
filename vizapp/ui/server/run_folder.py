"""Makes the folder for the files of one run of the server. No other user of the machine may enter it.

The folder lies below GRADIO_TEMP_DIR or the system's temporary folder, never below a home. Its name is random, so that no
other user can create it first. A running server holds a lock in it. A killed server loses the lock, and one that ends
renames its folder, so the next start recognises what was left behind. Replicas that serve each other's files share one
folder, given by VIZAPP_FOLDER.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from vizapp.errors import VizError

try:
    import fcntl
except ImportError:  # Windows: an open file cannot be deleted there, which serves as the lock
    fcntl = None  # type: ignore[assignment]

SHARED = "VIZAPP_FOLDER"
LOCK = ".lock"
MARK = ".vizapp"  # this file in a shared folder says that its files are vizapp's to delete
FRESH, GONE = ".new-", ".gone-"  # in the name of a folder that is being made, and of one whose server has ended


@dataclass(frozen=True)
class Place:
    """A folder and the function that releases its lock. A shared folder outlives its server."""

    path: Path
    is_shared: bool
    release: Callable[[], None]
    _mark: str = field(default_factory=lambda: os.urandom(4).hex())

    @property
    def gone(self) -> Path:
        """The folder's name after its server has ended. It is random: nobody can create it beforehand."""
        return self.path.with_name(f"{self.path.name}{GONE}{self._mark}")

    def leave(self) -> None:
        """Rename the folder, unless it is shared, so that later starts know it is unused. May be called twice."""
        if fcntl is None:  # release first: Windows cannot rename a folder that holds an open file
            self.release()
        if not self.is_shared:
            with suppress(OSError):  # if it keeps its name, later starts recognise it by the lost lock
                self.path.rename(self.gone)
        self.release()


def own() -> Place:
    """A new folder for this server, or the one that replicas share. Raises `VizError` if it cannot be made."""
    if shared := os.environ.get(SHARED):
        return _shared(Path(shared))
    base = _base()
    try:
        if fcntl is None:
            path = Path(tempfile.mkdtemp(prefix=_prefix(), dir=base)).resolve()
            return Place(path, False, _hold(path / LOCK).close)
        fresh = Path(tempfile.mkdtemp(prefix=FRESH + _prefix(), dir=base)).resolve()  # mode 0700
        lock = _hold(fresh / LOCK)
        path = fresh.rename(fresh.with_name(fresh.name.removeprefix(FRESH)))  # last: a final name implies a lock
    except OSError as error:
        raise _unwritable(str(base), error) from None
    return Place(path, False, lock.close)


def remove_leftovers() -> int:
    """Delete the folders of this user's servers that no longer run, and return how many there were."""
    base = _base()
    found = [path for path in base.iterdir() if (known := _NAME.fullmatch(path.name)) and _is_left(path, known)]
    for path in found:
        shutil.rmtree(path, ignore_errors=True)
    return len(found)


def _base() -> Path:
    try:
        base = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
        if _NAME.fullmatch(base.name):
            base = base.parent  # this process, or its parent, has set GRADIO_TEMP_DIR to a run's folder
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
    return f"vizapp-{os.getuid()}-" if hasattr(os, "getuid") else "vizapp-run-"


# The names that `tempfile` makes from the prefix. Anything else in that place is not ours to delete.
_NAME = re.compile(f"(?P<fresh>{re.escape(FRESH)})?{_prefix()}[a-z0-9_]{{8}}(?P<gone>{re.escape(GONE)}[0-9a-f]{{8}})?")


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
    """Open a lock file, held until it is closed or its process ends. It is locked before it gets its final name."""
    if fcntl is None:
        return path.open("w")
    fresh = path.with_name(LOCK + ".new")
    file = fresh.open("w")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fresh.replace(path)
    return file


def _is_left(path: Path, name: re.Match[str]) -> bool:
    """Tell whether a folder belongs to this user and its server is gone. `name` is the match of its name."""
    try:
        is_mine = not hasattr(os, "getuid") or path.lstat().st_uid == os.getuid()
        if not is_mine or not path.is_dir() or path.is_symlink():
            return False
        if name["gone"]:
            return True
        if not (path / LOCK).exists():
            # Without .new- in its name, a late write has recreated the folder of a server that ended. With it, another
            # server is making the folder right now.
            return fcntl is not None and not name["fresh"]
        return not _lives(path)
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
    except OSError:  # the lock is held, or cannot be tested
        return True
