"""What waits for torch and what does not."""

from pathlib import Path

import pytest

import vizapp
from support.starting import HEAVY, ran


@pytest.mark.parametrize(
    ("statement", "expected", "code"),
    [
        ("import vizapp", "", 0),
        ("from vizapp.cli import main; main(['--help'])", "usage: vizapp", 0),
        ("from vizapp.cli import main; main(['explain', '--help'])", "--method METHOD", 0),
        ("from vizapp.cli import main; main(['--version'])", f"vizapp {vizapp.__version__}\n", 0),
        ("from vizapp.cli import main; main(['explain'])", "", 2),
        ("sys.argv = ['vizapp', '--version']; runpy.run_module('vizapp', run_name='__main__')", "vizapp ", 0),
        ("import vizapp; print(dir(vizapp))", "'analyse'", 0),
    ],
)
def test_what_needs_no_torch_loads_none(statement: str, expected: str, code: int, tmp_path: Path) -> None:
    said, ended, loaded = ran(statement, tmp_path)
    assert expected in said
    assert ended == code
    assert set(HEAVY) & set(loaded) == set()


def test_every_public_name_is_there_and_torch_is_seen_where_it_is_loaded(tmp_path: Path) -> None:
    """The guard itself."""
    assert {"torch", "cv2"} <= set(ran("import vizapp.model.toy.scenes; vizapp.paint", tmp_path)[2])
    assert [name for name in vizapp.__all__ if not callable(getattr(vizapp, name))] == []
    with pytest.raises(AttributeError, match="module 'vizapp' has no attribute 'mistake'"):
        _ = vizapp.mistake


def test_save_is_ours_where_every_object_has_one(tmp_path: Path) -> None:
    """`import nnsight` gives it to them."""
    statement = (
        "import ctypes, gc, torch, vizapp; from vizapp import painting; "
        "gc.get_referents(object.__dict__)[0]['save'] = lambda self: 'not ours'; "
        "ctypes.pythonapi.PyType_Modified(ctypes.py_object(object)); print((3).save(), vizapp.save.__module__)"
    )
    assert "not ours vizapp" in ran(statement, tmp_path)[0]
