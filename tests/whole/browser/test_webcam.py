"""The page without a server looks at what moves: a camera (Chromium's own, of which each frame differs) and films."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.films import moving, write_gif
from support.one_file import READY
from support.serving import CAMERA, QUIET, Patient, chromium_path
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.render.moving import write_film
from vizapp.ui.examples import photos

# What is painted; and how far what was live is from what the viewer makes of the same frame, as a picture with everything.
PAINTED = "() => document.querySelector('#moving .stage').toDataURL()"
OFF = """() => {
  const { found } = document.querySelector('#moving').moving.now;
  const { payload, attention } = document.querySelector('.viz').viewer;
  const heads = payload.layers.flatMap(({ heads }, layer) => Array.from({ length: heads }, (_, head) => [layer, head]));
  const rows = heads.flatMap(([layer, head]) => Array.from(attention.row(layer, head, 0)));
  return rows.length === found.rows.length ? Math.max(...rows.map((value, i) => Math.abs(value - found.rows[i]))) : NaN;
}"""
FOUND = "() => Array.from(document.querySelector('#moving').moving.now.found.rows)"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("webcam") / "page.html"
    one_file(content(Wanted(("toy",), photos()[:1])), path)
    return path


@pytest.fixture(scope="module")
def page(small: Path, browser: Any) -> Iterator[Any]:
    """The page in a browser that has a camera: one for all tests of this file."""
    own = Patient(browser.browser_type.launch(executable_path=chromium_path(), args=[*QUIET, *CAMERA]))
    visitor = own.new_page(locale="en", bypass_csp=True)
    visitor.goto(small.as_uri())
    visitor.wait_for_selector(READY)
    yield visitor
    own.close()


def test_a_camera_is_looked_at_frame_by_frame_and_one_is_frozen(page: Any) -> None:
    page.click("#choose .webcam")
    page.wait_for_function("document.querySelector('#moving').moving.shown.length > 3")
    assert page.locator(".viz").is_hidden()
    assert "no picture leaves" in page.locator("#moving .kept").inner_text()
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
