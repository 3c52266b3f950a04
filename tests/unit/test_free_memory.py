"""What is free is what the container leaves, not what the machine has: control groups of both versions, nested, from made trees;
and a live one where the machine allows it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.cgroups import GIB
from vizapp.memory import free_memory, memory_limit

HOST = 64 * GIB  # free on the machine
NO_LIMIT = 9223372036854771712  # as version 1 says it
V1_MOUNT = "32 31 0:32 {root} /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
V2_MOUNT = "31 23 0:28 {root} /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"


def machine(root: Path, mounts: str, groups: str) -> Path:
    """A folder that looks like the root of a machine with 128 GiB, of which half is free."""
    files = {
        "proc/meminfo": f"MemTotal: {2 * HOST // 1024} kB\nMemFree: 1 kB\nMemAvailable:   {HOST // 1024} kB\n",
        "proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/vda rw\n" + mounts,
        "proc/self/cgroup": groups,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def v1(root: Path, path: str, limit: int, used: int, cache: int = 0) -> None:
    folder = root / "sys/fs/cgroup/memory" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
    (folder / "memory.usage_in_bytes").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"cache 1\ninactive_file 5\ntotal_inactive_file {cache}\ntotal_rss 77\n")


def v2(root: Path, path: str, limit: int | str, used: int, cache: int = 0) -> None:
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\nfile 2\ninactive_file {cache}\nactive_file 9\n")


IN_BOX, IN_DOCKER = "0::/box\n", "9:cpu:/elsewhere\n4:memory:/docker/1a\n"
V1, V2 = V1_MOUNT.format(root="/"), V2_MOUNT.format(root="/")


@pytest.mark.parametrize(
    ("mount", "line", "make", "free", "limit"),
    [
        ("", "", lambda root: None, HOST, 2 * HOST),
        (V2, IN_BOX, lambda root: v2(root, "box", 2 * GIB, GIB, cache=GIB // 2), GIB + GIB // 2, 2 * GIB),
        (V1, IN_DOCKER, lambda root: v1(root, "docker/1a", 2 * GIB, GIB, cache=GIB // 2), GIB + GIB // 2, 2 * GIB),
        (V1, "4:memory:/box\n", lambda root: v1(root, "box", NO_LIMIT, GIB), HOST, 2 * HOST),
        (V2, IN_BOX, lambda root: v2(root, "box", GIB, 2 * GIB), 0, GIB),
    ],
    ids=["no groups", "version 2 and a cache", "version 1 and a cache", "no limit of version 1", "more than the limit"],
)
def test_what_is_free_in_one_group(
    tmp_path: Path, mount: str, line: str, make: Callable[[Path], None], free: int, limit: int
) -> None:
    root = machine(tmp_path, mount, line)
    make(root)
    assert (free_memory(root), memory_limit(root)) == (free, limit)


@pytest.mark.parametrize(("outer", "inner", "left"), [(3, 2, 1), (2, 3, 1), (2, "max", 1), ("max", "max", 64)])
def test_the_smallest_group_on_the_way_counts(tmp_path: Path, outer: int | str, inner: int | str, left: int) -> None:
    """A pod with a limit around containers with others, or with none ("max")."""
    root = machine(tmp_path, V2_MOUNT.format(root="/"), "0::/pod/box/run\n")
    for path, limit in (("pod", outer), ("pod/box", inner), ("pod/box/run", "max")):
        v2(root, path, limit if isinstance(limit, str) else limit * GIB, GIB)
    assert free_memory(root) == left * GIB


@pytest.mark.parametrize("named", ["/docker/1a", "/docker/1a/inner", "/../other"])
def test_a_container_that_sees_its_own_group_only(tmp_path: Path, named: str) -> None:
    """Docker mounts the container's group over the root of all, while /proc goes on naming it from outside."""
    for version, (mount, make) in {"v1": (V1_MOUNT, v1), "v2": (V2_MOUNT, v2)}.items():
        line = f"4:memory:{named}\n" if version == "v1" else f"0::{named}\n"
        root = machine(tmp_path / version, mount.format(root="/docker/1a"), line)
        make(root, "", 2 * GIB, GIB)
        make(root, "inner", 4 * GIB, GIB)
        assert free_memory(root) == GIB


def test_both_versions_at_once(tmp_path: Path) -> None:
    """As on machines where memory is still ruled by version 1 and version 2 is mounted beside it, without limits."""
    beside = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
    root = machine(tmp_path, V1_MOUNT.format(root="/") + beside, "4:cpu,memory:/box\n0::/\n")
    v1(root, "box", GIB, 100)
    (root / "sys/fs/cgroup/unified").mkdir()
    assert free_memory(root) == GIB - 100


@pytest.mark.parametrize("said", ["", "nonsense\n", "0:\n", "a:b:c:d\n", "0::\n"])
def test_nonsense_is_passed_over(tmp_path: Path, said: str) -> None:
    root = machine(tmp_path, "x\n" + V2_MOUNT.format(root="/") + "- -\n", said)
    (root / "proc/meminfo").write_text("MemAvailable: many\n")
    assert free_memory(root) is None
    (root / "sys/fs/cgroup").mkdir(parents=True)
    (root / "sys/fs/cgroup/memory.max").write_text("\xff", "latin-1")
    assert memory_limit(root) is None
