"""`python launch.py`, as a process of its own: it starts anywhere, says one line, and ends when it is told to."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from support.paths import ROOT
from support.serving import Server
from support.waiting import patience

LAUNCH = ROOT / "launch.py"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends its server by a signal")


def environment(**changes: str) -> dict[str, str]:
    """As of a user who has not set anything, and without a network."""
    ours = ("SPACE", "SYSTEM", "GRADIO_", "DISPLAY", "WAYLAND_DISPLAY", "HF_HUB_OFFLINE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"HF_HUB_OFFLINE": "1"} | changes


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Run launch.py in a folder that is not its own."""
    running: list[subprocess.Popen] = []

    def run(*options: str, **changes: str) -> subprocess.Popen:
        changes = {"GRADIO_TEMP_DIR": str(tmp_path / "gradio")} | changes
        process = subprocess.Popen(
            [sys.executable, str(LAUNCH), "--device", "cpu", *options],
            cwd=tmp_path,
            env=environment(**changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a parent may ignore it
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


def first_lines(process: subprocess.Popen, n: int) -> list[str]:
    """What it says first. Who says nothing for long is stopped."""
    lines: list[str] = []
    patience = threading.Timer(240, process.kill)
    patience.start()
    try:
        while len(lines) < n:
            line = process.stdout.readline()
            assert line, f"it ended: {process.stderr.read()}"
            lines.append(line.rstrip("\n"))
    finally:
        patience.cancel()
    return lines


def config(url: str) -> dict:
    return httpx.get(f"{url}config", timeout=60).json()


def ends(process: subprocess.Popen) -> tuple[str, str]:
    """Ctrl-C; (what it still printed, its errors)."""
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)
    assert process.returncode == 0
    return said


def test_it_starts_anywhere_finds_a_port_and_ends_on_ctrl_c(
    start: Callable[..., subprocess.Popen], tmp_path: Path
) -> None:
    """In Python's development mode, so that what a visited page leaves open is told; without a network that knows photos."""
    strict = {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error::ResourceWarning"}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start("--no-browser", "--port", str(port), XDG_CACHE_HOME=str(tmp_path / "cache"), **strict)
        starting, busy, ready, told = first_lines(process, 4)
    found = re.fullmatch(r"vizapp: (http://127\.0\.0\.1:(\d+)/) \u00b7 cpu \u00b7 toy \u00b7 Ctrl-C stops it", ready)
    assert found, ready
    assert starting == "vizapp: starting ..."
    assert busy == f"vizapp: port {port} is taken, using {found[2]}"
    assert int(found[2]) > port
    assert told.startswith("vizapp: for photos, `vizapp get photos` fetches DeiT-Ti: 23 MB, from Hugging Face")
    with httpx.Client(timeout=patience()) as http:
        assert http.get(found[1]).status_code == 200
        server = Server(found[1], http)
        picture = (ROOT / "assets" / "examples" / "scene-1.jpg").read_bytes()
        assert "file" in server.analyse(server.upload(picture), "toy")
    boxes = [part["props"] for part in config(found[1])["components"] if part["type"] == "dropdown"]
    assert boxes[0]["value"] == "toy"
    assert boxes[0]["allow_custom_value"] is True, "at home, any model may be named"
    gradios = re.compile("unclosed event loop|unclosed <socket.socket fd=\\d+, family=1,")  # of its queue
    left = [line for line in "".join(ends(process)).splitlines() if line.startswith("ResourceWarning: ")]
    assert left, "warnings are told"
    assert [line for line in left if not gradios.search(line)] == []
    with pytest.raises(httpx.ConnectError):
        httpx.get(found[1])
    assert [path.name for path in tmp_path.iterdir() if path.name not in {"cache", "gradio"}] == []
