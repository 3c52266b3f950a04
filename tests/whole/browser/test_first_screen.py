"""The budget of the first screen: the picture, few controls and few words; a photo, where a network knows photos."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import hub
from support.first_screen import beyond, opened, slips
from support.serving import Server, serving
from vizapp import pipeline
from vizapp.model.zoo import timm_models


@pytest.fixture(scope="module")
def toy(cache: Any) -> Iterator[Server]:
    with serving("toy") as running:
        yield running


def test_the_picture_comes_first(browser: Any, toy: Server) -> None:
    found = beyond(browser, toy.url)
    assert not found, "\n" + "\n".join(found)


DEIT = timm_models.FETCH


@pytest.fixture(scope="module")
def fetched(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A page with DeiT-Ti, as if it had been fetched; its numbers are random."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        DEIT.path.parent.mkdir()
        hub.deit(DEIT.path.parent).rename(DEIT.path)
        with serving(DEIT.model) as running:
            yield running
    pipeline.forget_models()


def budget_holds(viz: Any, window: tuple[int, int]) -> None:
    """As for a toy scene, whose test has all windows and languages. The window of a photo that is not square leaves a margin."""
    viz.page.set_viewport_size({"width": window[0], "height": window[1]})
    viz.page.locator(".viz-proof[data-state=exact]").wait_for(state="attached")
    viz.wait_for_rest()
    viz.idle()
    figures, found = slips(viz, window)
    assert not [one for one in found if "leaves a margin" not in one], (window, figures)


def test_a_scene_brings_the_toy_network_and_a_photo_the_other_again(browser: Any, fetched: Server) -> None:
    viz = opened(browser, fetched.url, (1280, 800), "en")
    for window in ((390, 844), (1280, 800)):
        budget_holds(viz, window)
    hashes = lambda: viz.page.evaluate("location.hash")  # noqa: E731
    assert "picture=photo/lion" in hashes()
    viz.page.click("#lesson-clutter")
    viz.page.wait_for_function("() => location.hash.includes('lesson/clutter')")
    viz.wait_for_maps()
    assert "model=toy" in hashes()
    viz.page.locator(".gallery-item").first.click()
    viz.page.wait_for_function("() => location.hash.includes('photo/cheetah')")
    viz.wait_for_maps()
    assert DEIT.model in hashes()
    viz.page.click("#lesson-one")
    viz.page.wait_for_function("() => location.hash.includes('lesson/one')")
    viz.choose_model("toy, with registers")
    viz.page.locator(".gallery-item").first.click()
    viz.page.wait_for_function("() => location.hash.includes('photo/cheetah')")
    viz.wait_for_maps()
    assert "model=registers" in hashes(), "it was chosen by hand"
    viz.page.context.close()
