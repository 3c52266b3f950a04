"""The server's folder of files, seen by other processes and users, on a full disk, and while a thread sweeps it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.folder_of_files import Opener, posix
from support.paths import ROOT
from support.starting import in_python
from support.waiting import until
from vizapp.errors import VizError
from vizapp.ui.server.folder import Folder


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="becomes another user, which only root can")
def test_a_second_user_of_the_machine_gets_a_folder(tmp_path: Path) -> None:
    """Where the first one's Gradio has taken the name that everybody's Gradio would use."""
    public = Path("/tmp") / f"public-{os.getpid()}"
    public.mkdir()
    try:
        public.chmod(0o1777)
        (public / "gradio").mkdir(mode=0o700)
        code = "import os; from vizapp.ui.server import run_folder; os.setuid(65534); print(run_folder.own().path)"
        environment = {name: one for name, one in os.environ.items() if name not in {"GRADIO_TEMP_DIR", "HOME"}}
        shared = environment | {"TMPDIR": str(public), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=shared, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).parent == public
    finally:
        shutil.rmtree(public)


def test_the_sweeper_goes_on_after_any_error(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    rounds = [0]

    def fails(self: Folder) -> None:
        rounds[0] += 1
        raise RuntimeError("no idea")

    monkeypatch.setattr(Folder, "sweep", fails)
    opened(every=0.01)
    until(lambda: rounds[0] > 3)
    assert "sweeping the folder of files failed: RuntimeError('no idea')" in capsys.readouterr().err


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True)
    if not done or done.returncode:
        pytest.skip("this machine lets nobody mount a tmpfs: the test by a limit of the process stands in for it")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_is_said_in_words_and_leaves_no_part(
    opened: Opener, base: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(small_disk))
    # A sweep that comes while the table has filled the disk makes room, as it should.
    monkeypatch.setattr(Folder, "_sweeping", lambda files, every: None)
    files = opened()
    old = files.put("old", bytes(600_000), ".bin")
    (small_disk / "foreign").write_bytes(bytes(1_300_000))  # somebody else takes the rest
    new = files.put("new", bytes(100_000), ".bin")
    assert new.exists()
    assert not old.exists(), "what is old makes room"
    with pytest.raises(VizError, match="no room left"):
        files.put("large", bytes(1_500_000), ".bin")
    with pytest.raises(VizError, match="no room left"), files.filling("table", b"key") as folder:
        (folder / "methods.csv").write_bytes(bytes(1_500_000))
    left = sorted(path.name for path in files.path.iterdir())
    assert left == [".lock", new.name], "what would not have been enough is not deleted"


LIMITED = """
import resource, signal
from vizapp.errors import VizError
from vizapp.ui.server.folder import current
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
files = current()
try:
    files.put("large", bytes(5000), ".bin")
except VizError as error:
    print(error)
print([path.name for path in files.path.iterdir()])
"""


@posix
def test_a_limit_of_the_process_is_said_as_a_full_disk(base: Path) -> None:
    said, left = in_python(LIMITED).stdout.splitlines()
    assert "no room left" in said
    assert left == "['.lock']"
