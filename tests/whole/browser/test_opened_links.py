"""Links as docs/links.md describes them open the view that they name."""

from collections.abc import Callable
from typing import Any

from support.viz import Viz

CLUTTER, TWO = "#v=1&picture=lesson/clutter/16&model=toy", "#v=1&picture=lesson/two/1&model=toy"
SHAPES = "%5B%7B%22box%22:%5B0.2,0.25,0.6,0.7%5D%7D%5D"
THINGS = (
    "%5B%7B%22name%22:%22cat%22,%22at%22:%5B%5B0.25,0.5%5D%5D%7D,"
    "%7B%22name%22:%22the%20rest%22,%22at%22:%5B%5B0.9,0.1%5D%5D%7D%5D"
)
# Link: what it shows. A plain one is followed on the page of the one before.
LINKS: dict[str, dict[str, Any]] = {
    f"?lang=zh{TWO}&place=0.25,0.5&pinned=1&layer=1&head=2&fusion=one&direction=to": {
        "language": "zh",
        "pinned": True,
        "layer": 1,
        "head": 2,
        "isOne": True,
        "direction": "to",
        "kind": "to",
    },
    f"{CLUTTER}&layer=4&chapter=cls": {"layer": 4, "chapter": "cls", "isReading": True},
    "#v=1&picture=lesson/clutter/8&model=born&moment=0&chapter=born": {"model": "born", "moment": 0, "chapter": "born"},
    f"{CLUTTER}&layer=0&atlas=1&order=score": {"layer": 0, "order": "score", "depth": "wide"},
    f"{CLUTTER}&layer=2&order=entropy": {"layer": 2, "order": "entropy", "depth": "picture"},
    f"{TWO}&layer=3&fusion=max&method=rollout&skipWeight=0.595": {
        "layer": 3,
        "fusion": "max",
        "method": "rollout",
        "skipWeight": 0.595,
    },
    f"{CLUTTER}&layer=2&score=1&metric=auc&outline=0&shapes={SHAPES}": {
        "depth": "score",
        "metric": "auc",
        "outline": False,
        "shapes": [{"box": [0.2, 0.25, 0.6, 0.7]}],
    },
    f"{CLUTTER}&token=cls&pinned=1&layer=4&scale=fixed&fixed=0.1&opacity=0.5&byValue=0&smooth=1&grid=0": {
        "token": "cls",
        "pinned": True,
        "layer": 4,
        "scale": "fixed",
        "fixed": 0.1,
        "opacity": 0.5,
        "byValue": False,
        "smooth": True,
        "grid": False,
    },
    f"{CLUTTER}&place=0.25,0.5&pinned=1&layer=2&steps=1&number=0.75,0.25&step=3": {
        "depth": "number",
        "step": 3,
        "number": [0.75, 0.25],
        "place": [0.25, 0.5],
        "layer": 2,
    },
    f"{TWO}&layer=4&teach=1&things={THINGS}": {
        "depth": "teach",
        "layer": 4,
        "things": [{"name": "cat", "at": [[0.25, 0.5]]}, {"name": "the rest", "at": [[0.9, 0.1]]}],
    },
}
# The stage, the picture and model that the page names, and what stands around them.
SHOWN = """(() => {
  const page = Object.fromEntries(new URLSearchParams(window.vizappLink.here().slice(1)));
  const { lang: language, classList } = document.documentElement;
  const tab = document.querySelector("#tabs [role=tab][aria-selected=true]")?.dataset.tabId;
  const all = { ...page, ...state.all(), ...view, tab, language, embed: classList.contains("embed") };
  return Object.fromEntries(argument.map((key) => [key, all[key]]));
})()"""


def slip(viz: Viz, address: str, wanted: dict[str, Any], is_new: bool) -> str:
    """Open a link anew, or follow it on the page that is open; say what differs from what it should show."""
    if is_new:
        with viz.leaving():
            # No tab is opened for it: each one holds a line to the server, and a browser has six.
            viz.page.goto("about:blank")
            viz.page.goto(address)
            viz.wait_for_maps()
        viz.page.wait_for_function("window.vizappLink.here()")
    else:
        viz.follow("#" + address.partition("#")[2])
        viz.wait_for_rest()
        viz.idle()
    found = viz.js(SHOWN, list(wanted))
    other = {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
    said = viz.page.locator("#link-line p").inner_text()
    return f"{address}: {other} {said}" if other or said else ""


def test_a_link_opens_the_view_that_it_names(visit: Callable[..., Viz]) -> None:
    viz = visit()
    base = viz.page.url.partition("?")[0].partition("#")[0]
    # What reads the address is the same for both. A query needs a page of its own, and so does what follows one.
    slips, is_plain = [], False
    for number, (link, shows) in enumerate(LINKS.items()):
        was_plain, is_plain = is_plain, link.startswith("#")
        slips.append(slip(viz, base + link, shows, is_new=not (was_plain and is_plain) or number % 6 == 0))
    assert not any(slips), "\n".join(filter(None, slips))
