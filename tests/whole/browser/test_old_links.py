"""Links that earlier versions wrote open the same view. Never change a case: change what reads the address."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.viz import Viz

CASES = json.loads((Path(__file__).parent / "old_links.json").read_text("utf-8"))
# What is on the stage, which picture and model the page says they are, and how it stands around them.
SHOWN = """(() => {
  const page = Object.fromEntries(new URLSearchParams(window.vizappLink.here().slice(1)));
  const { lang: language, classList } = document.documentElement;
  const tab = document.querySelector("#tabs [role=tab][aria-selected=true]")?.dataset.tabId;
  const all = { ...page, ...state.all(), ...view, tab, language, embed: classList.contains("embed") };
  return Object.fromEntries(argument.map((key) => [key, all[key]]));
})()"""


def slip(viz: Viz, address: str, wanted: dict[str, Any]) -> str:
    """Open a link as somebody who comes by it does: what it shows that it did not."""
    with viz.leaving():
        # No tab is opened for it: each one holds a line to the server, and a browser has six.
        viz.page.goto("about:blank")
        viz.page.goto(address)
        viz.wait_for_maps()
    viz.page.wait_for_function("window.vizappLink.here()")
    found = viz.js(SHOWN, list(wanted))
    other = {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
    said = viz.page.locator("#link-line p").inner_text()
    return f"{address}: {other} {said}" if other or said else ""


def test_links_that_earlier_versions_wrote_open_the_same_view(visit: Callable[..., Viz]) -> None:
    viz = visit()
    base = viz.page.url.partition("?")[0].partition("#")[0]
    slips = [slip(viz, base + case["link"], case["shows"]) for case in CASES]
    assert not any(slips), "\n".join(filter(None, slips))
