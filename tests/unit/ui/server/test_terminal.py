"""Lines of the log: each in one piece, none longer than was promised, whatever thread writes it and whatever it quotes."""

import io
import re
import sys
from collections.abc import Coroutine
from typing import Any

import pytest

from support.paths import ROOT
from vizapp.ui.server.access import AccessLog
from vizapp.ui.terminal import LONGEST, tell, tell_slip, writing_to
from vizapp.ui.threads import Hand

UI = ROOT / "vizapp" / "ui"


def done(work: Coroutine[Any, Any, None]) -> None:
    """Run what waits for nothing. A loop of its own it cannot have where a browser's runs in this thread."""
    with pytest.raises(StopIteration):
        work.send(None)


class Pieces(io.StringIO):
    """A terminal that keeps what it is told piece by piece: between two of them other threads write theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        self.pieces.append(text)
        return len(text)


def test_a_line_is_written_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """In two, the line of another thread came between the words and their end: vizapp: ....{"time": ...}."""
    terminal = Pieces()
    monkeypatch.setattr(sys, "stderr", terminal)
    tell("a line")
    assert terminal.pieces == ["vizapp: a line\n"]
    scope = {"type": "http", "method": "GET", "path": "/", "client": ("8.8.8.8", 1), "headers": []}

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def sent(message: Any) -> None:
        pass

    done(AccessLog(answered)(scope, sent, sent))
    try:
        raise RuntimeError("a slip of the program")
    except RuntimeError:
        tell_slip()
    for piece in terminal.pieces[1:]:
        assert piece.endswith("\n")
    assert len(terminal.pieces) == 3
    assert terminal.pieces[2].startswith("Traceback")


def test_nobody_writes_around_it() -> None:
    """`print` and `print_exc` write in pieces. A comment shows some code; where there are no threads, one may."""
    said = re.compile(r"^ *(?:traceback\.)?print(?:_exc|_exception)?\(.*", re.MULTILINE)
    found = [
        f"{file.name}: {one[0]}" for file in sorted(UI.rglob("*.py")) for one in said.finditer(file.read_text("utf-8"))
    ]
    assert [one for one in found if not one.startswith(("as_code.py: ", "address.py: ", "__main__.py: "))] == []


def test_a_line_is_no_longer_than_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written out takes up to ten letters for each; a method of HTTP is a word, too."""
    terminal = Pieces()
    monkeypatch.setattr(sys, "stderr", terminal)
    for odd in ("y", "\x1b", "\u202e", "\U000e0001"):
        tell(odd * 5000)
    asked = {"type": "http", "method": "A" * 5000, "path": "/", "client": ("8.8.8.8", 1), "headers": []}

    async def nothing(*any: Any) -> None:
        pass

    done(AccessLog(nothing)(asked, nothing, nothing))
    assert [len(piece) for piece in terminal.pieces[:4]] == [LONGEST + 1] * 4
    assert len(terminal.pieces[4]) < LONGEST
    try:
        raise OSError("y" * 900_000 + "\x1b[2J")
    except OSError:
        tell_slip()
    assert max(map(len, terminal.pieces[5].splitlines())) == LONGEST


def test_a_server_may_have_a_log_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where another thread computes for it."""
    log = io.StringIO()
    with writing_to(log):
        tell("one")
        Hand("somebody").do(lambda: tell("two"))
        with writing_to(None):
            tell("three")
    tell("four")
    assert log.getvalue() == "vizapp: one\nvizapp: two\n"
    assert capsys.readouterr().err == "vizapp: three\nvizapp: four\n"
