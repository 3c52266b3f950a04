"""Run a fuzzer in a process of its own, and name what it slips on, hangs on or dies of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

TESTS = Path(__file__).parents[2]
BEGINS = 240.0  # seconds for imports, on a slow and busy machine
LONGEST = 60.0  # seconds for one case
NOTHING = {"HF_HUB_OFFLINE": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0"}  # is fetched


def slips(name: str, first: int, count: int) -> dict[int, str]:
    """Case -> what went wrong. After a death or a hang it goes on with the next one."""
    found: dict[int, str] = {}
    at = first
    while at < first + count:
        at = _run(name, at, first + count - at, found)
    return found


def _run(name: str, first: int, count: int, found: dict[int, str]) -> int:
    """Cases from `first` on, until the process ends; the next one after that."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as terminal:
        paths = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
        places = {"PYTHONPATH": paths, "XDG_CACHE_HOME": folder, "GRADIO_TEMP_DIR": f"{folder}/gradio"}
        child = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "support.fuzz.child", name, str(first), str(count), folder],
            stdout=subprocess.PIPE,
            stderr=terminal,
            cwd=folder,
            env=os.environ | places | NOTHING,
        )
        assert child.stdout is not None
        lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_pass_on, args=(child.stdout, lines), daemon=True).start()
        at, tries, is_ready = first, "", False
        try:
            while True:
                said = json.loads(lines.get(timeout=LONGEST if is_ready else BEGINS) or "{}")
                if not said:
                    terminal.seek(0)
                    why = terminal.read()[-3000:].decode(errors="replace")
                    assert is_ready, f"{name} does not begin:\n{why}"
                    found[at] = f"{tries}\ndied with {child.wait()}:\n{why}"
                    return at + 1
                if "over" in said:
                    return first + count
                is_ready = True
                at, tries = said.get("begin", at), said.get("tries", "" if "begin" in said else tries)
                if "slip" in said:
                    found[at] = f"{tries}\n{said['slip']}"
        except Empty:
            found[at] = f"{tries}\nhangs: no end after {LONGEST:.0f} s"
            return at + 1
        finally:
            child.kill()
            child.wait()
            child.stdout.close()


def _pass_on(stream: Any, lines: SimpleQueue[bytes]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(b"")
