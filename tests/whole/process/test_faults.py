"""What goes wrong around the program (docs/security.md): the tests that show it exist, and those that stand nowhere else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT

WITHOUT = 'mount -t tmpfs -o size=4k,ro tmpfs /dev/shm && exec "$@"'  # for this process and its children only


def without_shared_memory(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program where nothing can be written to /dev/shm. Skips, with the reason, where that cannot be."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare on this machine: /dev/shm cannot be taken away")
    inside = [unshare, "--mount", "--propagation", "private", "sh", "-c", WITHOUT, "sh"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("this machine lets nobody take /dev/shm away")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"} | variables
    return subprocess.run(
        [*inside, sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


PAGE = """
import os
try:
    open("/dev/shm/probe", "w")
except OSError as error:
    print("no shared memory:", error.strerror)
import sys
sys.path.insert(0, "tests")
from support.serving import serving
with serving("toy", public=True) as page:
    path = page.upload(open("assets/examples/scene-1.jpg", "rb").read())
    print("maps", len(page.http.get(page.analyse(path, "toy")["file"]["url"]).content) > 100_000)
    print("rows", len(page.ask("compare", picture=path, methods=["chefer"], steps=1)["rows"]))
from vizapp.cli import main
asked = ["--model", "toy", "--set", "clutter", "--count", "2", "--methods", "rollout", "--workers", "2"]
print("evaluated", main(["evaluate", *asked, "-o", sys.argv[1]]), file=sys.stderr)
"""


def test_a_page_and_an_evaluation_by_two_processes_work_without_shared_memory(tmp_path: Path) -> None:
    """A look and a comparison. The locks of `multiprocessing.Pool` lie there: a traceback before."""
    done = without_shared_memory("-c", PAGE, str(tmp_path / "r.csv"), TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if not line.startswith("vizapp: port")]  # others listen, too
    assert said[:3] == ["no shared memory: Read-only file system", "maps True", "rows 3"]
    assert "evaluated 0" in done.stderr.splitlines()
    assert (tmp_path / "r.csv").is_file()
