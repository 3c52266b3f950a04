"""Weights in a file of the Hugging Face hub, or of its mirror (HF_ENDPOINT), by one revision and one sha256.

assets/hub.json has both; `python -m train.pin` fills them in. While they are empty, a download is the hub's latest, and is
checked by the hash that the hub itself gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vizapp.errors import NotDownloaded, VizError
from vizapp.model.downloads import heard
from vizapp.model.fetch import FULL, Progress, sha256_of
from vizapp.model.hub import answers, in_words
from vizapp.wording import Text

PINNED = Path(__file__).parents[1] / "assets" / "hub.json"


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
    def known(cls, repository: str) -> HubFile:
        """Return the file of a repository as assets/hub.json has it."""
        return cls(repository, **json.loads(PINNED.read_text("utf-8"))[repository])

    @property
    def source(self) -> str:
        return f"{self.repository}@{self.revision}" if self.revision else self.repository

    @property
    def way(self) -> Text:
        return Text("from Hugging Face")

    @property
    def doubt(self) -> Text | None:
        return None if self.sha256 else Text("Checked by Hugging Face's checksum.")

    def elsewhere(self) -> Path | None:
        """Return the copy in the cache that all programs share, if timm or another one has fetched it."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(self.repository, self.file)
        return Path(found) if isinstance(found, str) else None

    def check(self, file: Path) -> None:
        """Raise `VizError` if the file is another one. Unless its hash is pinned, the hub is asked for it."""
        expected, got = self.sha256 or self._said().etag or "", sha256_of(file)
        if not re.fullmatch("[0-9a-f]{64}", expected):
            raise NotDownloaded("The hub gives no sha256 of {source}, so it cannot be checked.", source=self.source)
        if got != expected:
            raise VizError(
                "The file of {source} is not the expected one: its sha256 is {got}, not {expected}.",
                "It was not opened. Fetch it again; if the result is the same, the hub or its mirror holds another file.",
                source=self.source,
                got=got,
                expected=expected,
            )

    def download(self, folder: Path, on_progress: Progress, name: str) -> Path:
        """Fetch the file into `folder`, not into the shared cache: until it is checked, no other program may find it."""
        from huggingface_hub import hf_hub_download

        raised = list[BaseException]()

        def step(done: int, whole: int) -> None:
            try:
                on_progress(min(done, self.size))
            except BaseException as error:
                raised.append(error)
                raise

        with self._reached(raised), heard(step):
            return Path(hf_hub_download(self.repository, self.file, revision=self.revision or None, cache_dir=folder))

    def now(self, folder: Path) -> HubFile:
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
        if not answers():
            raise NotDownloaded(
                "The Hugging Face hub does not answer.", "Is there a network? HF_ENDPOINT names a mirror of the hub."
            )
        try:
            yield
        except Exception as error:  # the hub's library and the network each raise their own kinds
            is_full = isinstance(error, OSError) and error.errno in FULL
            if is_full or isinstance(error, VizError) or error in (ours or ()):
                raise
            raise NotDownloaded(
                "The hub did not give {source}: {why}.",
                "HF_ENDPOINT names a mirror of the hub.",
                source=self.source,
                why=in_words(error),
            ) from error
