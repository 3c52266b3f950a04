"""The server's folder of files: where it lies, what its names tell, that nothing stops its sweeper, and that it ends."""

import hashlib
import os
import stat
from pathlib import Path

import pytest

from support.folder_of_files import Opener, posix
from support.together import together
from vizapp.errors import VizError
from vizapp.ui.server import run_folder
from vizapp.ui.server.folder import current
from vizapp.ui.server.ledger import Ages, Caps


@posix
def test_each_run_has_a_folder_of_its_own_which_others_cannot_enter(opened: Opener, base: Path) -> None:
    one, other = opened(), opened()
    assert one.path != other.path
    assert one.path.parent == other.path.parent == base
    assert stat.S_IMODE(one.path.stat().st_mode) == 0o700
    one.close()
    assert [path.name for path in base.iterdir()] == [other.path.name]


def test_who_goes_back_to_a_folder_finds_it(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages of one process, of which each was told another place: the first one's files stay where it looks for them."""
    monkeypatch.setenv("GRADIO_EXAMPLES_CACHE", "")  # given back at the end
    one = current()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "other"))
    other = current()
    try:
        assert one.path.parent == base
        assert other.path.parent == tmp_path / "other"
        assert current() is other
        monkeypatch.setenv("GRADIO_TEMP_DIR", str(one.path))
        assert current() is one
    finally:
        one.close()
        other.close()
    assert current() is not one, "it is gone"
    current().close()


@posix
def test_a_place_that_cannot_be_written_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", "/dev/null/files")
    with pytest.raises(VizError, match=r"'/dev/null/files'.*Set GRADIO_TEMP_DIR"):
        run_folder.own()


def test_replicas_share_a_folder_and_names_but_nobody_else_makes_them(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIZAPP_FOLDER", str(tmp_path / "shared"))
    monkeypatch.setenv("VIZAPP_KEY", "a word")
    one, other = opened(), opened()
    path = one.put("vizapp", b"maps", ".bin")
    assert other.put("vizapp", b"maps", ".bin") == path
    assert other.ours(str(path)) == path
    other.remove_parts()
    one.close()
    assert path.read_bytes() == b"maps", "the other replica hands it out"
    assert hashlib.sha256(b"maps").hexdigest() not in path.name
    monkeypatch.setenv("VIZAPP_KEY", "another word")
    assert opened().put("vizapp", b"maps", ".bin") != path


def test_without_a_key_one_is_made_at_the_start(opened: Opener) -> None:
    assert opened().name(b"maps") != opened().name(b"maps")


def test_a_folder_with_things_of_others_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeper would delete somebody's documents."""
    (tmp_path / "thesis.tex").touch()
    monkeypatch.setenv("VIZAPP_FOLDER", str(tmp_path))
    with pytest.raises(VizError, match="not vizapp's"):
        run_folder.own()


def test_a_use_makes_a_file_young_again(opened: Opener) -> None:
    now = [0.0]
    files = opened(ages=Ages(rest=100), clock=lambda: now[0])
    used, rested = files.put("a", b"1", ".bin"), files.put("b", b"2", ".bin")
    os.utime(used, (0, 0))  # a clock was set
    os.utime(rested, (4e9, 4e9))
    files.sweep()
    now[0] = 90
    with files.reading(str(used)):
        pass
    now[0] = 101
    files.sweep()
    assert used.exists()
    assert not rested.exists()
    with files.reading(str(used)):
        now[0] = 1000
        files.sweep()
        assert used.exists(), "never what is being read"
    now[0] = 1101
    files.sweep()
    assert not used.exists()


def test_no_path_stops_the_sweeper(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """A folder on Gradio's list ended its cleaner for good, without a word."""
    now = [0.0]
    files = opened(ages=Ages(rest=100), clock=lambda: now[0])
    stuck, loose = files.put("stuck", b"1", ".bin"), files.put("loose", b"2", ".bin")
    (files.path / "folder" / "inside").mkdir(parents=True)
    real = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError(13, "Permission denied")
        real(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    now[0] = 101
    for _ in range(5):
        files.sweep()
    assert not loose.exists()
    assert not (files.path / "folder").exists()
    assert capsys.readouterr().err.count("cannot delete") == 1
    monkeypatch.undo()
    files.sweep()
    assert not stuck.exists(), "as soon as it can be deleted"


def test_all_files_together_stay_below_the_cap_and_what_is_read_stays(opened: Opener) -> None:
    files = opened(Caps(total=1000, visitor=10**6, files=10**6), ages=Ages(fresh=0))
    first = files.put("first", bytes(300), ".bin")
    with files.reading(str(first)):
        made = [files.put("one", bytes([n]) * 300, ".bin") for n in range(10)]
        assert first.exists()
        assert sum(path.stat().st_size for path in files.path.glob("*.bin")) <= 1000
        assert made[-1].exists()
        assert not made[0].exists()
        with pytest.raises(VizError, match="no room left"):
            files.put("large", bytes(800), ".bin")
    assert not list(files.path.glob(".part-*"))


def test_after_the_end_nothing_is_written(opened: Opener) -> None:
    """A run that is left behind may still want to put its maps somewhere."""
    files = opened()
    files.close()
    with pytest.raises(VizError, match="stopping"):
        files.put("late", b"maps", ".bin")
    assert not files.path.exists()


@together("path", ["", ".", "..", "../x", "/etc/passwd", "\0", "a" * 5000, ".lock", "folder", "link"])
def test_only_files_of_the_folder_are_ours(opened: Opener, path: str) -> None:
    files = opened()
    (files.path / "folder").mkdir()
    if hasattr(os, "symlink"):
        (files.path / "link").symlink_to("/etc/passwd")
    assert files.ours(str(files.path / path)) is None
    with files.reading(str(files.path / path)):
        pass


def test_a_sweep_in_the_middle_of_a_write_counts_nothing_twice(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees the file under the name that it has while it is written; afterwards that name is gone, and its bytes with it."""
    files, replace = opened(Caps(total=1000, visitor=1000, files=100)), Path.replace

    def swept(path: Path, to: Path) -> Path:
        files.sweep()
        return replace(path, to)

    monkeypatch.setattr(Path, "replace", swept)
    files.put("vizapp", b"m" * 400, ".bin")
    assert files._ledger.total == 400
