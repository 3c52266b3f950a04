"""The budget of the first screen: what a visitor meets before the first gesture is the picture, few controls and few words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.first_screen import PHONES, PICTURE, opened, slips
from support.serving import Server, serving
from vizapp.ui.words import languages


@pytest.fixture(scope="module")
def toy(cache: Any) -> Iterator[Server]:
    with serving("toy") as running:
        yield running


def test_the_picture_comes_first(browser: Any, toy: Server) -> None:
    lines, wrong = [], False
    for language in languages():
        for windows in (PICTURE.keys() - PHONES, PHONES):  # a window is resized, a phone is turned
            viz = None
            for window in sorted(windows):
                viz = viz or opened(browser, toy, window, language)
                viz.page.set_viewport_size({"width": window[0], "height": window[1]})
                viz.wait_for_rest()
                viz.idle()
                figures, found = slips(viz, window)
                lines += [f"{window[0]} x {window[1]}, {language}: {figures}", *(f"    {slip}" for slip in found)]
                wrong |= bool(found)
            viz.page.context.close()
    assert not wrong, "\n" + "\n".join(lines)
    print("\n".join(lines))
