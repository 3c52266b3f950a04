"""A new language is one file: put into the tree, it is on the page; taken away, nothing is left of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
from sentences import ROOT

TABLE = '''"""A throw-away language."""

from vizapp.ui.words.en import SECTIONS as ENGLISH

SECTIONS = {**ENGLISH, "page": {**ENGLISH["page"], "compare": "xx-compare-xx", "tab_methods": "xx-methods-xx"}}
TEXTS = {}
'''
LEFT_OUT = shutil.ignore_patterns(
    ".git", "__pycache__", "node_modules", "build", "*.egg-info", "screenshots", ".*_cache"
)


def start(tree: Path) -> tuple[subprocess.Popen[str], str]:
    """`python launch.py` in a copy of the tree; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "launch.py", "--device", "cpu", "--port", str(port), "--no-browser"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "GRADIO_TEMP_DIR": str(tree / "files"), "PYTHONPATH": ""}
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    url = f"http://127.0.0.1:{port}/"
    until = time.monotonic() + 120
    while True:
        try:
            httpx.get(url, timeout=5)
            return process, url
        except httpx.TransportError:
            assert process.poll() is None, process.stdout.read() if process.stdout else ""
            assert time.monotonic() < until, "launch.py did not answer"
            time.sleep(0.3)


def pages(tree: Path) -> dict[str, str]:
    """What the server sends for each way to ask."""
    process, url = start(tree)
    asked = {"english": ("", {}), "address": ("?lang=xx", {}), "browser": ("", {"accept-language": "xx"})}
    try:
        return {
            name: httpx.get(url + query, headers=headers, follow_redirects=True, timeout=30).text
            for name, (query, headers) in asked.items()
        }
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_a_language_is_one_file(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT, symlinks=True)
    file = tree / "vizapp" / "ui" / "words" / "xx.py"
    file.write_text(TABLE, "utf-8")
    found = pages(tree)
    assert "xx-methods-xx" not in found["english"]
    for way in ("address", "browser"):
        assert "xx-methods-xx" in found[way]
        assert "xx-compare-xx" in found[way]
    file.unlink()
    after = pages(tree)
    assert "xx-methods-xx" not in "".join(after.values())
    assert '"pages":[["","Home",true]]' in after["address"].replace(", ", ","), "one page again"
