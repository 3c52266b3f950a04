"""The server's folder of files: uploaded pictures, payloads, tables to save. It deletes old files and cannot fill the disk.

files = folder.current()                                # one per process, deleted when the process ends
path = files.put("vizapp", payload, ".bin")             # named by its content and a key; `VizError` if the disk is full
with files.filling("vizapp", key) as made: ...          # several files that appear together
with files.reading(path): ...                           # not deleted meanwhile

Gradio's own cleaning is not used: it follows a list that visitors can write to, and stops at the first file that it cannot
delete.
"""

import atexit
import hmac
import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from vizapp.errors import VizError
from vizapp.ui.server import run_folder
from vizapp.ui.server.deletion import Leftover
from vizapp.ui.server.disk_full import full, is_full, told_if_full
from vizapp.ui.server.ledger import Ages, Caps, Ledger, Owner
from vizapp.ui.server.visitor import owner as asking
from vizapp.ui.terminal import tell
from vizapp.whole_file import written_whole

KEY = "VIZAPP_KEY"
HOME = Caps(total=4 * 2**30, visitor=4 * 2**30, files=100_000)
PUBLIC = Caps(total=2 * 2**30, visitor=512 * 2**20, files=2000)
AGES = Ages()
SPARE = 0.2  # fraction of the disk's free space that is never used: other programs need it, too
SWEEP = 60.0  # seconds between two scans of the folder
TOUCH = 60.0  # seconds between two updates of a used file's time, by which replicas know that it is used


class Folder:
    """The files of one server. Thread-safe.

    path  absolute, without symbolic links; mode 0700, unless replicas share it
    caps  limits of all files and of each visitor's
    """

    def __init__(
        self, caps: Caps = HOME, ages: Ages = AGES, every: float = SWEEP, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.caps, self.ages = caps, ages
        self._place = run_folder.own()
        self.path = self._place.path
        self._key = os.environ.get(KEY, "").encode() or os.urandom(32)
        self._ledger, self._lock = Ledger(self.path, clock), threading.RLock()
        self._staged: list[weakref.WeakMethod[Callable[[], set[str]]]] = []
        self._pages: list[weakref.ref[Any]] = []
        self._kept: set[Path] = set()
        self._empty: set[Path] = set()
        self._said: set[Path] = set()
        self._closed = threading.Event()
        self._process = os.getpid()
        self._leftover: Leftover | None = None
        self._is_told = False
        threading.Thread(target=self._sweeping, args=(every,), name="sweeper", daemon=True).start()

    # ---- the pages it serves

    def serve(self, page: Any) -> None:
        """Keep the files that a page (`gr.Blocks`) shows from the start, and remove deleted files from its lists."""
        with self._lock:
            self._pages.append(weakref.ref(page))
            self._kept |= {Path(file) for block in page.blocks.values() for file in block.keep_in_cache}
        self.sweep()  # counts the files that Gradio has put there

    def spare(self, staged: Callable[[], set[str]]) -> None:
        """Delete the files that `staged` names, which stand on somebody's page, only after all others."""
        with self._lock:
            self._staged.append(weakref.WeakMethod(staged))

    # ---- files

    def name(self, content: bytes) -> str:
        """A name for the content that nobody can compute without the key."""
        return hmac.new(self._key, content, "sha256").hexdigest()

    def put(self, kind: str, content: bytes, suffix: str) -> Path:
        """Write the content to a file named after it. The file is complete as soon as it has its name."""
        path = self.path / f"{kind}-{self.name(content)}{suffix}"
        if self._again(path, asking()):
            return path

        def write() -> None:
            self.make_room(len(content))
            with written_whole(path, os.urandom(8).hex()) as fresh:
                fresh.write_bytes(content)

        self._writing(write, len(content))
        self.note(path)
        return path

    def filled(self, kind: str, key: bytes) -> Path:
        """The folder in which `filling` puts its files."""
        return self.path / f"{kind}-{self.name(key)[:20]}"

    @contextmanager
    def filling(self, kind: str, key: bytes) -> Iterator[Path]:
        """Yield an empty folder to write in, then move its files to `filled(kind, key)`."""
        self._refuse_if_closed()
        fresh = Path(tempfile.mkdtemp(prefix=".part-", dir=self.path))
        path = self.filled(kind, key)
        try:
            with told_if_full():
                yield fresh
                self.make_room(sum(file.stat().st_size for file in fresh.iterdir()))
                path.mkdir(exist_ok=True)
                for file in fresh.iterdir():
                    file.replace(path / file.name)
                    self.note(path / file.name)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def note(self, path: Path, owner: Owner | None = None) -> None:
        """Record a new file for the owner, by default whoever is asking. Older files of theirs may be deleted for it."""
        owner = owner or asking()
        with self._lock:
            try:
                seen = path.stat()
            except OSError:
                return
            self._ledger.note(path, seen.st_size, seen.st_mtime, owner)
            self._evict(0, owner)

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """Protect a file from deletion during the block, and record its use. Paths outside the folder are ignored."""
        ours = self.ours(path)
        with self._lock:
            one = self._ledger.files.get(ours) if ours and self._again(ours) else None
            if one:
                one.readers += 1
        try:
            yield
        finally:
            with self._lock:
                if one:
                    one.readers -= 1
                    one.used = self._ledger.clock()

    def claim(self, path: str) -> None:
        """Make whoever is asking an owner of the file. Paths outside the folder are ignored."""
        if ours := self.ours(path):
            self._again(ours, asking())

    def ours(self, path: str) -> Path | None:
        """The file of this folder that a path names; None for a folder, or for anything outside."""
        try:
            real = Path(path).resolve()
            own = real.is_relative_to(self.path) and real.is_file() and not self.is_hidden(path)
            return real if own else None
        except (OSError, ValueError):  # the path is too long, or contains a NUL
            return None

    def is_hidden(self, path: str) -> bool:
        """Tell whether a path names something that only the server may read: its lock, or a file that is being written."""
        try:
            real = Path(path).resolve()
        except (OSError, ValueError):
            return False
        return real.is_relative_to(self.path) and any(
            one.startswith(".") for one in real.relative_to(self.path).parts[:1]
        )

    def make_room(self, size: int, owner: Owner | None = None) -> None:
        """Delete old files until `size` more bytes fit. Raises `VizError`, and deletes nothing, if they cannot fit."""
        self._refuse_if_closed()
        with self._lock:
            if self._ledger.total - self._spendable() + size > self.most():  # other programs have filled the disk
                raise full()
            self._evict(size, owner or asking())
            if self._ledger.total + size > self.most():
                raise full()

    def most(self) -> int:
        """The bytes that all files may take: the cap, or less if the disk has less."""
        with self._lock:
            own = self._ledger.total
        return min(self.caps.total, int((1 - SPARE) * (shutil.disk_usage(self.path).free + own)))

    def _spendable(self) -> int:
        """The bytes of all files that may be deleted to make room."""
        return sum(self._ledger.files[path].size for path in self._order()(self._ledger.files))

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise VizError("The server is stopping.")

    def _again(self, path: Path, owner: Owner | None = None) -> bool:
        """Tell whether the file exists. If so, record a use, and update its time now and then, which tells replicas."""
        with self._lock:
            one, now = self._ledger.files.get(path), self._ledger.clock()
            try:
                if one is None or now - one.noted > TOUCH:
                    os.utime(path)
                seen = path.stat()
            except OSError:
                return False
            if one is None or seen.st_mtime != one.changed:
                self._ledger.note(path, seen.st_size, seen.st_mtime, owner)
            else:
                one.used = now
                if owner:
                    one.take(owner)
            return True

    def _writing(self, write: Callable[[], None], size: int) -> None:
        """Write a file; on a full disk, delete as much as it needs and try once more.

        Raises `VizError`, and deletes nothing, if deleting could not free enough.
        """
        for is_last in (False, True):
            try:
                return write()
            except OSError as error:
                if not is_full(error):
                    raise
                if is_last:
                    raise full() from None
            with self._lock:
                if shutil.disk_usage(self.path).free + self._spendable() < size:
                    raise full() from None
                most = max(self._ledger.total - 2 * size, 0)
                self._delete(self._ledger.over_total(most, self._order()))

    def remove_parts(self) -> None:
        """Delete the partial files of broken uploads. Call it while no upload is running."""
        if not self._place.is_shared:  # replicas may be uploading into a shared one; there `sweep` deletes old parts
            for path in self.path.glob("tmp*"):
                path.unlink(missing_ok=True)

    # ---- sweeping

    def sweep(self) -> None:
        """Delete old and surplus files, and empty folders. A file that cannot be deleted is reported once and skipped."""
        began = self._ledger.clock()
        with self._lock:
            if self._closed.is_set():
                return
            self.path.mkdir(mode=0o700, exist_ok=True)  # the system may have cleaned its temporary folder
        found, empty = self._look()
        with self._lock:
            self._ledger.reconcile(found, began)
            self._delete(self._ledger.old(self.ages, self._kept, self._on_stage()))
            self._evict()
        for path in empty & self._empty:  # empty in two scans in a row: a new folder may be about to be filled
            self._try(path, path.rmdir)
        self._empty = empty

    def _sweeping(self, every: float) -> None:
        while not self._closed.is_set():
            try:
                if not self._place.is_shared:
                    run_folder.remove_leftovers()
                self.sweep()
            except Exception as error:  # the sweeper must survive any failure: the next round may succeed
                tell(f"sweeping the folder of files failed: {error!r}")
            self._closed.wait(every)

    def _look(self) -> tuple[list[tuple[Path, int, float]], set[Path]]:
        files, empty = [], set()
        for name, folders, names in os.walk(self.path):
            here = Path(name)
            if not folders and not names and here != self.path:
                empty.add(here)
            for one in names:
                if here == self.path and one.startswith((run_folder.LOCK, run_folder.MARK)):
                    continue
                try:
                    seen = (here / one).lstat()
                except OSError:
                    continue  # gone meanwhile
                files.append((here / one, seen.st_size, seen.st_mtime))
        return files, empty

    def _on_stage(self) -> set[Path]:
        named = (staged() for one in self._staged if (staged := one()))
        return {Path(source) for sources in named for source in sources}

    def keep(self, path: Path) -> None:
        """Keep a file until the server stops."""
        with self._lock:
            self._kept.add(path)

    def _order(self) -> Any:
        return self._ledger.order(self.ages, self._kept, self._on_stage)

    def _evict(self, room: int = 0, owner: Owner | None = None) -> None:
        order, most = self._order(), self.most()
        if owner:
            self._delete(self._ledger.over_visitor(self.caps, owner, order, room))
        self._delete(self._ledger.over_total(most, order, room))

    def _delete(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if self._try(path, partial(path.unlink, missing_ok=True)):
                self._ledger.drop(path)
                for page in filter(None, (one() for one in self._pages)):
                    for files in page.temp_file_sets:  # otherwise Gradio keeps each name for ever
                        files.discard(str(path))
                if path.parent != self.path:
                    with suppress(OSError):  # the folder still holds other files
                        path.parent.rmdir()

    def _try(self, path: Path, delete: Callable[[], Any]) -> bool:
        try:
            delete()
        except FileNotFoundError:  # another sweep has deleted it
            pass
        except OSError as error:
            if path not in self._said:
                self._said.add(path)
                tell(f"cannot delete {path}: {error.strerror}")
            return False
        return True

    def leave(self) -> None:
        """Stop, and give the folder up: any later start may delete it. May be called twice, and from any thread."""
        if os.getpid() != self._process:  # a forked copy of this process does not own the folder
            return
        if not self._closed.is_set():
            has_lock = self._lock.acquire(timeout=0.2)  # a disk that hangs must not hold up the end
            self._closed.set()
            if has_lock:
                self._lock.release()
        self._place.leave()

    def close(self, within: float | None = None) -> None:
        """Stop, give the folder up and delete it. A folder that replicas share stays.

        within  the seconds that it may take, None for no limit; what is left then is reported, and the next start deletes it
        """
        self.leave()
        if os.getpid() != self._process or self._place.is_shared or self._is_told:
            return
        if self._leftover is None:
            self._leftover = Leftover(self._place.gone, self.path)
            if within is None:  # in this thread: Python starts no thread during its exit
                return self._leftover.delete()
            self._leftover.start()
        if not self._leftover.is_gone(within):
            self._is_told = True
            tell(self._leftover)


_folders: list[Folder] = []
_one = threading.Lock()


def current() -> Folder:
    """The folder of this process. The first call makes it and tells Gradio.

    Gradio reads GRADIO_TEMP_DIR when it builds a page or a component: call this before.
    """
    with _one:
        told = os.environ.get("GRADIO_TEMP_DIR")
        for one in _folders:
            if str(one.path) == told and not one._closed.is_set():
                return one
        made = Folder()
        _folders.append(made)
        os.environ["GRADIO_TEMP_DIR"] = str(made.path)
        # Otherwise Gradio serves a folder below the current directory.
        os.environ["GRADIO_EXAMPLES_CACHE"] = str(made.path / "examples")
        return made


def close(within: float | None = None) -> None:
    """Close all folders of this process, in at most `within` seconds each. All are given up before the first is deleted."""
    for one in _folders:
        one.leave()
    for one in _folders:
        one.close(within)


atexit.register(close)
