"""The first maps are made before anybody asks for them; their file stays, and a server that ends gives them up in silence."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from support.folder_of_files import Opener, base, opened  # noqa: F401  fixtures
from support.waiting import patience
from vizapp.ui import early
from vizapp.ui.jobs import Stopped
from vizapp.ui.server.ledger import Caps
from vizapp.ui.words import words_for


def making() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "first maps"]


def test_the_file_of_the_first_maps_outlives_those_of_visitors(
    opened: Opener,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every page that is opened later asks for it by its address: a folder that is full deletes others in its place."""
    files = opened(Caps(total=1000, visitor=1000, files=100))
    # For this module alone: a thread of a page of another test would lay its files into the folder, too, and take its room.
    monkeypatch.setattr(early, "folder", SimpleNamespace(current=lambda: files))
    path = files.put("vizapp", b"m" * 400, ".bin")
    opening = early.Opening(words_for("en"), "", lambda: {"file": {"path": str(path)}, "bytes": 400, "first": {}})
    opening.make()
    for number in range(4):
        files.put("vizapp", bytes([number]) * 400, ".bin")
    assert path.exists()
    assert opening.value == {"file": {"url": early.FILE + path.as_posix()}, "bytes": 400, "first": {}}


def test_a_server_that_ends_meanwhile_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C while the first maps are being made: they are given up, without a traceback."""
    for thread in making():
        thread.join(patience())
    page = type("Page", (), {})()
    begun, ends = threading.Event(), threading.Event()

    def first() -> dict[str, Any]:
        begun.set()
        assert ends.wait(patience())
        raise Stopped("left")

    early.offer(page, {"en": early.Opening(words_for("en"), "", first)})
    early.make(page)
    assert begun.wait(patience())
    (thread,) = making()
    ends.set()
    thread.join(patience())
    assert capsys.readouterr().err == ""
