"""The server's folder of files, seen by other processes and users, on a full disk, and while a thread sweeps it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vizapp.ui.server.folder import Folder

posix = pytest.mark.skipif(os.name != "posix", reason="a matter of POSIX systems")

Opener = Callable[..., Folder]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "base"))
    monkeypatch.delenv("VIZAPP_FOLDER", raising=False)
    monkeypatch.delenv("VIZAPP_KEY", raising=False)
    return tmp_path / "base"


@pytest.fixture
def opened(base: Path) -> Iterator[Opener]:
    folders: list[Folder] = []

    def open_one(*arguments: object, **options: object) -> Folder:
        folders.append(Folder(*arguments, **options))  # type: ignore[arg-type]
        return folders[-1]

    yield open_one
    for one in folders:
        one.close()
