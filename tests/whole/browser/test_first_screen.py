"""The budget of the first screen: what a visitor meets before the first gesture is the picture, few controls and few words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.first_screen import beyond
from support.serving import Server, serving


@pytest.fixture(scope="module")
def toy(cache: Any) -> Iterator[Server]:
    with serving("toy") as running:
        yield running


def test_the_picture_comes_first(browser: Any, toy: Server) -> None:
    found = beyond(browser, toy.url)
    assert not found, "\n" + "\n".join(found)
