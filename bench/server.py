"""`python launch.py` in a process of its own, for as long as a `with` block lasts."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LONGEST = 180  # seconds until we give up on a start


@contextmanager
def started(model: str) -> Iterator[tuple[str, float]]:
    """(url, seconds from the start of the process to the first answer)."""
    began = time.perf_counter()
    with running(model) as (url, _):
        yield url, time.perf_counter() - began


@contextmanager
def running(
    model: str, root: Path = ROOT, program: Sequence[str] = ("launch.py",)
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """(url, process) of a server that answers, from the checkout at `root`."""
    options = ["--device", "cpu", "--port", str(unused_port()), "--model", model, "--no-browser"]
    command = [sys.executable, *program, *options]
    with TemporaryDirectory() as folder, (log := Path(folder, "log")).open("w") as output:
        uploads = str(Path(folder, "uploads"))
        environment = os.environ | {"GRADIO_TEMP_DIR": uploads, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(root)}
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=root, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            while not ((url := address_in(log.read_text("utf-8"))) and answers(url)):
                if process.poll() is not None or time.perf_counter() - began > LONGEST:
                    raise RuntimeError(f"launch.py did not start ({process.poll()}): {log.read_text('utf-8')}")
                time.sleep(0.02)
            yield url, process
        finally:
            process.terminate()
            process.wait()


def address_in(said: str) -> str | None:
    """The address that launch.py has printed: with the port that it got, which need not be the one that was unused before."""
    found = re.search(r"^vizapp: (http://[\w.:\[\]]+/) ", said, re.MULTILINE)
    return found[1] if found else None


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def held(pid: int | str, what: str = "VmRSS") -> float:
    """Bytes of a process that are in memory, libraries included, as Linux tells it; "VmHWM": the most that ever were."""
    found = re.search(rf"^{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"), re.MULTILINE)
    assert found, "only Linux tells"
    return 1024.0 * int(found[1])


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
