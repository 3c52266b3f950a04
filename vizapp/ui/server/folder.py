"""The server's folder of files: pictures that were uploaded, payloads, tables to save. It is swept, and it cannot fill the disk.

files = folder.current()                                # one for a process; gone when the process goes
path = files.put("vizapp", payload, ".bin")             # named by its content and a key; `VizError` if the disk is full
with files.filling("vizapp", key) as made: ...          # several files, there together or not at all
with files.reading(path): ...                           # not deleted meanwhile

Gradio's own cleaning is not used: it follows a list that visitors can write to, and one file that it cannot delete ends it.
"""

from __future__ import annotations

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
from vizapp.ui.server import place
from vizapp.ui.server.full import full, is_full
from vizapp.ui.server.ledger import Ages, Caps, Ledger
from vizapp.ui.server.visitor import visitor
from vizapp.ui.terminal import tell

KEY = "VIZAPP_KEY"
HOME = Caps(total=4 * 2**30, visitor=4 * 2**30, files=100_000)
PUBLIC = Caps(total=2 * 2**30, visitor=512 * 2**20, files=2000)
AGES = Ages()
SPARE = 0.2  # of what the disk has left is never used: a small one has other users, too
SWEEP = 60.0  # seconds between two looks into the folder
TOUCH = 60.0  # seconds until a file that is used again is marked as used for replicas, too


class Folder:
    """The files of one server. Safe with threads.

    path  absolute, without symbolic links; mode 0700, unless replicas share it
    caps  of files in all and of each visitor
    """

    def __init__(
        self, caps: Caps = HOME, ages: Ages = AGES, every: float = SWEEP, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.caps, self.ages = caps, ages
        self._place = place.own()
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
        threading.Thread(target=self._sweeping, args=(every,), name="sweeper", daemon=True).start()

    # ---- whom it serves

    def serve(self, page: Any) -> None:
        """Keep what a page (`gr.Blocks`) shows from the start; let it forget files that are gone."""
        with self._lock:
            self._pages.append(weakref.ref(page))
            self._kept |= {Path(file) for block in page.blocks.values() for file in block.keep_in_cache}
        self.sweep()  # Gradio has put them there: now they are counted

    def spare(self, staged: Callable[[], set[str]]) -> None:
        """Delete others before the files that this method names: those that stand on somebody's page."""
        with self._lock:
            self._staged.append(weakref.WeakMethod(staged))

    # ---- files

    def name(self, content: bytes) -> str:
        """A name of the content that nobody can make without the key."""
        return hmac.new(self._key, content, "sha256").hexdigest()

    def put(self, kind: str, content: bytes, suffix: str) -> Path:
        """The file that holds the content, under a name that is made of it. It is whole as soon as it has its name."""
        path = self.path / f"{kind}-{self.name(content)}{suffix}"
        if self._again(path, visitor()):
            return path

        def write() -> None:
            self.make_room(len(content))
            fresh = self.path / f".part-{os.urandom(8).hex()}"
            try:
                fresh.write_bytes(content)
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)

        self._writing(write, len(content))
        self.note(path)
        return path

    def filled(self, kind: str, key: bytes) -> Path:
        """Where `filling` puts its files."""
        return self.path / f"{kind}-{self.name(key)[:20]}"

    @contextmanager
    def filling(self, kind: str, key: bytes) -> Iterator[Path]:
        """An empty folder to write in, and then the same under the name `kind` and of the key."""
        self._refuse_if_closed()
        fresh = Path(tempfile.mkdtemp(prefix=".part-", dir=self.path))
        path = self.filled(kind, key)
        try:
            yield fresh
            self.make_room(sum(file.stat().st_size for file in fresh.iterdir()))
            path.mkdir(exist_ok=True)
            for file in fresh.iterdir():
                file.replace(path / file.name)
                self.note(path / file.name)
        except OSError as error:
            if is_full(error):
                raise full() from None
            raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def note(self, path: Path, owner: str | None = None) -> None:
        """A file is there now, made for the owner, or else for who is asking: older ones of theirs may have to go for it."""
        owner = visitor() if owner is None else owner
        with self._lock:
            try:
                seen = path.stat()
            except OSError:
                return
            self._ledger.note(path, seen.st_size, seen.st_mtime, owner)
            self._evict(0, owner)

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """The file is not deleted meanwhile, and was used now. A path that is none of ours is let through."""
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

    def ours(self, path: str) -> Path | None:
        """The file of this folder that a path means; None if it means none: a folder, or something elsewhere."""
        try:
            real = Path(path).resolve()
            own = real.is_relative_to(self.path) and real.is_file() and not self.is_hidden(path)
            return real if own else None
        except (OSError, ValueError):  # too long, or with a zero in it
            return None

    def is_hidden(self, path: str) -> bool:
        """Does a path mean something of this folder that is for the server alone: its lock, what is being written?"""
        try:
            real = Path(path).resolve()
        except (OSError, ValueError):
            return False
        return real.is_relative_to(self.path) and any(
            one.startswith(".") for one in real.relative_to(self.path).parts[:1]
        )

    def make_room(self, size: int, owner: str | None = None) -> None:
        """Delete old files until `size` more bytes fit; `VizError` if they never will, and then none is deleted for it."""
        self._refuse_if_closed()
        with self._lock:
            if self._ledger.total - self._spendable() + size > self.most():  # as where others have filled the disk
                raise full()
            self._evict(size, visitor() if owner is None else owner)
            if self._ledger.total + size > self.most():
                raise full()

    def most(self) -> int:
        """Bytes that all files may take: the cap, or what the disk can spare."""
        with self._lock:
            own = self._ledger.total
        return min(self.caps.total, int((1 - SPARE) * (shutil.disk_usage(self.path).free + own)))

    def _spendable(self) -> int:
        """Bytes of all files that may be deleted for others."""
        return sum(self._ledger.files[path].size for path in self._order()(self._ledger.files))

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise VizError("The server is stopping.")

    def _again(self, path: Path, owner: str = "") -> bool:
        """Is the file there? Then this is a use of it. Replicas are told by its time, now and then."""
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
                one.owners |= {owner} - {""}
            return True

    def _writing(self, write: Callable[[], None], size: int) -> None:
        """A full disk is tried once more, when as much as the file needs was deleted; nothing is, where that is not enough."""
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
        """Delete what uploads have left half-way. Call it while none is on its way."""
        if not self._place.is_shared:  # there those of replicas lie, too: they go when they are old
            for path in self.path.glob("tmp*"):
                path.unlink(missing_ok=True)

    # ---- sweeping

    def sweep(self) -> None:
        """Delete what is old or too much, and empty folders. What cannot be deleted is said once, and the rest goes on."""
        began = self._ledger.clock()
        with self._lock:
            if self._closed.is_set():
                return
            self.path.mkdir(mode=0o700, exist_ok=True)  # something may clean up the system's folder
        found, empty = self._look()
        with self._lock:
            self._ledger.reconcile(found, began)
            self._delete(self._ledger.old(self.ages, self._kept, self._on_stage()))
            self._evict()
        for path in empty & self._empty:  # those of the last look as well: a new one is about to be filled
            self._try(path, path.rmdir)
        self._empty = empty

    def _sweeping(self, every: float) -> None:
        while True:
            try:
                if not self._place.is_shared:
                    place.remove_leftovers()
                self.sweep()
            except Exception as error:  # whatever it was: the next round comes
                tell(f"sweeping the folder of files failed: {error!r}")
            if self._closed.wait(every):
                return

    def _look(self) -> tuple[list[tuple[Path, int, float]], set[Path]]:
        files, empty = [], set()
        for name, folders, names in os.walk(self.path):
            here = Path(name)
            if not folders and not names and here != self.path:
                empty.add(here)
            for one in names:
                if here == self.path and one.startswith((place.LOCK, place.MARK)):
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
        """Never delete this file before the server stops."""
        with self._lock:
            self._kept.add(path)

    def _order(self) -> Any:
        return self._ledger.order(self.ages, self._kept, self._on_stage)

    def _evict(self, room: int = 0, owner: str = "") -> None:
        order, most = self._order(), self.most()
        if owner:
            self._delete(self._ledger.over_visitor(self.caps, owner, order, room))
        self._delete(self._ledger.over_total(most, order, room))

    def _delete(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if self._try(path, partial(path.unlink, missing_ok=True)):
                self._ledger.drop(path)
                for page in filter(None, (one() for one in self._pages)):
                    for files in page.temp_file_sets:  # or Gradio remembers each name for ever
                        files.discard(str(path))
                if path.parent != self.path:
                    with suppress(OSError):  # others lie there
                        path.parent.rmdir()

    def _try(self, path: Path, delete: Callable[[], Any]) -> bool:
        try:
            delete()
        except OSError as error:
            if path not in self._said:
                self._said.add(path)
                tell(f"cannot delete {path}: {error.strerror}")
            return False
        return True

    def close(self) -> None:
        """Stop, and delete everything; what replicas share stays. A copy of this process (fork) deletes nothing."""
        if self._closed.is_set() or os.getpid() != self._process:
            return
        has_lock = self._lock.acquire(timeout=0.2)  # a disk that hangs must not hold up the end
        self._closed.set()
        if has_lock:
            self._lock.release()
        self._place.release()  # first: Windows deletes no open file
        if not self._place.is_shared:
            for _ in range(2):  # somebody may be writing
                shutil.rmtree(self.path, ignore_errors=True)


_folders: list[Folder] = []
_one = threading.Lock()


def current() -> Folder:
    """The folder of this process; made, and told to Gradio, when it is asked for first.

    Gradio takes GRADIO_TEMP_DIR anew for each page and each component: ask before you build one.
    """
    with _one:
        told = os.environ.get("GRADIO_TEMP_DIR")
        for one in _folders:
            if str(one.path) == told and not one._closed.is_set():
                return one
        made = Folder()
        _folders.append(made)
        os.environ["GRADIO_TEMP_DIR"] = str(made.path)
        # Else a folder where it was started is served.
        os.environ["GRADIO_EXAMPLES_CACHE"] = str(made.path / "examples")
        return made


def close() -> None:
    """Let all folders of this process go."""
    for one in _folders:
        one.close()


atexit.register(close)
