"""A download is listened to, ended, and refused where the disk has no room: with huggingface_hub's own code."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from support import hub
from vizapp import model
from vizapp.errors import VizError
from vizapp.model import downloads


class Enough(Exception):
    """What a listener raises; no `VizError`, and nothing that a library knows."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hub.weights(tmp_path_factory.mktemp("hub"))


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones, as the file is small."""
    monkeypatch.setattr(downloads, "STEP", 2**16)


def test_it_is_told_of_and_ends_and_comes_when_asked_again(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, told = weights.stat().st_size, list[tuple[int, int]]()

    def until_half(done: int, whole: int) -> None:
        told.append((done, whole))
        if done > whole / 2:
            raise Enough

    with hub.serving(weights) as url:
        hub.use(url, tmp_path, monkeypatch)
        with pytest.raises(Enough), downloads.heard(until_half):
            model.load(hub.NAME, "cpu")
        assert [done for done, _ in told] == sorted(done for done, _ in told)
        assert {whole for _, whole in told} == {size}
        assert len(told) > 5
        assert not list(tmp_path.rglob("*.safetensors")), "nothing half is taken for a whole"
        told.clear()
        with downloads.heard(lambda done, whole: told.append((done, whole))):
            loaded = model.load(hub.NAME, "cpu")
    assert told[-1] == (size, size)
    assert loaded.name == hub.NAME


@pytest.mark.filterwarnings("ignore:Not enough free disk space")  # huggingface_hub's own word, and then it goes on
def test_a_disk_without_room_is_said_before_it_is_full(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with hub.serving(weights) as url:
        hub.use(url, tmp_path, monkeypatch)
        with (
            pytest.raises(VizError, match=r"takes \d MB, and 0 MB are free"),
            downloads.heard(lambda done, whole: None),
        ):
            model.load(hub.NAME, "cpu")


def test_others_are_left_alone() -> None:
    """Bars that count no bytes say nothing, and afterwards all is as before."""
    from huggingface_hub import constants
    from tqdm.std import tqdm

    update, was = tqdm.update, (constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET)
    told: list[int] = []
    with downloads.heard(lambda done, whole: told.append(done)):
        for _ in tqdm(range(10), disable=True):
            pass
        with tqdm(total=10, disable=True) as bar:
            bar.update(3)
        with downloads.heard(lambda done, whole: None):
            assert tqdm.update is not update
    assert told == []
    assert tqdm.update is update
    assert was == (constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DISABLE_XET)


def test_without_a_network_a_mirror_is_named() -> None:
    from vizapp.model.downloads import not_downloaded

    said = str(not_downloaded("timm:x"))
    assert "HF_ENDPOINT" in said
    assert "`vizapp get photos`" in said
