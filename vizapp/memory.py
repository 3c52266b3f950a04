"""Tells how much memory this process may still take, and refuses weights that are larger, before they are fetched or made.

It is what the machine has free, or less, where a container says so.

/proc/meminfo tells of the whole machine, whatever a container is allowed. What it is allowed stands in control groups: those
that the process is in, and all around them, each with a limit of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from vizapp.errors import NotEnoughMemory

if TYPE_CHECKING:
    from torch import nn

# What the two versions call the limit, what is used of it, and (in memory.stat) how much of that is the cache of files that
# were read and not needed since, which the system gives back before it refuses anything.
Names = tuple[str, str, str]
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = ("memory.max", "memory.current", "inactive_file")
UNLIMITED = 2**60  # version 1 says a number of this size where there is no limit
BESIDE = 1.1  # factor for the objects that are made while weights are filled in


def free_memory(root: str | Path = "/") -> int | None:
    """Bytes that can still be taken: the least of what the machine, each control group and `ulimit -v` leave.

    None where the system does not tell. root: where proc and the control groups are looked for
    """
    root = Path(root)
    told = [_of_machine(root), _left_of_address_space(root), *(_left(*group) for group in _groups(root))]
    known = [one for one in told if one is not None]
    return max(0, min(known)) if known else None


def memory_limit(root: str | Path = "/") -> int | None:
    """The most that this process can ever have, in bytes: the machine's memory, or the smallest limit around it."""
    root = Path(root)
    limits = [_limit(*group) for group in _groups(root)]
    known = [one for one in (_meminfo(root, "MemTotal"), _address_space(), *limits) if one is not None]
    return min(known) if known else None


def require_room(name: str, build: Callable[[], nn.Module]) -> None:
    """Raise `NotEnoughMemory` if the network that `build` makes is larger than the free memory.

    It is built of tensors that have shapes and no data, which takes a part of a second. A network that cannot be built so passes.
    """
    import torch  # pictures are read without it

    try:
        with torch.device("meta"):
            net = build()
    except Exception:  # a library may need a tensor's data; other errors are reported when the network is really built
        return
    require_bytes(name, sum(one.numel() * one.element_size() for one in (*net.parameters(), *net.buffers())))


def require_bytes(name: str, size: int) -> None:
    """Raise `NotEnoughMemory` if weights of so many bytes do not fit into the free memory."""
    free = free_memory()
    if free is None or size * BESIDE <= free:
        return
    raise NotEnoughMemory(
        "The weights of {name} take {needed} GiB, and {free} GiB of memory are free.",
        "Choose a smaller model.",
        name=name,
        needed=f"{size / 2**30:.1f}",
        free=f"{free / 2**30:.1f}",
    )


def _of_machine(root: Path) -> int | None:
    # MemAvailable counts what the system would give back (file caches); free pages alone would refuse what fits.
    told = _meminfo(root, "MemAvailable")
    if told is not None or root != Path("/"):
        return told
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not Linux
        return None


def _meminfo(root: Path, name: str) -> int | None:
    for line in _lines(root / "proc/meminfo"):
        key, _, value = line.partition(":")
        if key == name:
            with suppress(ValueError, IndexError):
                return int(value.split()[0]) * 1024
    return None


def _address_space() -> int | None:
    """The limit that `ulimit -v` sets; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _left_of_address_space(root: Path) -> int | None:
    limit = _address_space()
    try:
        if limit is not None:
            return limit - int(_lines(root / "proc/self/statm")[0].split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    return None


def _groups(root: Path) -> tuple[tuple[Path, Names], ...]:
    """The folders of all groups of memory that the process is in, from its own outwards, and what their files are called."""
    return _found(root, tuple(_lines(root / "proc/self/cgroup")))


@lru_cache(maxsize=4)
def _found(root: Path, told: tuple[str, ...]) -> tuple[tuple[Path, Names], ...]:
    """Find the groups of /proc/self/cgroup. Where they are mounted is looked up once, as each capture asks."""
    found: list[tuple[Path, Names]] = []
    mounts = [line.split() for line in _lines(root / "proc/self/mountinfo")]
    for line in told:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")  # "4:memory:/docker/1a2b", or in version 2 "0::/docker/1a2b"
        if controllers and "memory" not in controllers.split(","):
            continue
        kind, names = ("cgroup", V1) if controllers else ("cgroup2", V2)
        for mounted in mounts:
            after = mounted[mounted.index("-") + 1 :] if "-" in mounted else []  # its kind, its source, its options
            if after[:1] != [kind] or (controllers and "memory" not in after[-1].split(",")):
                continue
            top, inside = root / mounted[4].lstrip("/"), _inside(path, mounted[3])
            folders = (top / inside, *(top / one for one in inside.parents))
            found += [(folder, names) for folder in folders if (folder / names[0]).is_file()]
    return tuple(found)


def _inside(path: str, mounted: str) -> PurePosixPath:
    """A group by its path from the folder that is mounted. A container may see only its own, by a path from outside."""
    if ".." in path or ".." in mounted:
        return PurePosixPath()
    try:
        return PurePosixPath(path).relative_to(mounted)
    except ValueError:
        return PurePosixPath()


def _limit(folder: Path, names: Names) -> int | None:
    """Read the limit of a group; None where it has none."""
    limit = _number(folder / names[0])
    return None if limit is None or limit >= UNLIMITED else limit


def _left(folder: Path, names: Names) -> int | None:
    """Tell how many bytes a group leaves; None where it has no limit."""
    limit, used = _limit(folder, names), _number(folder / names[1])
    if limit is None or used is None:
        return None
    stat = dict(pair for line in _lines(folder / "memory.stat") if len(pair := line.split()) == 2)
    return limit - used + int(stat.get(names[2], 0))


def _number(file: Path) -> int | None:
    """Read the number in a file; None for "max", and where there is none."""
    try:
        return int(file.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
