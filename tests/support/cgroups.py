"""A Python program in a container of little memory: a control group of version 1 where one may be made, and `ulimit -v`.

run_in(2 * GIB, "print(1)")            # CompletedProcess; killed by the system (-9) if it takes more
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest

from support.paths import ROOT

GIB = 2**30
LONGEST = 120  # seconds
_numbers = itertools.count()

# Libraries reserve more address space than they ever use: the limit is set when they are there, as far above as a group leaves.
ULIMIT = """
import resource
said = dict(line.split(":") for line in open("/proc/self/status") if line.startswith("Vm"))
limit = {limit} + 1024 * (int(said["VmSize"].split()[0]) - int(said["VmRSS"].split()[0]))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""


def run_in(limit: int, program: str, imports: str = "", by: str = "") -> subprocess.CompletedProcess[str]:
    """Run `imports` and `program` with so many bytes, by="cgroup" or by="ulimit"; by what there is, if that is not said.

    Skips the test, with the reason, where that cannot be.
    """
    if by == "ulimit" or (not by and not may_make_groups()):
        if not sys.platform.startswith("linux"):
            pytest.skip("ulimit -v is kept by Linux")
        return _run(f"{imports}\n{ULIMIT.format(limit=limit)}{program}", None)
    with group(limit) as procs:
        return _run(f"{imports}\n{program}", procs)


@cache
def may_make_groups() -> bool:
    folder = _own_group()
    try:
        if folder is not None:
            (folder / f"vizapp-test-{os.getpid()}").mkdir()
            (folder / f"vizapp-test-{os.getpid()}").rmdir()
    except OSError:
        return False
    return folder is not None


@contextmanager
def group(limit: int) -> Iterator[Path]:
    """The file that takes the number of a process, of a new group inside of our own, which is removed at the end."""
    own = _own_group()
    if own is None:
        pytest.skip("no control group of version 1 for memory")
    folder = own / f"vizapp-test-{os.getpid()}-{next(_numbers)}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group may be made here: {error.strerror}")
    try:
        (folder / "memory.limit_in_bytes").write_text(str(limit))
        yield folder / "cgroup.procs"
    finally:
        with suppress(OSError):
            folder.rmdir()


def _own_group() -> Path | None:
    try:
        lines = Path("/proc/self/cgroup").read_text("ascii").splitlines()
    except OSError:
        return None
    path = next((line.split(":", 2)[2] for line in lines if "memory" in line.split(":")[1].split(",")), None)
    folder = None if path is None else Path("/sys/fs/cgroup/memory") / path.lstrip("/")
    return folder if folder is not None and (folder / "memory.limit_in_bytes").is_file() else None


def _run(program: str, procs: Path | None) -> subprocess.CompletedProcess[str]:
    joined = program if procs is None else f"import os\nopen({str(procs)!r}, 'w').write(str(os.getpid()))\n{program}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, "-c", joined], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST
    )
