"""Records each file in the server's folder (size, owners, last use) and chooses which files to delete.

Ages are measured with `time.monotonic`. A file's own modification time is only compared with its earlier value: a change
means a use, for example by another replica. So a jump of the system clock neither deletes a used file nor keeps an old one.
"""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

MOST_OWNERS = 64  # remembered per file: visitors can invent session names, and many may share one file


@dataclass(frozen=True)
class Caps:
    """The most bytes of all files and of one visitor's, and the most files of one visitor (see `Owner.share`)."""

    total: int
    visitor: int
    files: int


@dataclass(frozen=True)
class Ages:
    """Seconds since the last use after which a file is deleted.

    rest    of any file
    staged  of a picture that stands on somebody's page
    part    of a file whose writing has stopped half-way
    fresh   while younger than this, a file is deleted only after all others: its visitor may not have fetched it yet
    """

    rest: float = 3600.0
    staged: float = 24 * 3600.0
    part: float = 600.0
    fresh: float = 60.0


@dataclass(frozen=True)
class Owner:
    """The visitor that a file is for.

    address     of the visitor, as far as it is known
    page        the session that asked for it; "" while unknown, as for an upload that no page has used yet
    is_visitor  whether the address belongs to one visitor; a proxy's address is shared by everybody behind it
    """

    address: str
    page: str = ""
    is_visitor: bool = True

    @property
    def share(self) -> Hashable:
        """The key of the disk share that it counts against: the address, or address and page behind an unnamed proxy."""
        return self.address if self.is_visitor else (self.address, self.page)


@dataclass
class Kept:
    """One file. A file without owners is the server's own, or was found in the folder."""

    size: int
    used: float
    noted: float
    changed: float  # the file's modification time
    owners: set[Owner] = field(default_factory=set)
    readers: int = 0

    def take(self, owner: Owner) -> None:
        """Add an owner. One whose page is known replaces the entry of the same address without a page."""
        if owner.page:
            self.owners.discard(replace(owner, page=""))
        if len(self.owners) < MOST_OWNERS:
            self.owners.add(owner)


class Ledger:
    """The files of a folder. Not thread-safe: `Folder` locks around it."""

    def __init__(
        self,
        root: Path,
        clock: Callable[[], float] = time.monotonic,
        is_there: Callable[[Path], bool] = Path.exists,
    ) -> None:
        self.root, self.clock, self.is_there = root, clock, is_there
        self.files: dict[Path, Kept] = {}
        self._parts: set[Path] = set()  # files that a sweep saw while they were written

    def is_part(self, path: Path) -> bool:
        """Tell whether a file is still being written: .part- by vizapp, tmp* at the folder's top level by Gradio's upload."""
        first, *rest = path.relative_to(self.root).parts
        return first.startswith(".part-") or (first.startswith("tmp") and not rest)

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(one.size for one in self.files.values())

    def note(self, path: Path, size: int, changed: float, owner: Owner | None = None) -> None:
        """Record that a file exists and was used now, for an owner if one is given."""
        self._forget_written()
        if self.is_part(path):
            self._parts.add(path)
        now = self.clock()
        one = self.files.setdefault(path, Kept(size, now, now, changed))
        one.size, one.used, one.noted, one.changed = size, now, now, changed
        if owner:
            one.take(owner)

    def _forget_written(self) -> None:
        """Drop the entries of parts that have got their name, or were given up: their bytes would count twice."""
        for path in [path for path in self._parts if not self.is_there(path)]:
            self._parts.discard(path)
            self.files.pop(path, None)

    def reconcile(self, found: Iterable[tuple[Path, int, float]], since: float) -> None:
        """Update the records with what a scan of the folder found: (path, size, changed).

        `since` is when the scan began: files noted later are kept even if the scan has not seen them.
        """
        seen = set()
        for path, size, changed in found:
            seen.add(path)
            known = self.files.get(path)
            if known is None or known.changed != changed or known.size != size:
                self.note(path, size, changed)
        self._forget_written()
        for path in [path for path, one in self.files.items() if path not in seen and one.noted < since]:
            del self.files[path]

    def drop(self, path: Path) -> None:
        """Forget a file that was deleted."""
        self.files.pop(path, None)

    # ---- which files to delete

    def old(self, ages: Ages, keep: Collection[Path], staged: Collection[Path]) -> list[Path]:
        """The files whose last use is longer ago than `ages` allows."""
        now, found = self.clock(), []
        for path, one in self.files.items():
            most = ages.part if self.is_part(path) else ages.staged if path in staged else ages.rest
            if path not in keep and not one.readers and now - one.used > most:
                found.append(path)
        return found

    def over_visitor(self, caps: Caps, owner: Owner, goes_first: "GoesFirst", room: int = 0) -> list[Path]:
        """The files to delete so that one visitor stays below the caps with `room` more bytes. Others' files are not touched.

        Among several pages of one address, those that hold the most lose files first. A file that another visitor also owns
        is not deleted, but no longer counts for this one.
        """

        def of_share(one: Kept) -> set[Owner]:
            return {each for each in one.owners if each.share == owner.share}

        own, found = {path: one for path, one in self.files.items() if of_share(one)}, list[Path]()
        size, count = sum(one.size for one in own.values()) + room, len(own) + (room > 0)
        if size <= caps.visitor and count <= caps.files:
            return found
        for path in _fairly(own, of_share, lambda one: one.size / caps.visitor + 1 / caps.files, goes_first):
            if size <= caps.visitor and count <= caps.files:
                break
            size, count = size - own[path].size, count - 1
            own[path].owners -= of_share(own[path])
            found += [] if own[path].owners else [path]
        return found

    def over_total(self, most: int, goes_first: "GoesFirst", room: int = 0) -> list[Path]:
        """The files to delete so that all files, with `room` more bytes, take at most `most` bytes."""
        size, found = self.total + room, list[Path]()
        if size <= most:
            return found
        files, equal = self.files, max(most, 1)
        for path in _fairly(
            files, lambda one: {each.share for each in one.owners}, lambda one: one.size / equal, goes_first
        ):
            if size <= most:
                break
            size -= self.files[path].size
            found.append(path)
        return found

    def order(self, ages: Ages, keep: Collection[Path], staged: Callable[[], Collection[Path]]) -> "GoesFirst":
        """The order of deletion when room is needed: least recently used first, files on a stage and fresh ones last.

        Files that are being read, being written or kept for the page itself are never deleted.
        """

        def goes_first(files: dict[Path, Kept], *, staged_too: bool = True) -> Iterator[Path]:
            now, on_stage = self.clock(), staged()

            def place(path: Path) -> tuple[bool, float, float]:
                one = files[path]
                return path in on_stage or now - one.used < ages.fresh, one.used, one.changed

            may_go = [
                one
                for one in files
                if one not in keep
                and not files[one].readers
                and not self.is_part(one)
                and (staged_too or one not in on_stage)
            ]
            return iter(sorted(may_go, key=place))

        return goes_first


class GoesFirst(Protocol):
    """Lists files in the order in which they are deleted, with or without those on a stage."""

    def __call__(self, files: dict[Path, Kept], *, staged_too: bool = True) -> Iterator[Path]: ...


def _fairly(
    files: dict[Path, Kept],
    holders: Callable[[Kept], Collection[Hashable]],
    part: Callable[[Kept], float],
    goes_first: GoesFirst,
) -> Iterator[Path]:
    """Yield files in the order of deletion: from those who hold more than an equal part, the largest first; then from all.

    So a visitor who fills the folder loses their own files before anybody else's.

    holders  the shares that hold a file
    part     the fraction of the allowed total that a file takes
    """
    held, theirs = Counter[Hashable](), defaultdict[Hashable, deque[Path]](deque)
    for one in files.values():
        held.update(dict.fromkeys(holders(one), part(one)))
    for path in goes_first(files, staged_too=False):
        for holder in holders(files[path]):
            theirs[holder].append(path)
    gone, equal = set[Path](), 1 / max(len(held), 1)
    while paying := [one for one in theirs if theirs[one] and held[one] > equal]:
        largest = max(paying, key=held.__getitem__)
        path = theirs[largest].popleft()
        if path not in gone:
            gone.add(path)
            held.subtract(dict.fromkeys(holders(files[path]), part(files[path])))
            yield path
    yield from (path for path in goes_first(files) if path not in gone)
