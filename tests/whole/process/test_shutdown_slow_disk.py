"""A disk that takes long to delete: the server still ends in time, and what it could not delete is found by the next start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from vizapp.ui.server import run_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends its server by a signal")

# A server's end without the rest of a server: its folder, a page that is open, and the signal that Ctrl-C sends, once or twice.
# The disk deletes two files and then no more; whichever thread asks it is held up for as long as the process lives.
ENDING = """
import os, signal, time
from vizapp.ui.server import folder, shutdown

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

def end(twice):
    files, real, done = folder.current(), os.unlink, []
    print(files.path, flush=True)
    for number in range(5):
        (files.path / f"{number}").mkdir()
        (files.path / f"{number}" / "visitor.png").write_bytes(bytes(200_000))

    def unlink(*asked, **how):
        if len(done) == 2:
            twice and interrupt()
            time.sleep(60)
        done.append(asked)
        return real(*asked, **how)

    class Page:
        @property
        def is_running(self):  # asked as soon as it waits for a signal
            interrupt()
            return True

        def close(self, verbose):
            pass

    os.unlink = os.remove = unlink
    shutdown.stay(Page())

for twice in (False, True):
    server = os.fork()
    if not server:
        os.environ["GRADIO_TEMP_DIR"] += f"/{twice}"
        end(twice)
    print(os.waitpid(server, 0)[1], flush=True)
"""


def test_what_a_slow_disk_keeps_is_renamed_told_and_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """425 MB after eight busy minutes stayed for ever, in two of five ends: under their name, and without a lock."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.delenv("VIZAPP_FOLDER", raising=False)
    done = subprocess.run(
        [sys.executable, "-c", ENDING], cwd=ROOT, capture_output=True, text=True, timeout=90, check=True
    )
    one, code, other, code_in_a_hurry = done.stdout.split()
    assert (code, code_in_a_hurry) == ("0", "0")
    for own, said in zip((one, other), done.stderr.splitlines(), strict=True):
        assert not Path(own).exists(), "renamed first, always"
        (gone,) = Path(own).parent.glob(f"{Path(own).name}.gone-*")
        left = len(list(gone.rglob("*.png")))
        assert 0 < left < 5
        assert said == (
            f"vizapp: the server ended before {left} files ({0.2 * left:.1f} MB) were deleted: they lie in {gone} until the "
            "next start"
        )
        monkeypatch.setenv("GRADIO_TEMP_DIR", str(gone.parent))
        assert run_folder.remove_leftovers() == 1
        assert list(gone.parent.iterdir()) == [], "the next start finds it"


def test_a_folder_without_a_lock_and_a_renamed_one_are_swept_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upload that comes to its end while the folder is deleted makes its folder anew."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.delenv("VIZAPP_FOLDER", raising=False)
    lives = run_folder.own()
    left = lives.path.with_name(f"{lives.path.name[:-8]}abcdefgh")
    foreign = [tmp_path / name for name in ("vizapp-notes", f"{left.name}-notes", f"{left.name[:-8]}my-notes-2")]
    for one in (left, left.with_name(f"{left.name}.gone-0123abcd"), *foreign):
        (one / "tmp").mkdir(parents=True)
        (one / "tmp" / "picture.png").write_bytes(b"x")
    assert run_folder.remove_leftovers() == 2
    assert sorted(tmp_path.iterdir()) == sorted([lives.path, *foreign])
    lives.release()
