"""The first maps are made before anybody asks for them; their file stays, and a server that ends gives them up in silence. The
files of Gradio's page are found in its own scripts."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.folder_of_files import Opener, base, opened  # noqa: F401  fixtures
from support.waiting import patience
from vizapp.ui import early
from vizapp.ui.early import gradio_files
from vizapp.ui.jobs import Stopped
from vizapp.ui.server.ledger import Caps
from vizapp.ui.words import words_for


def making() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "first maps"]


def test_the_file_of_the_first_maps_outlives_those_of_visitors(
    opened: Opener,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every page that is opened later asks for it by its address: a folder that is full deletes others in its place."""
    files = opened(Caps(total=1000, visitor=1000, files=100))
    # For this module alone: a thread of a page of another test would lay its files into the folder, too, and take its room.
    monkeypatch.setattr(early, "folder", SimpleNamespace(current=lambda: files))
    path = files.put("vizapp", b"m" * 400, ".bin")
    opening = early.Opening(
        words_for("en"), "", lambda: {"file": {"path": str(path)}, "bytes": 400, "first": {}, "run": "x"}
    )
    opening.make()
    for number in range(4):
        files.put("vizapp", bytes([number]) * 400, ".bin")
    assert path.exists()
    assert opening.value == {"file": {"url": early.FILE + path.as_posix()}, "bytes": 400, "first": {}, "run": "x"}


def test_a_server_that_ends_meanwhile_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C while the first maps are being made: they are given up, without a traceback."""
    for thread in making():
        thread.join(patience())
    page = type("Page", (), {})()
    begun, ends = threading.Event(), threading.Event()

    def first() -> dict[str, Any]:
        begun.set()
        assert ends.wait(patience())
        raise Stopped("left")

    early.offer(page, {"en": early.Opening(words_for("en"), "", first)})
    early.make(page)
    assert begun.wait(patience())
    (thread,) = making()
    ends.set()
    thread.join(patience())
    assert capsys.readouterr().err == ""


def test_the_files_of_a_page_are_found_in_gradios_scripts() -> None:
    few, more = gradio_files.files_for(["html"]), gradio_files.files_for(["html", "dropdown"])
    assert any(name.startswith("HTML-") for name in few.scripts), few.scripts
    assert any(name.startswith(gradio_files.PAGE) for name in few.scripts), "the script that builds the page"
    assert set(few.scripts) < set(more.scripts)
    assert set(few.sheets) < set(more.sheets)
    assert ".options.svelte-" in more.style, "the list of a dropdown"
    assert ".options.svelte-" not in few.style


INDEX = '<script type="module" src="./assets/index-1.js"></script><link rel="stylesheet" href="./assets/index-2.css">'
TABLE = "const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=[%s])))=>i.map(i=>d[i]);"
LATER = (
    "V={html:{base:()=>v(()=>import(`./base-9.js`),__vite__mapDeps([]),u),"
    "component:()=>v(()=>import(`./H-4.js`).then(e=>e.t),__vite__mapDeps([%s]),u)}}"
)


@pytest.mark.parametrize(
    ("changed", "scripts", "sheets"),
    [
        ({}, ("index-1.js", "core-3.js", "H-4.js", "part-6.js"), ("h-5.css",)),
        ({"core-3.js": "export const table = 1;"}, ("index-1.js", "core-3.js"), ()),  # it looks otherwise
        ({"core-3.js": TABLE % "" + LATER % "7"}, (), ()),  # a number that its table has not
        ({"H-4.js": 'import{a}from"./gone-7.js";'}, (), ()),  # a file that is not there
        ({"h-5.css": "a { background: url(./b.png) }"}, ("index-1.js", "core-3.js", "H-4.js", "part-6.js"), ()),
        ({"../index.html": "<html>"}, (), ()),
    ],
)
def test_what_is_not_understood_is_left_to_the_browser(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, str],
    scripts: tuple[str, ...],
    sheets: tuple[str, ...],
) -> None:
    """A script names what it needs, what it may need later by numbers in a table; sheets that name further files stay outside."""
    files = {
        "../index.html": INDEX,
        "index-1.js": TABLE % '"./core-3.js"',
        "core-3.js": TABLE % '"./H-4.js","./h-5.css","./index-2.css"' + LATER % "0,1,2",
        "H-4.js": 'import{a}from"./part-6.js";',
        "part-6.js": "export const a = 1;",
        "h-5.css": "a { color: red }",
    } | changed
    (tmp_path / "assets").mkdir()
    for name, text in files.items():
        (tmp_path / "assets" / name).write_text(text, "utf-8")
    monkeypatch.setattr(gradio_files, "FOLDER", tmp_path)
    found = gradio_files.files_for(["html"])
    assert (found.scripts, found.sheets) == (scripts, sheets)
    assert bool(found.style) == bool(sheets)


def test_a_page_that_is_not_gradios_stays_as_it_is() -> None:
    page = type("Page", (), {"blocks": {}})()
    inside = early.Early(None, page, lambda: "theme", "head")  # type: ignore[arg-type]  it is not called
    opening = early.Opening(words_for("en"), "heading", dict)
    other = b"<html><head></head><body>an error</body></html>"
    assert inside.written(other, opening) == other
    gradios = (
        b"<html><head>" + early.TABLE + b" = {};</script></head><body>" + early.ROOT + b"></gradio-app></body></html>"
    )
    made = inside.written(gradios, opening)
    parts = [b"vizappStage", early.TABLE, b"<style>theme</style>", b"</head>", b'<div id="early"', early.ROOT]
    assert sorted(parts, key=made.index) == parts
