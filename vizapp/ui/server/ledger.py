"""What lies in the server's folder: how large, whose, last used when; and which of it is to go.

Time is that of a clock that nobody sets (`time.monotonic`). The times that files carry are only compared with each other: a
changed one is a use, as by another replica. So a clock that jumps neither deletes what is used nor keeps anything for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Caps:
    """Most bytes of files in all and of one visitor, and most files of one visitor. A visitor is an address."""

    total: int
    visitor: int
    files: int


@dataclass(frozen=True)
class Ages:
    """Seconds since the last use after which a file goes.

    rest    of any file
    staged  of a picture that stands on somebody's page
    part    of a file that is being written, and is not any more
    fresh   until which others go first, when room is needed: its visitor may not have fetched it yet
    """

    rest: float = 3600.0
    staged: float = 24 * 3600.0
    part: float = 600.0
    fresh: float = 60.0


@dataclass
class Kept:
    """One file. Without owners it is the server's own, or was found there."""

    size: int
    used: float
    noted: float
    changed: float  # as the file itself says
    owners: set[str] = field(default_factory=set)
    readers: int = 0


class Ledger:
    """The files of a folder. Not safe with threads: `Folder` is."""

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.root, self.clock = root, clock
        self.files: dict[Path, Kept] = {}

    def is_part(self, path: Path) -> bool:
        """Is it being written? By us, or by Gradio while it is uploaded: that is in the folder itself."""
        first, *rest = path.relative_to(self.root).parts
        return first.startswith(".part-") or (first.startswith("tmp") and not rest)

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(one.size for one in self.files.values())

    def note(self, path: Path, size: int, changed: float, owner: str = "") -> None:
        """A file is there, for an owner or for nobody in particular. Now is its last use."""
        now = self.clock()
        one = self.files.setdefault(path, Kept(size, now, now, changed))
        one.size, one.used, one.noted, one.changed = size, now, now, changed
        if owner:
            one.owners.add(owner)

    def reconcile(self, found: Iterable[tuple[Path, int, float]], since: float) -> None:
        """Take over what a look into the folder found: (path, size, changed). `since` is when the look began."""
        seen = set()
        for path, size, changed in found:
            seen.add(path)
            known = self.files.get(path)
            if known is None or known.changed != changed or known.size != size:
                self.note(path, size, changed)
        for path in [path for path, one in self.files.items() if path not in seen and one.noted < since]:
            del self.files[path]

    def drop(self, path: Path) -> None:
        """A file is gone."""
        self.files.pop(path, None)

    # ---- which are to go

    def old(self, ages: Ages, keep: Collection[Path], staged: Collection[Path]) -> list[Path]:
        """Files that have rested for too long."""
        now, found = self.clock(), []
        for path, one in self.files.items():
            most = ages.part if self.is_part(path) else ages.staged if path in staged else ages.rest
            if path not in keep and not one.readers and now - one.used > most:
                found.append(path)
        return found

    def over_visitor(self, caps: Caps, owner: str, goes_first: GoesFirst, room: int = 0) -> list[Path]:
        """Files that a visitor must let go, to be below the caps with `room` more bytes; others' files are not touched.

        A file that others hold, too, is only taken off this visitor's account.
        """
        own, found = {path: one for path, one in self.files.items() if owner in one.owners}, list[Path]()
        size, count = sum(one.size for one in own.values()) + room, len(own) + (room > 0)
        if size <= caps.visitor and count <= caps.files:
            return found
        for path in goes_first(own):
            if size <= caps.visitor and count <= caps.files:
                break
            size, count = size - own[path].size, count - 1
            own[path].owners.discard(owner)
            found += [] if own[path].owners else [path]
        return found

    def over_total(self, most: int, goes_first: GoesFirst, room: int = 0) -> list[Path]:
        """Files that are to go so that all together are at most `most` bytes, with `room` more."""
        size, found = self.total + room, list[Path]()
        if size <= most:
            return found
        for path in goes_first(self.files):
            if size <= most:
                break
            size -= self.files[path].size
            found.append(path)
        return found

    def order(self, ages: Ages, keep: Collection[Path], staged: Callable[[], Collection[Path]]) -> GoesFirst:
        """Who goes first when room is needed: the least recently used; those on a stage and the fresh ones only after all
        others; what is being read, being written or kept for the page itself, never."""

        def goes_first(files: dict[Path, Kept]) -> Iterator[Path]:
            now, on_stage = self.clock(), staged()

            def place(path: Path) -> tuple[bool, float, float]:
                one = files[path]
                return path in on_stage or now - one.used < ages.fresh, one.used, one.changed

            may_go = [one for one in files if one not in keep and not files[one].readers and not self.is_part(one)]
            return iter(sorted(may_go, key=place))

        return goes_first


GoesFirst = Callable[[dict[Path, Kept]], Iterator[Path]]
