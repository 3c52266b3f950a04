"""How the server stops, as a process of its own: at once, also during a run or on a slow disk, and nothing stays on the disk."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from support.paths import ROOT
from support.starting import in_python
from support.waiting import patience, until
from vizapp.ui.server import run_folder, shutdown
from vizapp.ui.server.address import any_port

pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends its server by a signal")
# launch.py, whose networks never come to an end inside of PyTorch as soon as there is a file `endless`.
PROGRAM = """
import pathlib, runpy, sys, torch
def never(*given):
    if pathlib.Path("endless").exists():
        pathlib.Path("computing").touch()
        while True:
            torch.ones(600, 600) @ torch.ones(600, 600)
torch.nn.modules.module.register_module_forward_pre_hook(never)
sys.argv[0] = "launch.py"
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""
Starter = Callable[..., tuple[subprocess.Popen[str], str, Path]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Run the page; (process, its address, its folder). With a HOME that cannot be written, or none, as the test says."""
    running: list[subprocess.Popen[str]] = []

    def run(model: str, **changes: str | None) -> tuple[subprocess.Popen[str], str, Path]:
        kept = {name: one for name, one in os.environ.items() if not name.startswith(("GRADIO_", "SPACE", "VIZAPP_F"))}
        changed = kept | {"HF_HUB_OFFLINE": "1", "TMPDIR": str(tmp_path / "tmp")} | changes
        (tmp_path / "tmp").mkdir(exist_ok=True)
        before = set((tmp_path / "tmp").iterdir())
        port = any_port("127.0.0.1")  # the next one, should somebody take it meanwhile: see the line that is read
        options = ["--device", "cpu", "--no-browser", "--port", str(port), "--model", model]
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(ROOT / "launch.py"), *options],
            cwd=tmp_path,
            env={name: one for name, one in changed.items() if one is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a parent may ignore it
        )
        running.append(process)
        url, lines = None, []
        while not url:
            lines.append(process.stdout.readline())  # type: ignore[union-attr]
            assert lines[-1], process.communicate()[1]
            url = re.search(r"http://[\d.:]+/", lines[-1])
        (folder,) = (path for path in set((tmp_path / "tmp").iterdir()) - before if path.name.startswith("vizapp-"))
        return process, url[0], folder

    yield run
    for process in running:
        process.kill()
        process.communicate()


def upload(url: str) -> str:
    picture = (ROOT / "assets" / "examples" / "scene-1.jpg").read_bytes()
    return httpx.post(f"{url}gradio_api/upload", files={"files": ("scene.jpg", picture)}).json()[0]


def running(url: str, files: Path) -> None:
    """Ask for maps, and wait until they are being computed, which does not end."""
    (files / "endless").touch()
    data = [{"path": upload(url), "meta": {"_type": "gradio.FileData"}}, "toy", "as_trained"]
    event = httpx.post(f"{url}gradio_api/call/look", json={"data": data}).json()["event_id"]

    def listen() -> None:
        with suppress(httpx.HTTPError):
            httpx.get(f"{url}gradio_api/call/look/{event}", timeout=patience())

    threading.Thread(target=listen, daemon=True).start()
    until((files / "computing").exists)


def test_what_kill_9_leaves_is_swept_by_the_next_start_which_sigterm_ends_during_a_run(
    start: Starter, tmp_path: Path
) -> None:
    """The first without any HOME, the second with one that cannot be written: nothing is kept there."""
    process, url, left = start("toy", HOME=None)
    assert Path(upload(url)).is_relative_to(left)
    process.kill()
    process.wait()
    assert any(left.rglob("scene.jpg")), "nobody could clean up"
    process, url, folder = start("toy", HOME="/proc/nowhere")
    until(lambda: not left.exists())
    running(url, tmp_path)
    assert any(folder.rglob("scene.jpg"))
    assert shutdown.MOST <= 2, "seconds, as docs/files.md says"
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=patience())
    assert process.returncode == 0
    assert "Traceback" not in said
    assert not folder.exists()


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
    done = in_python(ENDING)
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
