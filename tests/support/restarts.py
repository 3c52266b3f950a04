"""A server that is killed and started again at the same port."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bench.server import ROOT, answers
from support.waiting import until

# Servers one after the other, each in a fork of a process that has imported what takes seconds: a line for each is its folder.
SERVERS = """
import os, runpy, sys
import vizapp.ui.app
for line in sys.stdin:
    server = os.fork()
    if not server:
        os.dup2(2, 1)
        os.environ["GRADIO_TEMP_DIR"] = line.strip()
        sys.argv[0] = "launch.py"
        runpy.run_path("launch.py", run_name="__main__")
        os._exit(0)
    print(server, flush=True)
    os.waitpid(server, 0)
    print("gone", flush=True)
"""


@contextmanager
def servers(port: int) -> Iterator[Callable[[Path], AbstractContextManager[None]]]:
    """What runs a server at this port, with its files in a folder, until it is killed."""
    options = ["--model", "toy", "--device", "cpu", "--port", str(port), "--no-browser"]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVERS, *options],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        said = parent.stdout

        @contextmanager
        def running(files: Path) -> Iterator[None]:
            print(files, file=parent.stdin, flush=True)
            server = int(said.readline())
            try:
                until(lambda: answers(f"http://127.0.0.1:{port}/") or not Path(f"/proc/{server}/exe").exists())
                assert answers(f"http://127.0.0.1:{port}/")
                yield
            finally:
                os.kill(server, signal.SIGKILL)  # as a machine that loses its power: nothing is put in order
                assert said.readline() == "gone\n"

        try:
            yield running
        finally:
            parent.kill()
