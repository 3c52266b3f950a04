"""What the page remembers: analyses within a bound, and what each visitor has on the stage."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from support.pictures import NOISE, encoded
from vizapp import pipeline
from vizapp.analysis import Request
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.model.preprocess import FITS
from vizapp.picture import opening
from vizapp.pipeline import loading
from vizapp.ui.jobs import Job, Processor, Stopped
from vizapp.ui.session import AS_TRAINED, Session, size_of
from vizapp.ui.viewer.payload import sentences


@pytest.fixture
def pictures_of(tmp_path: Path) -> Callable[[int], list[str]]:
    def write(count: int) -> list[str]:
        paths = [str(tmp_path / f"{seed}.png") for seed in range(count)]
        for seed, path in enumerate(paths):
            noise = np.random.default_rng(seed).integers(0, 256, (32, 32, 3), dtype=np.uint8)
            Image.fromarray(noise).save(path)
        return paths

    return write


@pytest.fixture
def session(models: SimpleNamespace, tmp_path: Path) -> Session:
    offered = [models.registers, models.average, models.wide, models.noted]
    return Session(offered, str(tmp_path), "cpu", processor=Processor())


def kept(session: Session, request: Request) -> bool:
    """Is it there without running the model?"""
    return request in session._kept


def test_an_analysis_is_made_once(
    session: Session, models: SimpleNamespace, pictures_of: Callable[..., list[str]]
) -> None:
    (path,) = pictures_of(1)
    request = session.request(path, models.registers, "as_trained")
    assert request == Request(path, models.registers, "as_trained")
    assert session.analysis(request) is session.analysis(request)
    assert session.analysis(session.request(path, models.registers, "squash")) is not session.analysis(request)


def test_a_visitor_turns_to_a_page_and_others_do_not(session: Session, models: SimpleNamespace, tmp_path: Path) -> None:
    """It stays while models and fits are chosen; each page is an analysis of its own."""
    path = str(tmp_path / "pages.tif")
    Path(path).write_bytes(encoded(NOISE, "TIFF", save_all=True, append_images=[Image.new("RGB", (120, 90), "blue")]))
    first = session.request(path, models.registers, "as_trained", "me")
    session.turn("me", replace(first, page=2))
    for fit in ("as_trained", "pad"):
        assert session.request(path, models.registers, fit, "me").page == 2
    for picture, visitor in ((path, "you"), (path, ""), (path + "f", "me")):
        assert session.request(picture, models.registers, "as_trained", visitor).page == 1
    assert session.analysis(first).notes[0] == "Page 1 of 2."
    second = session.analysis(session.request(path, models.registers, "as_trained", "me"))
    assert tuple(second.picture[9, 9]) == (0, 0, 255)
    said = sentences(second, turns=True)
    assert said["pages"] == {"page": 2, "pages": 2, "isAll": True, "turns": True}
    assert "Page 2 of 2." not in said["notes"], "it stands where pages are turned"


def test_what_rested_longest_goes_when_the_bytes_are_too_many(
    session: Session, models: SimpleNamespace, pictures_of: Callable[..., list[str]]
) -> None:
    requests = [session.request(path, models.registers, "as_trained") for path in pictures_of(4)]
    # The first picture of a network comes without norms, so that it is smaller.
    session.keep_bytes = 3 * max(size_of(session.analysis(one)) for one in requests[:2])
    session.analysis(requests[2])
    session.analysis(requests[0])  # looked at again
    session.analysis(requests[3])
    assert [kept(session, one) for one in requests] == [True, False, True, True]
    session.keep_bytes = 1
    session.analysis(requests[1])
    assert [kept(session, one) for one in requests] == [False, True, False, False], "the last one always stays"


def test_what_methods_add_counts(
    session: Session, models: SimpleNamespace, pictures_of: Callable[..., list[str]]
) -> None:
    (path,) = pictures_of(1)
    seen = session.analysis(session.request(path, models.registers, "as_trained"))
    plain = size_of(seen)
    pipeline.explain(seen, "chefer")
    with_gradients = size_of(seen)
    assert with_gradients > plain
    pipeline.explain(seen, "chefer", target=1 if seen.best(1)[0][0] != 1 else 0)
    assert size_of(seen) > with_gradients


def test_few_networks_are_held(session: Session, pictures_of: Callable[..., list[str]]) -> None:
    (path,) = pictures_of(1)
    requests = [session.request(path, name, "as_trained") for name in session.offered]
    for one in requests:
        session.analysis(one)
    assert len(requests) == loading.MODELS_KEPT + 1
    assert [kept(session, one) for one in requests] == [False, True, True, True]


def test_strangers_are_offered_what_is_listed(models: SimpleNamespace, tmp_path: Path) -> None:
    session = Session([models.registers], str(tmp_path), "cpu", public=True, processor=Processor())
    with pytest.raises(VizError, match="is not offered here") as said:
        session.request("x.png", models.wide, "as_trained")
    assert said.value.hint == f"There are: {models.registers}.", "a program reads names nowhere else"


def test_the_stage_is_what_came_last_and_did_not_fail(session: Session) -> None:
    first, second = Request("1", "toy", "as_trained"), Request("2", "toy", "as_trained")
    with session.looking("A", first):
        assert (session.wanted("A"), session.on_stage("A")) == (first, None)
    assert (session.wanted("A"), session.on_stage("A")) == (first, first)
    with pytest.raises(VizError), session.looking("A", second):
        raise VizError("Broken.")
    assert (session.wanted("A"), session.on_stage("A")) == (first, first)
    assert session.on_stage("B") is None
    session.leave("A")
    assert session.on_stage("A") is None


def test_before_anything_else_the_stage_is_what_the_page_begins_with(session: Session) -> None:
    """A button of a tab can be pressed while the first request of the browser is still on its way."""
    session.start, other = Request("1", "toy", "as_trained"), Request("2", "toy", "as_trained")
    assert session.wanted("A") == session.start
    with session.looking("A", other):
        assert (session.wanted("A"), session.on_stage("A")) == (other, session.start)
    assert (session.on_stage("A"), session.on_stage("B")) == (other, session.start)
    assert (session.wanted("A"), session.wanted("B")) == (other, session.start)


def test_turning_to_something_else_ends_what_is_about_the_last(session: Session) -> None:
    first, second = Request("1", "toy", "as_trained"), Request("2", "toy", "as_trained")

    def turn(visitor: str, request: Request) -> str:
        session.want(visitor, request)
        return "done"

    assert session.run(lambda: turn("A", first), "A", priority="long", about=first) == "done"
    assert session.run(lambda: turn("B", second), "A", priority="long", about=first) == "done"
    with pytest.raises(Stopped) as raised:
        session.run(lambda: turn("A", second), "A", priority="long", about=first)
    assert raised.value.why == "obsolete"


def test_only_long_runs_stop(session: Session) -> None:
    assert session.run(lambda: session.stop("A"), "A") is False
    with pytest.raises(Stopped):
        session.run(lambda: session.stop("A"), "A", priority="long")
    assert session.processor.run(Job("A", "long"), lambda: session.stop("B")) is False


def test_what_is_kept_is_let_go_where_memory_is_short(
    session: Session, models: SimpleNamespace, pictures_of: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new picture or model replaces kept analyses, which can be made again. If that is not enough, the page says so."""
    first, second = (session.request(path, models.registers, "as_trained") for path in pictures_of(2))
    session.analysis(first)
    analyse, room = pipeline.analyse, [False, True]

    def little(*given: object, **options: object) -> object:
        if not room.pop(0):
            raise NotEnoughMemory("No room.")
        return analyse(*given, **options)

    monkeypatch.setattr(pipeline, "analyse", little)
    session.analysis(second)
    assert not kept(session, first)
    assert kept(session, second)
    room[:] = [False, False]
    with pytest.raises(NotEnoughMemory):
        session.analysis(first)


def test_strangers_bring_25_megapixels_at_most(
    models: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A larger JPEG is read at half its size, and the page says so; other formats are refused. At home nothing is reduced."""
    wide, flat = str(tmp_path / "wide.jpg"), str(tmp_path / "flat.png")
    for path in (wide, flat):
        Image.new("L", (6000, 5000), 90).save(path)
    sessions = {
        public: Session([models.registers], str(tmp_path), "cpu", public=public, processor=Processor())
        for public in (True, False)
    }
    there, here = (one.analysis(one.request(wide, models.registers, "as_trained")) for one in sessions.values())
    assert there.picture.shape == (2500, 3000, 3)
    assert any("read at 3000 x 2500 of its 6000 x 5000" in note for note in there.notes)
    assert here.picture.shape == (5000, 6000, 3)
    with pytest.raises(VizError, match="At most 25 million"):
        sessions[True].analysis(sessions[True].request(flat, models.registers, "as_trained"))


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("kind", [one for one in opening.FORMATS if one in Image.SAVE or one != "AVIF"])
def test_strangers_bring_five_formats_and_people_at_home_bring_all(
    kind: str, public: bool, models: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what is in the file, whatever its name; of the others no decoder sees a byte. A refusal names the five."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(encoded(NOISE, kind))
    session = Session([models.registers], str(tmp_path), "cpu", public=public, processor=Processor())
    request = session.request(str(path), models.registers, "as_trained")
    if kind in ("JPEG", "PNG", "WEBP", "GIF", "AVIF") or not public:
        assert session.analysis(request).picture.shape == NOISE.shape
        return
    monkeypatch.setattr("vizapp.picture.opened", lambda *_: pytest.fail("it was opened"))
    for asked in (request, replace(request, source=f"{path}#1")):
        with pytest.raises(VizError, match=r"'photo.jpg' .* reads JPEG, PNG, WebP, GIF and AVIF\. Save it as PNG"):
            session.analysis(asked)


def test_less_is_kept_in_a_small_container(models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vizapp.ui.session.memory_limit", lambda: 2**31)
    assert Session([models.registers], "").keep_bytes == 2**28


@pytest.mark.parametrize("public", [True, False])
def test_weights_that_cannot_be_had_are_said_with_what_is_possible_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, public: bool
) -> None:
    """A stranger was told to take a file of their own, which a public server refuses."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    name = "timm:vit_tiny_patch16_224"
    session = Session([name], str(tmp_path), "cpu", public=public, processor=Processor())
    with pytest.raises(VizError, match="could not be downloaded") as said:
        session.analysis(session.request("scene.png", name, None))
    assert ("file:" in str(said.value)) is not public
    assert ("Choose another model." in str(said.value)) is public


def test_ways_to_fit_that_there_are_not_are_not_kept(session: Session) -> None:
    """A megabyte of nonsense used to be stored as a visitor's choice before it was checked."""
    with pytest.raises(VizError, match="There is no way") as said:
        session.request("a.png", "toy", "x" * 10**6)
    assert len(str(said.value)) < 300
    for way in (AS_TRAINED, *FITS, "", None):
        assert session.request("a.png", "toy", way).fit
