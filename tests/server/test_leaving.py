"""How the server stops, as a process of its own: at once, also during a run, and nothing of it stays on the disk."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from checkpoints import save_vit

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends its server by a signal")
MOST = 2.0  # seconds until it must have left
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
        process = subprocess.Popen(
            [
                sys.executable,
                str(ROOT / "launch.py"),
                "--device",
                "cpu",
                "--no-browser",
                "--port",
                "7990",
                "--model",
                model,
            ],
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


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that looks at a picture for many seconds, and for more than one of them within a layer."""
    path = tmp_path_factory.mktemp("slow") / "slow.safetensors"
    return save_vit(path, img_size=640, patch_size=8, depth=24, num_heads=6, embed_dim=48)


def upload(url: str) -> str:
    picture = (ROOT / "assets" / "examples" / "scene-1.jpg").read_bytes()
    return httpx.post(f"{url}gradio_api/upload", files={"files": ("scene.jpg", picture)}).json()[0]


def running(url: str, model: str) -> None:
    """Ask for maps, and wait until they are being computed."""
    data = [{"path": upload(url), "meta": {"_type": "gradio.FileData"}}, model, "as_trained"]
    event = httpx.post(f"{url}gradio_api/call/look", json={"data": data}).json()["event_id"]
    said = list[str]()

    def listen() -> None:
        with (
            suppress(httpx.HTTPError),
            httpx.stream("GET", f"{url}gradio_api/call/look/{event}", timeout=60) as answer,
        ):
            said.extend(answer.iter_lines())

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    time.sleep(1.0)
    assert listener.is_alive(), f"the run was over at once: {said}"


def leaves(process: subprocess.Popen[str], number: int) -> None:
    """Send the signal: the process ends in good order within two seconds, or as many more as others use its processors."""
    busy = min(3.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    began = time.monotonic()
    process.send_signal(number)
    process.wait(60)
    took = time.monotonic() - began
    assert process.returncode == 0
    assert "Traceback" not in process.stderr.read()  # type: ignore[union-attr]
    assert took < MOST * busy


def test_sigterm_ends_it_during_a_run_and_deletes_its_files(start: Starter, slow: str) -> None:
    """9 s before, and the files stayed."""
    process, url, folder = start(slow)
    running(url, slow)
    assert any(folder.rglob("scene.jpg"))
    leaves(process, signal.SIGTERM)
    assert not folder.exists()


def test_what_kill_9_leaves_is_swept_by_the_next_start_which_ctrl_c_ends(start: Starter, slow: str) -> None:
    """The first without any HOME, the second with one that cannot be written: nothing is kept there."""
    process, url, left = start(slow, HOME=None)
    assert Path(upload(url)).is_relative_to(left)
    process.kill()
    process.wait()
    assert any(left.rglob("scene.jpg")), "nobody could clean up"
    process, url, folder = start(slow, HOME="/proc/nowhere")
    end = time.monotonic() + 10
    while left.exists():
        assert time.monotonic() < end, "it is never swept"
        time.sleep(0.02)
    running(url, slow)
    leaves(process, signal.SIGINT)
    assert not folder.exists()
