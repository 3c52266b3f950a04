"""What moves: films that are saved play, and cameras and films are looked at, on the served page and without a server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import vizapp
from support.english import EXPORT, PAGE
from support.english import INCOMING as WORDS
from support.films import moving, write_gif
from support.networks import small_vit
from support.one_file import READY
from support.serving import CAMERA, QUIET, Patient, Server, chromium_path
from support.viz import Viz, hash_of
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.render.moving import write_film
from vizapp.ui.examples import photos

PLAY = """async () => {
    const film = document.querySelector("video");
    film.muted = true;
    await film.play();
    await new Promise((resolve, reject) => { film.onended = resolve; film.onerror = () => reject(film.error.message); });
    return [film.videoWidth, film.videoHeight, film.currentTime];
}"""


@pytest.mark.parametrize(
    ("suffix", "kind"), [(".mp4", 'video/mp4; codecs="avc1.42E01E"'), (".webm", 'video/webm; codecs="vp9"')]
)
def test_a_film_plays(browser: Browser, tmp_path: Path, suffix: str, kind: str) -> None:
    pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    picture = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    vizapp.film(vizapp.analyse(small_vit(), picture), tmp_path / f"layers{suffix}", seconds=0.2)
    (tmp_path / "page.html").write_text(f'<video src="layers{suffix}"></video>')
    page = browser.new_page()
    try:
        page.goto((tmp_path / "page.html").as_uri())
        if not page.evaluate("kind => document.querySelector('video').canPlayType(kind)", kind):
            pytest.skip(f"this Chromium has no decoder for {kind}")
        width, height, time = page.evaluate(PLAY)
    finally:
        page.close()
    assert (width % 2, height % 2) == (0, 0)
    assert width > 300
    assert time == pytest.approx(0.6, abs=0.15)


# What is painted; and how far what was live is from what the viewer makes of the same frame, as a picture with everything.
PAINTED = "() => document.querySelector('#moving .stage').toDataURL()"
OFF = """() => {
  const { found } = document.querySelector('#moving').moving.now;
  const { payload, attention } = document.querySelector('.viz').viewer;
  const heads = payload.layers.flatMap(({ heads }, layer) => Array.from({ length: heads }, (_, head) => [layer, head]));
  const rows = heads.flatMap(([layer, head]) => Array.from(attention.row(layer, head, 0)));
  return rows.length === found.rows.length ? Math.max(...rows.map((value, i) => Math.abs(value - found.rows[i]))) : NaN;
}"""
HIDDEN = """() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  delete document.hidden;
}"""
FOUND = "() => Array.from(document.querySelector('#moving').moving.now.found.rows)"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("webcam") / "page.html"
    one_file(content(Wanted(("toy",), photos()[:1])), path)
    return path


@pytest.fixture(scope="module", params=["file", "server"])
def page(request: pytest.FixtureRequest, small: Path, browser: Any, server: Server) -> Iterator[Any]:
    """The page in a browser that has a camera: one for all tests of a host."""
    own = Patient(browser.browser_type.launch(executable_path=chromium_path(), args=[*QUIET, *CAMERA]))
    visitor = own.new_page(locale="en", bypass_csp=True)
    start = "#v=1&picture=lesson/clutter/16&model=toy"
    visitor.goto(small.as_uri() if request.param == "file" else f"{server.url}page/{start}")
    visitor.wait_for_selector(READY)
    yield visitor
    own.close()


def test_a_camera_is_looked_at_frame_by_frame_and_one_is_frozen(page: Any) -> None:
    page.click("#choose .webcam")
    page.wait_for_function("document.querySelector('#moving').moving.shown.length > 3")
    assert page.locator(".viz").is_hidden()
    kept = PAGE["kept_home"] if page.url.startswith("http") else EXPORT["cameraKept"]
    assert kept in page.locator("#moving .kept").inner_text()
    assert "a second" in page.locator("#moving .rate").inner_text()
    before = page.evaluate(PAINTED)
    page.wait_for_function(f"before => ({PAINTED})() !== before", arg=before)
    page.locator("#moving .layer input").fill("1")
    assert page.locator("#moving .layer output").inner_text() == "1 / 5"
    page.click("#moving .freeze")
    page.wait_for_function("location.hash.includes('picture=upload')")
    assert page.locator("#moving").is_hidden()
    assert page.locator(".viz").is_visible()
    assert page.evaluate("document.querySelector('.viz').viewer.state.get('layer')") == 0
    off = page.evaluate(OFF)
    assert off < 2e-3
    page.click("#choose .webcam")
    page.wait_for_selector("#moving .freeze:enabled")
    page.click("#moving .end")
    assert page.locator(".viz").is_visible()
    page.click("#choose .webcam")
    page.wait_for_selector("#moving .freeze:enabled")
    page.evaluate(HIDDEN)
    assert page.locator("#moving").is_hidden(), "nobody looks, so the camera is off"


def test_a_film_is_scrubbed_through_time(page: Any, tmp_path: Path) -> None:
    """Planted truth: what goes from left to right in a .webm is followed; and a .gif that moves is a film, too."""
    frames = moving(12)
    large = [frame.repeat(2, axis=0).repeat(2, axis=1) for frame in frames]
    pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    write_film(((one, 0.1) for one in large), tmp_path / "moving.webm", {})
    page.set_input_files("#choose input[type=file]", tmp_path / "moving.webm")
    page.wait_for_selector("#moving .play:enabled")
    assert page.locator("#moving .time input").get_attribute("max") == "11"
    across = []
    for at in (0, 6, 11):
        page.locator("#moving .time input").fill(str(at))
        page.wait_for_function(
            "at => document.querySelector('#moving output').textContent === at", arg=f"{at / 10:.1f} s"
        )
        found = page.evaluate(FOUND)
        last = np.array(found).reshape(5, 6, 197)[4].mean(0)[1:].reshape(14, 14)
        across.append(float(last.sum(0) @ np.arange(14) / last.sum()))
    assert across[2] - across[1] > 2
    assert across[1] - across[0] > 2
    write_gif(tmp_path / "moving.gif", frames[:3])
    page.set_input_files("#choose input[type=file]", tmp_path / "moving.gif")
    page.wait_for_function("document.querySelector('#moving h2').textContent === 'moving.gif'")
    page.wait_for_selector("#moving .play:enabled")
    assert page.locator("#moving .time input").get_attribute("max") == "2"
    page.click("#moving .end")


def test_no_camera_is_said_in_words(page: Any) -> None:
    slips: list[Any] = []
    page.on("pageerror", lambda slip: slips.append(slip))
    page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError'); }; }"
    )
    page.click("#choose .webcam")
    page.wait_for_function("document.querySelector('#said').textContent.includes('no camera')")
    page.wait_for_selector("#choose .webcam:enabled")
    assert page.locator("#moving").is_hidden()
    assert slips == []


# Counts the frames that are sent and those whose maps are painted; `most`: how many are on their way at once.
COUNT = """() => {
  window.sent = window.painted = window.most = 0;
  const { live } = vizappIncoming, { look } = live.on;
  live.on.look = async (frame) => {
    window.most = Math.max(window.most, ++window.sent - window.painted);
    const before = document.querySelector(".viz").viewer.payload;
    const isThere = await look(frame);
    window.track = frame.film.getTracks()[0];
    if (isThere && document.querySelector(".viz").viewer.payload !== before) window.painted++;
    return isThere;
  };
}"""


@pytest.fixture(scope="module")
def viz(browser: Any, server: Server) -> Iterator[Viz]:
    """The page in a browser that has a camera: one for all tests of this file."""
    own = Patient(browser.browser_type.launch(executable_path=chromium_path(), args=[*QUIET, *CAMERA]))
    visitor = Viz(own.new_page(locale="en"), server.url)
    visitor.page.goto(server.url)
    visitor.wait_for_maps()
    visitor.page.evaluate(COUNT)
    yield visitor
    own.close()
    assert visitor.errors == []


def start(viz: Viz, frames: int = 1) -> None:
    """Until so many more frames are painted."""
    painted = viz.page.evaluate("painted")
    viz.page.locator("#webcam").dispatch_event("click")  # maps that come close its drawer
    viz.page.wait_for_function("(n) => painted >= n", arg=painted + frames)


def test_a_camera_is_looked_at_one_frame_at_a_time_until_it_is_stopped(viz: Viz) -> None:
    """The map of a patch goes on from frame to frame, and what was there before comes back."""
    before, entries = hash_of(viz)["picture"], viz.page.evaluate("history.length")
    viz.drawer("plus")
    start(viz, 2)
    viz.js("state.set({ layer: 0, place: [0.5, 0.5], pinned: true })")
    shown = viz.js("payload.id")
    viz.page.wait_for_function("(n) => painted >= n", arg=viz.page.evaluate("painted") + 2)
    assert viz.js("payload.id") != shown
    assert viz.js("[state.get('layer'), state.get('pinned')]") == [0, True]
    assert viz.page.evaluate("most") == 1, "the next one is sent when the maps of the one before are painted"
    assert viz.page.evaluate("history.length") == entries + 1, "back leads to what was there before the camera"
    expect(viz.page.locator("#add")).to_be_hidden()
    viz.page.locator(".live-stop").click()
    assert viz.page.evaluate("track.readyState") == "ended", "its light is off"
    expect(viz.page.locator("#strip")).to_be_hidden()
    viz.page.wait_for_function("(before) => location.hash.includes(before)", arg=f"picture={before}")


def test_a_frozen_frame_is_a_picture_like_any_other(viz: Viz) -> None:
    start(viz)
    viz.page.locator(".live-freeze").click()
    assert viz.page.evaluate("track.readyState") == "ended"
    viz.wait_for_kept("webcam.jpg")
    viz.reload()
    assert hash_of(viz)["picture"].startswith("upload/")
    viz.page.evaluate(COUNT)


def test_the_light_goes_out_when_nobody_looks(viz: Viz) -> None:
    """A hidden page, another picture, a camera that is pulled out; and a browser without one says so."""
    for end in (
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true }), "
        "document.dispatchEvent(new Event('visibilitychange'))",
        "delete document.hidden, document.querySelector('#lesson-two').click()",
    ):
        start(viz)
        viz.page.evaluate(f"() => {{ {end}; }}")
        viz.page.wait_for_function("track.readyState === 'ended' && !vizappIncoming.live.isOn")
    viz.page.wait_for_function("!location.hash.includes('upload/')")  # the other picture is there
    viz.wait_for_rest()
    start(viz)
    viz.page.evaluate("track.dispatchEvent(new Event('ended'))")
    expect(viz.page.locator(".strip-said")).to_have_text(WORDS["cameraGone"])
    assert viz.page.evaluate("track.readyState") == "ended"
    viz.page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError'); }; }"
    )
    viz.page.locator("#webcam").dispatch_event("click")  # maps that come close its drawer
    expect(viz.page.locator(".strip-said")).to_have_text(WORDS["cameraNone"])
