"""Run fuzzers in a process of their own, and name what they slip on, hang on or die of."""

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


def slips(asked: dict[str, tuple[int, int]]) -> dict[str, dict[int, str]]:
    """Fuzzer -> case -> what went wrong, of what is `asked`: the first case and how many. After a death or a hang it goes on with
    the next case.
    """
    found: dict[str, dict[int, str]] = {name: {} for name in asked}
    left = asked
    while left:
        left = _run(left, found)
    return found


def _run(asked: dict[str, tuple[int, int]], found: dict[str, dict[int, str]]) -> dict[str, tuple[int, int]]:
    """All cases, until the process ends; what is left to ask after that."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as terminal:
        paths = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
        words = [f"{name}:{first}:{count}" for name, (first, count) in asked.items()]
        places = {"PYTHONPATH": paths, "XDG_CACHE_HOME": f"{folder}/cache", "GRADIO_TEMP_DIR": f"{folder}/gradio"}
        child = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "support.fuzz.child", folder, *words],
            stdout=subprocess.PIPE,
            stderr=terminal,
            cwd=folder,
            env=os.environ | places | NOTHING,
        )
        assert child.stdout is not None
        lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_pass_on, args=(child.stdout, lines), daemon=True).start()
        name, at, tries, is_ready = "", 0, "", False
        try:
            while True:
                said = json.loads(lines.get(timeout=LONGEST if is_ready else BEGINS) or "{}")
                if not said:
                    terminal.seek(0)
                    why = terminal.read()[-3000:].decode(errors="replace")
                    assert is_ready, f"{name} does not begin:\n{why}"
                    found[name][at] = f"{tries}\ndied with {child.wait()}:\n{why}"
                    return _after(asked, name, at)
                if "over" in said:
                    return {}
                name, is_ready = said.get("prepares", name), "prepares" not in said
                at, tries = said.get("begin", at), said.get("tries", "" if "begin" in said else tries)
                if "slip" in said:
                    found[name][at] = f"{tries}\n{said['slip']}"
        except Empty:
            assert is_ready, f"{name} does not begin"
            found[name][at] = f"{tries}\nhangs: no end after {LONGEST:.0f} s"
            return _after(asked, name, at)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()


def _after(asked: dict[str, tuple[int, int]], name: str, at: int) -> dict[str, tuple[int, int]]:
    """What is left of what was asked after case `at` of fuzzer `name`."""
    names, (first, count) = list(asked), asked[name]
    left = {one: asked[one] for one in names[names.index(name) + 1 :]}
    return left if at + 1 == first + count else {name: (at + 1, first + count - at - 1), **left}


def _pass_on(stream: Any, lines: SimpleQueue[bytes]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(b"")
