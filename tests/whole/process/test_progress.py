"""Logs and progress: a logger per room, silent unless asked; lines now and then where there is no terminal."""

import io
import logging
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from tqdm.std import tqdm

import vizapp
from support.checkpoints import save_vit
from support.evaluations import fill
from support.paths import ROOT
from support.starting import in_python
from vizapp.analysis.provenance import weights_sha256
from vizapp.browser import content, shelf
from vizapp.cli import main
from vizapp.data.evaluation import run
from vizapp.model import downloads
from vizapp.terminal.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_and_a_file_one_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, file, now = Terminal(), io.StringIO(), [0]
    monkeypatch.setattr("vizapp.terminal.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    for stream in (terminal, file):
        told = Progress(stream, every=5)
        for number in range(30):
            now[0] += 1
            told(f"{number} of 30")
        told.end()
    assert terminal.getvalue().count("\r") == 30 + 2
    assert "\n" not in terminal.getvalue()
    assert file.getvalue().splitlines() == [f"{number} of 30" for number in range(4, 30, 5)]


def test_an_evaluation_in_a_pipe_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vizapp.terminal.progress.EVERY", 0.0)
    monkeypatch.setattr(Progress.__init__, "__defaults__", (None, 0.0))
    assert main("evaluate --set one --methods rollout --count 3 --device cpu".split()) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("toy on one: 3 of 3")


def test_what_takes_long_says_how_far_it_is_and_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`measure`, `film` of a picture and of a film, and `export`, in both of its parts, as `evaluate` does."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Progress.__init__, "__defaults__", (None, 0.0))
    name = save_vit(tmp_path / "small.safetensors")
    fill(tmp_path / "photos", 2)
    photo = str(tmp_path / "photos" / "0.png")
    frames = [Image.fromarray(np.full((40, 60, 3), shade, np.uint8)) for shade in (0, 90, 180)]
    frames[0].save("moves.gif", save_all=True, append_images=frames[1:])
    monkeypatch.setattr(content.textbook, "chapters", lambda: ())
    monkeypatch.setattr(content, "lessons", lambda: iter([shelf.lesson("one/0")]))
    monkeypatch.setattr(content, "WITH_THEIR_OWN", {"shortcut": 2})
    commands = {
        f"measure {name} photos": ("2 of 2 pictures",),
        f"film {photo} --model {name} -o a.gif": ("1 of 3 layers", "3 of 3 layers"),
        f"film moves.gif --model {name} -o b.gif --batch 1": ("looked at: 2 of 3 frames", "painted: 3 of 3 frames"),
        f"export --lessons --model {name} --lang en --site site": ("networks: 1 of 1", "maps: 1 of 2", "maps: 2 of 2"),
    }
    wrong = []
    for command, expected in commands.items():
        assert main(command.split()) == 0, capsys.readouterr().err
        lines = capsys.readouterr().err.splitlines()
        if command.startswith("export"):
            assert lines.pop(0).startswith("1 networks, 0 pictures"), "what it will do"
        wrong += [(command, one, lines) for one in expected if not any(one in line for line in lines)]
        wrong += [(command, line) for line in lines if not re.search(r"\d+ of \d+.*, \d+ s left$", line)]
    assert wrong == []


def test_rooms_have_loggers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What was done, and what was left out, by the name of its room."""
    import timm

    folder, picture = fill(tmp_path / "photos", 2), np.zeros((32, 32, 3), np.uint8)
    (folder / "1.png").write_text("no picture")
    with caplog.at_level(logging.INFO, "vizapp"):
        vizapp.model.load("toy", "cpu")
        weights_sha256(torch.nn.Linear(2, 2))
        vizapp.analyse(timm.create_model("vit_tiny_patch16_224", img_size=32, depth=2).eval(), picture)
        run([vizapp.load("toy", "cpu")], [str(folder)], ["rollout"], 2, None, lambda *line: None)
    said = {(one.name, one.levelname, one.getMessage().partition(" ")[0]) for one in caplog.records}
    assert ("vizapp.model", "INFO", "toy") in said
    assert ("vizapp.capture", "INFO", "followed") in said
    assert ("vizapp.data", "WARNING", "left") in said
    assert ("vizapp.provenance", "INFO", "sha256") in said


SAID = """
import logging, sys, vizapp
from vizapp.cli import main
def after():
    for stream in (sys.stdout, sys.stderr):
        print("next", file=stream, flush=True)
vizapp.load()
assert logging.getLogger("vizapp").handlers == []
after()
assert main(["check", "toy", "--device", "cpu"]) == 0
after()
assert main(["-v", "check", "mean", "--device", "cpu"]) == 0  # which is not loaded yet
"""


def test_the_library_is_silent_and_the_command_line_when_asked() -> None:
    """No handler of its own is hung on anything by importing it; -v says what is done."""
    done = in_python(SAID)
    library, quiet, loud = done.stderr.split("next\n")
    assert (library, quiet) == ("", "")
    assert "vizapp: mean loaded in" in loud
    assert done.stdout.startswith("next\n"), "nor does the library print"


def test_a_download_is_told_of_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """By the steps of a library's bar, one line in ten seconds; also where another listens to them."""
    now, heard = [0], list[int]()
    monkeypatch.setattr(downloads, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with (
        caplog.at_level(logging.INFO, "vizapp.model.download"),
        downloads.heard(lambda done, whole: heard.append(done >> 20)),
        downloads.told_of("timm:some_vit"),
        tqdm(total=10 * 2**20, disable=True) as bar,
    ):
        for _ in range(5):
            now[0] += 6
            bar.update(2 * 2**20)
    assert [one.getMessage() for one in caplog.records] == [
        "timm:some_vit: 4 MiB fetched, 12 s",
        "timm:some_vit: 8 MiB fetched, 24 s",
    ]
    assert heard == [2, 4, 6, 8, 10]


def test_training_tells_a_pipe_at_once() -> None:
    """Its lines are not held back until the end."""
    from train import training

    code = "from train.training import said; import time; said('step 1'); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        running.kill()
    assert line == "step 1\n"
    assert training.train.__kwdefaults__["log"] is training.said
