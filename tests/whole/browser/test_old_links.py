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


FOLLOW = """(hash) => new Promise((done) => {
  addEventListener("hashchange", () => done(), { once: true });
  location.hash = hash;
})"""


def slip(viz: Viz, address: str, wanted: dict[str, Any], is_new: bool) -> str:
    """Open a link as somebody who comes by it does, or follow it on the page that is open: what it shows that it did not."""
    if is_new:
        with viz.leaving():
            # No tab is opened for it: each one holds a line to the server, and a browser has six.
            viz.page.goto("about:blank")
            viz.page.goto(address)
            viz.wait_for_maps()
        viz.page.wait_for_function("window.vizappLink.here()")
    else:
        viz.page.evaluate(FOLLOW, "#" + address.partition("#")[2])
        viz.wait_for_rest()
        viz.idle()
    found = viz.js(SHOWN, list(wanted))
    other = {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
    said = viz.page.locator("#link-line p").inner_text()
    return f"{address}: {other} {said}" if other or said else ""


def test_links_that_earlier_versions_wrote_open_the_same_view(visit: Callable[..., Viz]) -> None:
    viz = visit()
    base = viz.page.url.partition("?")[0].partition("#")[0]
    # What reads the address is the same for both. A query needs a page of its own, and so does what follows one.
    slips, is_plain = [], False
    for number, case in enumerate(CASES):
        was_plain, is_plain = is_plain, case["link"].startswith("#")
        is_new = not (was_plain and is_plain) or number % 6 == 0
        slips.append(slip(viz, base + case["link"], case["shows"], is_new))
    assert not any(slips), "\n".join(filter(None, slips))
