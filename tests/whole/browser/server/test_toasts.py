"""What visitors type or send is text in a toast, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.viz import Viz

HOSTILE = '<img src="x" onerror="window.ran = 1"><b id="bold">bold</b>'


@pytest.fixture
def told(visit: Callable[..., Viz]) -> Callable[[Callable[[Viz], None]], Viz]:
    def after(slip: Callable[[Viz], None]) -> Viz:
        viz = visit()
        slip(viz)
        viz.page.locator(".toast-body").first.wait_for()
        # A picture that is not there takes a moment to say so: what is asked for later has been answered.
        viz.page.evaluate("fetch('/health?later').then(() => 0)")
        viz.idle()
        return viz

    return after


def test_the_name_of_a_model_stays_text(told: Callable[[Callable[[Viz], None]], Viz]) -> None:
    viz = told(lambda one: one.choose_model(HOSTILE, wait=False))
    toast = viz.page.locator(".toast-body").first
    assert HOSTILE in toast.inner_text()
    assert toast.locator("img[src=x], #bold").count() == 0
    assert viz.page.evaluate("window.ran") is None


def test_the_name_of_a_file_stays_text(told: Callable[[Callable[[Viz], None]], Viz], tmp_path: Path) -> None:
    path = tmp_path / "<img src=x onerror=window.ran=1>.png"
    path.write_bytes(b"no picture")
    viz = told(lambda one: one.upload(path, wait=False))
    assert viz.page.locator(".toast-body img[src=x]").count() == 0
    assert viz.page.evaluate("window.ran") is None
