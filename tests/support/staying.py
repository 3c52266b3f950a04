"""A page that stays as the test before has left it: for files whose tests bring what they look at. Going back takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.viz import Viz

# Puts away what lies over the page, and all that was chosen. The picture stays.
FORGET = """() => {
  document.activeElement.blur();
  const over = [".toast-close", ".strip-close", "#model-chip[aria-expanded=true]", "#plus[aria-expanded=true]"];
  for (const one of document.querySelectorAll(over)) if (one.checkVisibility()) one.click();
  document.querySelectorAll("details[open]").forEach((one) => (one.open = false));
  const { state } = document.querySelector(".viz").viewer;
  state.set(Object.fromEntries(Object.entries(state.declared).map(([key, { initial }]) => [key, initial])));
}"""


@contextmanager
def staying(kept: Any, request: pytest.FixtureRequest) -> Iterator[Viz]:
    """The page of the fixture `_kept` (tests/whole/browser/conftest.py); anew for a second try, and where one has failed."""
    viz = kept.viz
    if viz is None or viz.errors or viz.foreign or getattr(request.node, "execution_count", 1) > 1:
        viz = kept.opened()
    viz.page.unroute_all()
    viz.page.evaluate(FORGET)
    viz.leave()
    viz.wait_for_rest()
    viz.idle()
    viz.requests.clear()
    yield viz
    assert viz.errors == [], "the browser's console must stay free of errors"
    assert viz.foreign == [], "the page must ask nobody but its own server"
