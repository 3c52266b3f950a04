"""Writes a file completely or not at all: half a table, film or picture looks like a whole one."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def written_whole(path: Path, mark: str = "") -> Iterator[Path]:
    """Yield a path beside `path` to write to. The file gets its name at the end, and is deleted if the block raises.

    mark  tells apart those who may write the same file at once
    """
    fresh = path.with_name(f".part-{mark}{path.name}")
    try:
        yield fresh
        fresh.replace(path)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
