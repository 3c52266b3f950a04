"""The camera of the served page: Chromium's own, of which each frame differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from support.addresses import hash_of
from support.serving import CAMERA, QUIET, Patient, Server, chromium_path
from support.viz import Viz
from vizapp.ui.words.en import CAMERA as WORDS

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
