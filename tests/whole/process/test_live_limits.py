"""Limits of memory that the system keeps."""

import pytest

from support.cgroups import GIB, run_in


@pytest.mark.parametrize("by", ["cgroup", "ulimit"])
def test_a_live_limit_is_read(by: str) -> None:
    """In a process that has 3 GiB, as it sees itself."""
    done = run_in(3 * GIB, "from vizapp.memory import free_memory; print(free_memory())", by=by)
    assert done.returncode == 0, done.stderr
    assert 2 * GIB < int(done.stdout) <= 3 * GIB
