"""Without a network the hub is not asked for half a minute: one knock at its door, or its proxy's, tells."""

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from vizapp import model
from vizapp.errors import VizError
from vizapp.model import downloads


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As far as anybody said; and nothing was ever fetched."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.delenv("TRANSFORMERS_CACHE", raising=False)
    monkeypatch.setattr(downloads, "getproxies", dict)


@pytest.fixture
def open_door() -> Iterator[str]:
    """A place where somebody answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def closed_door() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def is_offline() -> bool:
    with downloads.no_vain_retries():
        found = constants.HF_HUB_OFFLINE
    assert not constants.HF_HUB_OFFLINE, "as it was before"
    return found


def test_who_answers_is_asked(monkeypatch: pytest.MonkeyPatch, open_door: str, closed_door: str) -> None:
    for door in (open_door, closed_door, "https://nowhere.invalid"):
        monkeypatch.setattr(constants, "ENDPOINT", door)
        assert is_offline() == (door != open_door), door


def test_the_door_is_the_proxys_if_there_is_one(
    monkeypatch: pytest.MonkeyPatch, open_door: str, closed_door: str
) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "https://nowhere.invalid")
    monkeypatch.setattr(downloads, "proxy_bypass", lambda host: False)
    for kind in ("https", "all"):
        for door in (open_door, closed_door, open_door.removeprefix("http://")):
            monkeypatch.setattr(downloads, "getproxies", lambda kind=kind, door=door: {kind: door, "http": closed_door})
            assert is_offline() == (door == closed_door), (kind, door)
    monkeypatch.setattr(downloads, "proxy_bypass", lambda host: host == "nowhere.invalid")
    assert is_offline(), "what is not to be reached through the proxy is not"


def test_a_door_that_says_nothing_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where packets are dropped, or the server that knows addresses is lost: no time limit of sockets covers that."""
    asked, enough = threading.Event(), threading.Event()

    def says_nothing(address: tuple[str, int], timeout: float) -> None:
        asked.set()
        enough.wait()
        raise OSError("too late")

    monkeypatch.setattr(downloads.socket, "create_connection", says_nothing)
    monkeypatch.setattr(downloads, "PATIENCE", 0.05)
    assert is_offline()
    assert asked.wait(10)
    enough.set()


def test_a_model_that_cannot_be_had_costs_no_import(
    monkeypatch: pytest.MonkeyPatch, closed_door: str, tmp_path: Path
) -> None:
    """transformers takes seconds to import; to say no, nobody needs it."""
    pytest.importorskip("transformers")
    monkeypatch.setattr(constants, "ENDPOINT", closed_door)
    for name in [name for name in sys.modules if name.partition(".")[0] == "transformers"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(VizError, match="could not be downloaded"):
        model.load("hf:google/vit-base-patch16-224", "cpu")
    assert "transformers" not in sys.modules
    kept = tmp_path / "models--google--vit-base-patch16-224"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("1" * 40)
    (kept / "snapshots" / ("1" * 40)).mkdir(parents=True)
    (kept / "snapshots" / ("1" * 40) / "config.json").write_text("{}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert not downloads.is_out_of_reach("google/vit-base-patch16-224"), "what was fetched before is there"
    assert downloads.is_out_of_reach("google/vit-large-patch16-224")
