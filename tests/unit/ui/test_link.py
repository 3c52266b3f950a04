"""The server's part of a link: what it is called, what it may ask for, and what is said where it asks for more."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.together import together
from vizapp.analysis import AS_TRAINED, Request
from vizapp.core.interventions import parse_all
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui import examples
from vizapp.ui.link import Links
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.words import words_for
from vizapp.vocabulary import STATE_VERSION

OFFERED = ["toy", "registers", "timm:vit_tiny_patch16_224"]


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Links]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    files = folder.current()
    session = Session(OFFERED, str(files.path))
    start = Request(examples.lesson("clutter", 16, session.cache), "toy", AS_TRAINED)
    lion = files.put("photo", b"a lion", ".jpg")
    yield Links(session, start, {"lion": str(lion)})
    files.close()


def said(links: Links, **asked: Any) -> list[str]:
    return [key for key, _ in links.open(asked).said]


@together("model", OFFERED)
@together("fit", [AS_TRAINED, "pad", "crop", "squash"])
@together("picture", ["photo", "lesson"])
def test_what_is_written_is_opened(links: Links, model: str, fit: str, picture: str) -> None:
    source = links.photos["lion"] if picture == "photo" else examples.lesson("two", 7, links.session.cache)
    request = Request(source, model, fit)
    written = links.page(request)
    opened = links.open(written)
    assert (opened.request, opened.said, opened.asks) == (request, (), "")
    assert opened.lesson == (("two", 7) if picture == "lesson" else None), "it goes on from there"


def test_a_link_can_be_read_and_has_its_edits(links: Links) -> None:
    assert links.page(links.start) == {"picture": "lesson/clutter/16", "model": "toy"}
    assert links.page(Request(links.photos["lion"], "toy", "pad")) == {
        "picture": "photo/lion",
        "model": "toy",
        "fit": "pad",
    }
    # The page has none yet: when it has, its links say them.
    edited = replace(links.start, edits=parse_all(["head-off:3.1", "head-off:-1.0=uniform"]))
    assert links.page(edited)["edits"] == "head-off:3.1 head-off:-1.0=uniform"


def test_a_link_may_name_nothing_or_any_lesson(links: Links) -> None:
    assert links.open({}).request == links.start
    assert links.open({}).said == ()
    for lesson in LESSONS:
        assert links.open({"picture": f"lesson/{lesson}/0"}).lesson == (lesson, 0)


@together(
    "picture",
    ["lesson/clutter/40", "lesson/clutter/-1", "lesson/clutter/1e1", "lesson/clutter/١", "lesson/clutter", "lesson/../toy/1",
     "lesson//1", "photo/lion.jpg", "photo/../../etc/passwd", "photo/", "/etc/passwd", "file:///etc/passwd", "http://x/y.png",
     "<img src=x onerror=alert(1)>", "\0", "x" * 10_000],
)  # fmt: skip
def test_a_picture_that_is_not_offered_is_another_one(links: Links, picture: str) -> None:
    assert links.open({"picture": picture}).request == links.start
    assert said(links, picture=picture) == ["picture"]


def test_an_upload_is_the_file_that_came_with_the_link(links: Links, tmp_path: Path) -> None:
    photo = folder.current().put("upload", b"mine", ".png")
    assert links.page(Request(str(photo), "toy", AS_TRAINED))["picture"] == "upload", "its browser knows which"
    assert links.open({"picture": "upload/0a", "path": str(photo)}).request.source == str(photo)
    elsewhere = tmp_path.parent / "secret.png"
    elsewhere.write_bytes(b"secret")
    for path in (None, str(elsewhere), "/etc/passwd", 7, {"path": str(photo)}, str(photo.parent)):
        assert links.open({"picture": "upload/0a", "path": path}).request == links.start
        assert said(links, picture="upload/0a", path=path) == ["upload"]
    assert links.open({"picture": "lesson/two/1", "path": str(photo)}).request.source != str(photo)


def test_a_link_to_a_page_of_an_upload_is_opened_and_written(links: Links) -> None:
    """Of nothing else: lessons and photos have one page, and another picture in an upload's place is shown from its beginning."""
    own = {"picture": "upload/0a", "path": str(folder.current().put("upload", b"mine", ".tif"))}
    opened = links.open(own | {"page": "3"})
    assert (opened.request.page, opened.strange) == (3, ())
    assert links.page(opened.request)["page"] == "3"
    assert "page" not in links.page(links.open(own).request)
    for page in ("0", "-1", "3.5", "x", "1234567", "\u0663"):
        opened = links.open(own | {"page": page})
        assert (opened.request.page, opened.strange) == (1, ("page",))
    for asked in ({"picture": "lesson/two/1"}, {"picture": "upload/0a", "path": "/etc/passwd"}, {}):
        assert links.open(asked | {"page": "3"}).request.page == 1


def test_a_model_that_is_not_offered_is_asked_for_at_home_and_never_opened_in_public(links: Links) -> None:
    """It may be a download, or a file of this computer: by a click on a link nobody has agreed to that."""
    for name in (
        "timm:vit_giant_patch14_224",
        "file:/etc/x.safetensors?arch=deit_tiny_patch16_224",
        "hf:somebody/else",
    ):
        opened = links.open({"model": name})
        assert (opened.request, opened.asks, opened.said) == (links.start, name, (("asks", name),))
        assert links.open({"model": name, "own": "true"}).asks == name, "only the page's own word counts"
        own = links.open({"model": name, "own": True})
        assert (own.request, own.asks, own.said) == (replace(links.start, model=name), "", ())
        public = replace(links, session=replace(links.session, public=True)).open({"model": name, "own": True})
        assert (public.request, public.asks, public.said) == (links.start, "", (("model", name),))
    for name in ("x" * 301, "toy\n", "\u202etoy"):
        assert links.open({"model": name, "own": True}).request == links.start
        assert links.open({"model": name, "own": True}).strange == ("model",)


@together(
    ("version", "key"),
    [("1", None), ("0", None), (str(STATE_VERSION + 1), "newer"), ("99999999", "newer"), ("9" * 5000, "v"), ("x", "v"),
     ("-1", "v"), ("²", "v")],
)  # fmt: skip
def test_a_newer_version_is_said(links: Links, version: str, key: str | None) -> None:
    opened = links.open({"v": version, "picture": "lesson/two/7"})
    assert [*(one for one, _ in opened.said), *opened.strange] == ([key] if key else [])
    assert opened.lesson == ("two", 7), "what is understood is shown"


@together("asked", [None, "text", [1], {"model": 7, "own": [True]}, {"picture": ["photo/lion"], "v": None, "path": []}])
def test_nonsense_is_as_if_nothing_was_said(links: Links, asked: Any) -> None:
    assert links.open(asked).request == links.start


def test_what_else_is_not_understood_is_named_in_words(links: Links) -> None:
    assert links.open({"fit": "stretch"}).strange == ("fit",)
    assert links.open({"fit": "stretch", "v": "x", "model": "x" * 400}).strange == ("v", "model", "fit")
    assert links.open({"fit": "stretch"}).request.fit == AS_TRAINED
    assert said(links, edits="head-off:1.1") == ["edits"]
    words = words_for("en")
    told = links.told(links.open({"v": "9", "model": "timm:x", "picture": "nothing", "fit": "y", "edits": "z"}), words)
    assert told["asks"] == "timm:x"
    assert told["strange"] == ("fit",)
    for key in ("newer", "picture", "edits"):
        assert words["link"][key] in told["said"]
    assert "timm:x" in told["said"]
    assert told["opened"] == links.page(links.start)
