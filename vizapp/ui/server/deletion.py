"""Deletes folders, and can tell at any time how much is left of them, and where."""

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from vizapp.ui.server.run_folder import LOCK


class Leftover:
    """The files to delete below some folders. Its `str` tells what is left without reading the disk, which may hang."""

    def __init__(self, *roots: Path) -> None:
        self.roots = roots
        self._thread: threading.Thread | None = None
        self._left: list[tuple[Path, int]] | None = None

    def delete(self) -> None:
        """Delete the files and the folders. What cannot be deleted stays."""
        self._left = [*self._files()]
        while self._left:
            path, _ = self._left[-1]
            with suppress(OSError):
                path.unlink(missing_ok=True)
            self._left.pop()
        for _ in range(2):  # twice: another thread may still be writing
            for root in self.roots:
                shutil.rmtree(root, ignore_errors=True)

    def start(self) -> None:
        """Delete in a daemon thread: the process does not wait for it when it ends."""
        self._thread = threading.Thread(target=self.delete, daemon=True, name="deleting")
        self._thread.start()

    def is_gone(self, within: float | None) -> bool:
        """Wait up to `within` seconds (None: without limit) and return whether the thread has ended."""
        if self._thread is not None:
            self._thread.join(within)
        return self._thread is None or not self._thread.is_alive()

    def _files(self) -> list[tuple[Path, int]]:
        found = []
        for root in self.roots:
            for name, _, names in os.walk(root):
                for one in names:
                    with suppress(OSError):
                        path = Path(name, one)
                        found += [] if one == LOCK else [(path, path.lstat().st_size)]
        return found

    def __str__(self) -> str:
        left = self._left
        size = sum(one for _, one in [*(left or ())])
        what = "its files were" if left is None else f"{len(left)} files ({size / 1e6:.1f} MB) were"
        return f"the server ended before {what} deleted: they lie in {self.roots[0]} until the next start"
