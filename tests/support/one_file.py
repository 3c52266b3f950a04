"""An exported page, as a browser shows it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.viz import Viz

READY = '.viz[data-state="ready"]:not([data-waiting="true"])'

ROWS = """(() => {
  const { attention, payload } = document.querySelector(".viz").viewer;
  const row = (layer, head) => Array.from(attention.row(layer, head, 0));
  return payload.layers.map(({ heads }, layer) => Array.from({ length: heads }, (_, head) => row(layer, head)));
})()"""

Opened = Callable[..., Viz]


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """Opens a file as a visitor does, in a window of its own."""
    made = []

    def open_(where: Path | str, hash_: str = "", width: int = 1280, **how: Any) -> Viz:
        # What a test waits for is evaluated in the page, whose policy forbids that.
        given = {"locale": "en", "bypass_csp": True} | how
        visitor = browser.new_context(viewport={"width": width, "height": 800}, **given)
        made.append(visitor)
        viz = Viz(visitor.new_page(), "")
        viz.page.goto(f"{where if isinstance(where, str) else where.as_uri()}{hash_}")
        viz.page.wait_for_selector(READY)
        viz.wait_for_maps()
        return viz

    yield open_
    for one in made:
        one.close()


def rows_of(viz: Viz) -> np.ndarray:
    """(layer, head, token) of what CLS looks at, as the page has it."""
    one = "({ heads }, layer) => Array.from({ length: heads }, (_, head) => Array.from(attention.row(layer, head, 0)))"
    return np.array(viz.js(f"payload.layers.map({one})"))
