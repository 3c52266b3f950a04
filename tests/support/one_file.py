"""An exported page, as a browser shows it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from support.viz import Viz
from vizapp.analysis import Analysis

READY = '.viz[data-state="ready"]:not([data-waiting="true"])'

ROWS = """(() => {
  const { attention, payload } = document.querySelector(".viz").viewer;
  const row = (layer, head) => Array.from(attention.row(layer, head, 0));
  return payload.layers.map(({ heads }, layer) => Array.from({ length: heads }, (_, head) => row(layer, head)));
})()"""

Opened = Callable[..., Viz]


def visited(browser: Any, where: Path | str, hash_: str = "", width: int = 1280, **how: Any) -> Viz:
    """A file, opened as a visitor does, in a window of its own: to be closed by `viz.page.context`."""
    # What a test waits for is evaluated in the page, whose policy forbids that.
    given = {"viewport": {"width": width, "height": 800}, "locale": "en", "bypass_csp": True} | how
    viz = Viz(browser.new_context(**given).new_page(), "")
    viz.page.goto(f"{where if isinstance(where, str) else where.as_uri()}{hash_}")
    viz.page.wait_for_selector(READY)
    viz.wait_for_maps()
    return viz


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """Opens files, for as long as a test lasts."""
    made: list[Viz] = []

    def open_(*where: Any, **how: Any) -> Viz:
        made.append(visited(browser, *where, **how))
        return made[-1]

    yield open_
    for one in made:
        one.page.context.close()


@pytest.fixture
def own(tmp_path: Path) -> np.ndarray:
    """A picture of the visitor, which lies in own.png."""
    made = np.random.default_rng(1).integers(0, 256, (150, 200, 3), dtype=np.uint8)
    Image.fromarray(made).save(tmp_path / "own.png")
    return made


def rows_of(viz: Viz) -> np.ndarray:
    """(layer, head, token) of what CLS looks at, as the page has it."""
    return np.array(viz.page.evaluate(ROWS))


def rows_by(seen: Analysis) -> np.ndarray:
    """The same, by the network itself."""
    return np.stack([layer.attend(seen.trace.query("cls")).numpy() for layer in seen.trace.layers])
