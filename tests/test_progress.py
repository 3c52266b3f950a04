"""Logs and progress: a logger per room, silent unless asked; lines now and then where there is no terminal."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import ROOT
from test_folder import fill

import vizapp
from vizapp.analysis.provenance import weights_sha256
from vizapp.cli import main
from vizapp.data.run import run
from vizapp.model import downloads
from vizapp.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_and_a_file_one_now_and_then() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream, every in ((terminal, 0.0), (file, 0.05)):
        told = Progress(stream, every)
        for number in range(30):
            told(f"{number} of 30")
            time.sleep(0.01)
        told.end()
    assert terminal.getvalue().count("\r") == 30 + 2
    assert "\n" not in terminal.getvalue()
    lines = file.getvalue().splitlines()
    assert 2 <= len(lines) <= 7
    assert "\r" not in file.getvalue()
    assert all(line.endswith("of 30") for line in lines)


def test_an_evaluation_in_a_pipe_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vizapp.progress.EVERY", 0.0)
    monkeypatch.setattr(Progress.__init__, "__defaults__", (None, 0.0))
    assert main("evaluate --set one --methods rollout --count 3 --device cpu".split()) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("toy on one: 3 of 3")


def test_rooms_have_loggers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What was done, and what was left out, by the name of its room."""
    import timm

    folder, picture = fill(tmp_path / "photos", 2), np.zeros((32, 32, 3), np.uint8)
    (folder / "1.png").write_text("no picture")
    with caplog.at_level(logging.INFO, "vizapp"):
        vizapp.model.load("toy", "cpu")
        weights_sha256(torch.nn.Linear(2, 2))
        vizapp.analyse(timm.create_model("vit_tiny_patch16_224", img_size=32, depth=2).eval(), picture)
        run([vizapp.load("toy", "cpu")], [str(folder)], ["rollout"], 2, None, lambda line: None)
    said = {(one.name, one.levelname, one.getMessage().partition(" ")[0]) for one in caplog.records}
    assert ("vizapp.model", "INFO", "toy") in said
    assert ("vizapp.capture", "INFO", "followed") in said
    assert ("vizapp.data", "WARNING", "left") in said
    assert ("vizapp.provenance", "INFO", "sha256") in said


def test_the_library_is_silent_and_the_command_line_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """No handler of its own is hung on anything by importing it; -v says what is done."""
    probe = "import logging, vizapp; vizapp.load(); assert logging.getLogger('vizapp').handlers == []"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, cwd=ROOT, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    command = [sys.executable, "-m", "vizapp"]
    asked = ["check", "toy", "--device", "cpu"]
    quiet = subprocess.run([*command, *asked], capture_output=True, text=True, cwd=ROOT, check=True)
    assert quiet.stderr == ""
    loud = subprocess.run([*command, "-v", *asked], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "vizapp: toy loaded in" in loud.stderr


def test_a_download_is_told_of_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """While a file grows that is not whole yet; one that a broken download left is not counted."""
    monkeypatch.setattr(downloads, "folders", lambda: [tmp_path])
    monkeypatch.setattr(downloads, "EVERY", 0.05)
    (tmp_path / "old.incomplete").write_bytes(bytes(50 * 2**20))
    past = time.time() - 1000
    __import__("os").utime(tmp_path / "old.incomplete", (past, past))

    def fetch() -> None:
        with (tmp_path / "blobs.incomplete").open("wb") as file:
            for _ in range(5):
                file.write(bytes(2 * 2**20))
                file.flush()
                time.sleep(0.08)

    with caplog.at_level(logging.INFO, "vizapp.model.download"), downloads.told_of("timm:some_vit"):
        fetching = threading.Thread(target=fetch)
        fetching.start()
        fetching.join()
    said = [one.getMessage() for one in caplog.records if one.name == "vizapp.model.download"]
    sizes = [int(line.split()[1]) for line in said]
    assert len(said) >= 2
    assert sizes == sorted(sizes)
    assert 0 < sizes[0] < sizes[-1] <= 10
    assert said[0].startswith("timm:some_vit: ")


def test_training_tells_a_pipe_at_once() -> None:
    """Its lines are not held back until the end."""
    from vizapp.model.toy import train

    code = "from vizapp.model.toy.train import said; import time; said('step 1'); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        running.kill()
    assert line == "step 1\n"
    assert train.train.__kwdefaults__["log"] is train.said
