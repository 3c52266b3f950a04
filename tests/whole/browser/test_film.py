"""Films play in a browser: `currentTime` moves, and the last frame is reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import vizapp
from support.networks import small_vit

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
