"""A page that is opened once for all tests of a file: opening takes seconds, going back half of one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from support.methods_tab import gate  # noqa: F401  a fixture
from support.serving import Server
from support.viz import IDLE, Viz

# Puts away what lies over the page, and of what is chosen what is of the moment only, or all. What is known of pictures stays.
PUT_AWAY = """(isAll) => {
  const press = (css) => document.querySelectorAll(css).forEach((one) => one.checkVisibility() && one.click());
  document.activeElement.blur();
  press(".toast-close, .strip-close");
  press(".viz-presented .viz-present");
  document.querySelector("#tabs button[role=tab]").click();
  press(".viz-book-close");
  press("#model-chip[aria-expanded=true], #plus[aria-expanded=true]");
  document.querySelectorAll("details[open]").forEach((one) => (one.open = false));
  const { state } = document.querySelector(".viz").viewer;
  const chosen = Object.entries(state.declared).filter(([key, { passes }]) => isAll || (passes && key !== "sinksFound"));
  state.set(Object.fromEntries(chosen.map(([key, { initial }]) => [key, initial])));
}"""
# The layer is the one on which the picture opens, and nobody has chosen it, nor the picture.
AS_OPENED = """(() => {
  payload.wasSeen = viewer.isFirst = true;
  viewer.opened = selectors.opens.layer;
  state.set({ layer: viewer.opened });
  viewer.paint();
})()"""
# All that is chosen, and all that is written but for what Gradio says of its own work and lets stand, and what was spoken last.
SEEN = """() => {
  const { state, payload } = document.querySelector(".viz").viewer;
  const linesOf = (one) => one.innerText.split(/\\s*\\n\\s*/).filter(Boolean);
  const apart = new Set([...document.querySelectorAll(".viz-spoken, .viz-unseen, .unseen")].flatMap(linesOf));
  const lines = linesOf(document.body).filter((line) => !apart.has(line) && !/^(Loading|common\\.\\w+)$/.test(line));
  return [payload.id, payload.model, { ...state.all(), sinksFound: null }, lines];
}"""
# Whether the page comes to rest. One in which a test has left a question without an answer never does, and is not kept.
RESTS = f"""() => Promise.race([
  ({IDLE})().then(() => true),
  new Promise((done) => setTimeout(done, 30000, false)),
])"""
# Who has pointed at a patch before is not invited to.
POINTED = "localStorage.setItem('vizapp-pointed', '1')"


class Kept:
    """A page that goes back to what it opened with, or stays as it is. Where it does not come back, it is opened anew."""

    def __init__(self, browser: Any, server: Server) -> None:
        self.browser, self.server = browser, server
        self.viz: Viz | None = None
        self.address, self.first = "", list[Any]()

    def opened(self) -> Viz:
        """The page, as for somebody who has not been here."""
        self.close()
        self.viz = Viz(self.browser.new_context(viewport={"width": 1280, "height": 800}).new_page(), self.server.url)
        self.viz.page.add_init_script(POINTED)
        return self.come(self.viz)

    def come(self, viz: Viz) -> Viz:
        with viz.leaving():
            viz.page.goto(self.server.url)
            viz.wait_for_maps()
        viz.idle()
        self.first = viz.page.evaluate(SEEN)
        self.address = viz.page.evaluate("location.hash")
        viz.requests.clear()
        return viz

    def again(self) -> Viz:
        """The page as it opened."""
        viz = self._at_rest(is_all=False)
        if viz is None:
            return self.opened()
        viz.follow(self.address)
        if not viz.page.evaluate(RESTS):
            return self.opened()
        viz.wait_for_rest()
        viz.js(AS_OPENED)
        viz.idle()
        viz.page.evaluate(f"localStorage.clear(), {POINTED}")
        viz.requests.clear()
        return viz if viz.page.evaluate(SEEN) == self.first else self.come(viz)

    def left(self) -> Viz:
        """The page with the picture that it was left with, and nothing chosen: for tests that bring what they look at."""
        viz = self._at_rest(is_all=True)
        if viz is None:
            return self.opened()
        viz.wait_for_rest()
        viz.requests.clear()
        return viz

    def _at_rest(self, is_all: bool) -> Viz | None:
        """The page with what lies over it put away; None where there is none to go on with."""
        viz = self.viz
        if viz is None or viz.page.is_closed() or viz.errors or viz.foreign:
            return None
        viz.page.unroute_all()
        viz.page.evaluate(PUT_AWAY, is_all)
        viz.leave()
        return viz if viz.page.evaluate(RESTS) else None

    def close(self) -> None:
        if self.viz:
            self.viz.page.context.close()
            self.viz = None


@pytest.fixture(scope="module")
def _kept(browser: Any, server: Server) -> Iterator[Kept]:
    one = Kept(browser, server)
    yield one
    one.close()


@pytest.fixture
def kept(_kept: Kept, request: pytest.FixtureRequest) -> Iterator[Viz]:
    """The page at 1280 x 800 with maps, as it opened or as it was left: the same for each test of the file that asks for it."""
    is_second_try = getattr(request.node, "execution_count", 1) > 1
    back = {"as it opened": _kept.again, "as it was left": _kept.left}[
        getattr(request.module, "ONE_PAGE", "as it opened")
    ]
    viz = _kept.opened() if is_second_try else back()
    yield viz
    assert viz.errors == [], "the browser's console must stay free of errors"
    assert viz.foreign == [], "the page must ask nobody but its own server"


@pytest.fixture
def viz(request: pytest.FixtureRequest) -> Viz:
    """The page with maps, at 1280 x 800: opened anew, or `kept`, in a file that says in `ONE_PAGE` how the page goes on."""
    return (
        request.getfixturevalue("kept")
        if getattr(request.module, "ONE_PAGE", "")
        else request.getfixturevalue("visit")()
    )


@pytest.fixture
def album(tmp_path: Path) -> list[Path]:
    """Seven pictures, named so that letters would order them otherwise than people do."""
    (tmp_path / "album").mkdir()
    made = []
    for number in range(1, 8):
        noise = np.random.default_rng(number).integers(0, 256, (8, 8, 3), dtype=np.uint8)
        made.append(tmp_path / "album" / f"{number * 5}.png")
        Image.fromarray(noise).resize((64, 64)).save(made[-1])
    return made
