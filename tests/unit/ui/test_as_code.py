"""A view as code: the lines run, and make the map that is shown."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.together import together
from vizapp.analysis import AS_TRAINED, Request
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.ui import examples
from vizapp.ui.as_code import View, command, python

SENT: dict[str, Any] = {
    "method": "attention",
    "layer": 2,
    "head": None,
    "fusion": "mean",
    "direction": "from",
    "skipWeight": 0.5,
    "query": "cls",
    "colours": "magma",
    "opacity": 0.7,
    "byValue": True,
    "smooth": False,
    "high": 0.0518,
}
VIEWS = [
    {},
    {"head": 3, "layer": 0},
    {"query": [4, 9], "direction": "to", "fusion": "max"},
    {"method": "rollout", "skipWeight": 0.3, "layer": 4},
    {"smooth": True, "byValue": False, "fusion": "min"},
]


def expected(seen: vizapp.Analysis, changes: dict[str, Any]) -> np.ndarray:
    view = SENT | changes
    query = view["query"] if isinstance(view["query"], str) else tuple(view["query"])
    if view["method"] == "rollout":
        settings = {"layer": view["layer"], "fusion": view["fusion"], "skip_weight": view["skipWeight"]}
    else:
        heads = {"fusion": view["fusion"]} if view["head"] is None else {"head": view["head"]}
        settings = {"layer": view["layer"], "direction": view["direction"], **heads}
    return np.asarray(vizapp.explain(seen, view["method"], query=query, **settings).scores)


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """A request as the page makes it for a picture of a lesson, which a command finds in the folder where it runs."""
    source = examples.lesson("clutter", 16, str(tmp_path))
    monkeypatch.chdir(Path(source).parent)
    return Request(source, "toy", AS_TRAINED)


def cache_of(lesson: Request) -> str:
    """The server's folder that a picture of a lesson lies in."""
    return str(Path(lesson.source).parents[1])


def test_files_are_named(tmp_path: Path) -> None:
    request = Request(str(tmp_path / "pages.tif"), "toy", AS_TRAINED, page=3)
    view = View.read(SENT | {"opacity": 0.8, "byValue": True})
    assert 'vizapp.analyse("toy", "pages.tif", page=3)' in python(request, view, str(tmp_path))
    assert " --page 3 " in command(request, view, str(tmp_path))
    # A visitor may call a picture anything.
    request = Request(str(tmp_path / "clutter-16.png"), "toy", AS_TRAINED)
    assert '"clutter-16.png"' in python(request, View.read(SENT), str(tmp_path))
    assert "LESSONS" not in python(request, View.read(SENT), str(tmp_path))


@pytest.mark.parametrize("changes", VIEWS)
def test_the_lines_make_the_map(lesson: Request, changes: dict[str, Any]) -> None:
    view = View.read(SENT | changes)
    lines = python(lesson, view, cache_of(lesson))
    made: dict[str, Any] = {}
    exec(lines, made)
    wanted = expected(vizapp.analyse("toy", lesson.source), changes)
    assert np.array_equal(made["found"].scores, wanted)
    assert made["style"].high == pytest.approx(0.0518)
    assert made["style"].smooth is view.smooth
    with Image.open("map.png") as written:
        assert written.size > (100, 100)


@pytest.mark.parametrize("changes", VIEWS)
def test_the_command_makes_the_map(lesson: Request, changes: dict[str, Any]) -> None:
    view = View.read(SENT | changes | {"opacity": 0.8, "byValue": True})  # it has its own, and no words for another
    assert command(lesson, view, cache_of(lesson)) == "", "a picture of a lesson is no file"
    words = shlex.split(command(lesson, view, "/srv").replace("map.png", "map.npz"))
    assert words[0] == "vizapp"
    assert main(words[1:]) in (0, None)
    with np.load("map.npz") as found:
        assert np.array_equal(found["scores"], expected(vizapp.analyse("toy", lesson.source), changes))


def test_rollout_of_who_looks_has_no_lines(lesson: Request) -> None:
    view = View.read(SENT | {"method": "rollout", "direction": "to"})
    assert python(lesson, view, cache_of(lesson)) == command(lesson, view, "/srv") == ""


def test_where_files_lie_on_the_server_is_not_told() -> None:
    request = Request(
        "/srv/secret/photo 'one'.png", "file:/srv/secret/net.safetensors?arch=vit_tiny_patch16_224", "pad"
    )
    view = View.read(SENT | {"opacity": 0.8, "byValue": True})
    for said in (python(request, view, "/srv"), command(request, view, "/srv")):
        assert "secret" not in said
        assert "net.safetensors?arch=vit_tiny_patch16_224" in said
    compile(python(request, view, "/srv"), "lines", "exec")
    assert "photo 'one'.png" in shlex.split(command(request, view, "/srv"))


@together(
    "changes",
    [
        {"method": "rise"},
        {"layer": -1},
        {"head": 1.5},
        {"query": "__import__('os')"},
        {"query": [1]},
        {"colours": "jet'); import os"},
        {"high": "nan"},
        {"opacity": float("inf")},
    ],
)
def test_what_is_no_view_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(VizError):
        View.read(SENT | changes)


@together("sent", [None, 3, [], "attention", {}])
def test_nonsense_is_no_view(sent: Any) -> None:
    with pytest.raises(VizError):
        View.read(sent)
