"""The page on slow lines and slow machines: what comes before the first map, how long it takes, and what stays behind."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

import vizapp.model as models
from bench.measure import Result
from bench.page import EVENTS, PROBE, READY, browser_running, new_page
from bench.pictures import write_photos
from bench.server import ROOT, running

# "Fast 3G" of Chromium's developer tools: 1.6 Mbit/s down and 750 kbit/s up, of which they give nine tenths, and 150 ms, of
# which they make 562.5 for each request.
FAST_3G = {
    "offline": False,
    "latency": 562.5,
    "downloadThroughput": 0.9 * 1.6e6 / 8,
    "uploadThroughput": 0.9 * 750e3 / 8,
}
OPEN = re.compile("/heartbeat/|/queue/data")
SLOWER = 4
LARGE = "timm:vit_small_patch16_224?pretrained=no&size=448"  # 785 tokens, as a DINO at 448 px
UPLOADS = 6
# A patch is pointed at, again and again, until the stage shows its map.
HOVERED = """() => {
  const { root, view } = document.querySelector(".viz").viewer;
  const canvas = root.querySelector(".viz-picture"), area = canvas.getBoundingClientRect();
  const place = { clientX: area.left + 0.5 * area.width, clientY: area.top + 0.5 * area.height };
  canvas.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", ...place }));
  if (!view?.hovered || !view.map.values) return false;
  const { payload } = view;
  window.sent = payload.pieces?.all.reduce((sum, { from, arrived }) => sum + arrived - from, 0) ?? payload.arrived;
  return true;
}"""
# The same twice: with the factors in a memory of WebAssembly, and with plain arrays.
FUSED = """async () => {
  const { attention, payload } = document.querySelector(".viz").viewer;
  const fuse = async (fusion) => {
    const started = performance.now();
    await attention.fuseAll(fusion, () => {}, () => false);
    return performance.now() - started;
  };
  const fast = await fuse("max");
  const kept = [attention.arena, new Map(payload.decoded)];
  for (const name of kept[1].keys()) if (/^[qk]\\./.test(name)) payload.decoded.delete(name);
  attention.arena = null;
  const plain = await fuse("min");
  for (const fusion of ["max", "min"]) delete attention.fused[fusion];
  [attention.arena, payload.decoded] = kept;
  return [fast, plain];
}"""
# A file is chosen by the page itself: `set_input_files` keeps a handle on the input, and with it the twelve nodes it is made of,
# after the page has let go of them.
CHOOSE = """([text, name]) => {
  const chosen = new DataTransfer();
  chosen.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name, { type: "image/jpeg" }));
  const input = document.querySelector("#picture input[type=file]");
  input.files = chosen.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}"""
# The moments of the first map, and of the whole page around it, as the page sees them.
LISTEN = """new MutationObserver((_, observer) => {
  if (!document.querySelector('.viz[data-state="ready"]')) return;
  window.firstMap ??= performance.now() / 1000;
  if (!document.querySelector('#viewer .viz[data-state="ready"]')) return;
  window.whole = performance.now() / 1000;
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });"""


def measure(repeats: int, root: Path = ROOT) -> list[Result]:
    """`repeats` visits over a slow line to the checkout at `root`; what is counted is counted once."""
    with running(models.DEFAULT, root) as (url, _), browser_running() as browser:
        results = [*first_visit(browser, url), *fast_3g(browser, url, repeats)]
        results += [*slow_machine(browser, url, "toy"), nodes_left(browser, url)]
    with running(LARGE, root) as (url, _), browser_running() as browser:
        return [*results, *first_hover(browser, url), *slow_machine(browser, url, "785 tokens")]


def first_visit(browser: Browser, url: str) -> list[Result]:
    with visited(browser) as (page, traffic, _):
        page.goto(url)
        page.wait_for_selector(READY)
        page.wait_for_timeout(2000)
        count, size = traffic.within(page.evaluate("window.firstMap"))
        _, whole = traffic.within(inf)
    return [
        Result("first visit: arrived in all, until somebody uses the page", "MB", (whole / 1e6,), 1.2),
        Result("first visit: arrived before the first map", "MB", (size / 1e6,), 1.2),
        Result("first visit: requests before the first map", "requests", (float(count),)),
    ]


def fast_3g(browser: Browser, url: str, visits: int) -> list[Result]:
    times = []
    for _ in range(visits):
        with visited(browser) as (page, traffic, line):
            line.send("Network.emulateNetworkConditions", FAST_3G)
            page.goto(url, wait_until="commit")
            page.wait_for_selector(READY)
            page.wait_for_timeout(8000)
            times.append([*page.evaluate("[window.firstMap, window.whole]"), traffic.until_quiet()])
    first, whole, quiet = zip(*times, strict=True)
    return [
        Result("first visit: Fast 3G, until the first map", "s", first, 5),
        Result("first visit: Fast 3G, until Gradio's page is around it", "s", whole),
        Result("first visit: Fast 3G, until nothing more comes", "s", quiet, 8),
    ]


def first_hover(browser: Browser, url: str) -> list[Result]:
    """Of the maps alone, by what has arrived when the stage first shows the map of a patch."""
    with visited(browser) as (page, _, line):
        line.send("Network.emulateNetworkConditions", FAST_3G | {"latency": 20, "downloadThroughput": 2e6})
        page.goto(url)
        page.wait_for_selector(READY)
        page.wait_for_function(HOVERED, polling=20)
        size, all_of_it = page.evaluate("[window.sent, document.querySelector('.viz').viewer.payload.buffer.length]")
    return [
        Result("448 px: of the maps, sent before the first hover answers", "MB", (size / 1e6,), 1.5),
        Result("448 px: all maps", "MB", (all_of_it / 1e6,)),
    ]


def slow_machine(browser: Browser, url: str, title: str) -> list[Result]:
    with visited(browser) as (page, _, line):
        page.goto(url)
        page.wait_for_selector(READY)
        page.evaluate(PROBE)
        page.evaluate("document.querySelector('.viz').viewer.use()")
        page.wait_for_function("document.querySelector('.viz').viewer.payload.complete")
        page.wait_for_timeout(1500)
        results = work_of_a_hover(browser, page, title)
        if page.evaluate("document.querySelector('.viz').viewer.attention.arena !== null"):
            results.append(fusing(page, title))
        line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        for hand, words in (("hover", "hover"), ("slide", "layer slider")):
            page.evaluate(f"probe.{hand}(10)")
            done = page.evaluate(f"probe.{hand}({EVENTS // 2})")
            what = f"{title}, processor {SLOWER} times slower: {words}"
            results += [
                Result(f"{what} to painted frame", "ms", tuple(one[0] for one in done), 33),
                Result(f"{what}, the viewer's own work", "ms", tuple(one[1] for one in done)),
            ]
    return results


def work_of_a_hover(browser: Browser, page: Page, title: str) -> list[Result]:
    """What the browser does besides running our code: counts, which no other work beside it changes."""
    # What is styled inside of a container whose size is asked for (@container) belongs to its layout, and is not counted.
    style = page.add_style_tag(content=".viz { container-type: normal !important; }")
    page.evaluate("probe.hover(5)")
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.evaluate(f"probe.hover({EVENTS // 2})")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    style.evaluate("(one) => one.remove()")
    styled = [one["args"].get("elementCount", 0) for one in events if one["name"] == "UpdateLayoutTree"]
    laid = [one["args"].get("beginData", {}).get("dirtyObjects", 0) for one in events if one["name"] == "Layout"]
    return [
        Result(f"{title}: elements that a hover styles anew", "elements", (sum(styled) / (EVENTS // 2),)),
        Result(f"{title}: objects that a hover lays out anew", "objects", (sum(laid) / (EVENTS // 2),)),
    ]


def fusing(page: Page, title: str) -> Result:
    """What a network too large for its maps to be kept pays for rollout, over the same with plain arrays."""
    fast, plain = page.evaluate(FUSED)
    return Result(f"{title}: all heads fused for rollout", "x with plain arrays", (fast / plain,), 0.6)


def nodes_left(browser: Browser, url: str) -> Result:
    """Nodes that each upload but the first leaves behind, those outside of the page that something still holds, too.

    Its thumbnail in the tray does not count: that is one of the visitor's pictures.
    """
    with TemporaryDirectory() as folder, visited(browser) as (page, _, line):
        page.goto(url)
        page.wait_for_selector(READY)
        page.evaluate(PROBE)
        counts = []
        for photo in write_photos(Path(folder), UPLOADS):
            page.evaluate("void (window.uploaded = probe.upload())")
            page.evaluate(CHOOSE, [b64encode(photo.read_bytes()).decode(), photo.name])
            page.evaluate("window.uploaded")
            page.wait_for_timeout(500)
            line.send("HeapProfiler.collectGarbage")
            shelf = page.evaluate("document.querySelectorAll('#own-pictures *').length")
            counts.append(line.send("Memory.getDOMCounters")["nodes"] - shelf)
    grown = tuple(float(after - before) for before, after in pairwise(counts))
    return Result("nodes that an upload leaves behind", "nodes", grown, 0)


@dataclass
class Traffic:
    """What came to a page: bytes as they travelled, by request."""

    urls: dict[str, str] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)
    pieces: list[tuple[float, str, int]] = field(default_factory=list)  # when, of which request, bytes

    def begins(self, event: dict[str, Any]) -> None:
        if event["request"]["url"].startswith("http"):
            self.urls[event["requestId"]] = event["request"]["url"]
            self.began[event["requestId"]] = event["timestamp"]

    def goes_on(self, event: dict[str, Any]) -> None:
        self.pieces.append((event["timestamp"], event["requestId"], event["encodedDataLength"]))

    def ends(self, event: dict[str, Any]) -> None:
        known = sum(size for _, one, size in self.pieces if one == event["requestId"])
        self.pieces.append((event["timestamp"], event["requestId"], event["encodedDataLength"] - known))  # heads

    def within(self, seconds: float) -> tuple[int, int]:
        """Requests that began, and bytes that came, so soon after the first request."""
        most = min(self.began.values()) + seconds
        count = sum(1 for began in self.began.values() if began <= most)
        return count, sum(size for when, one, size in self.pieces if when <= most and one in self.urls)

    def until_quiet(self) -> float:
        """Seconds from the first request to the last bytes, but for streams that stay open."""
        came = [when for when, one, _ in self.pieces if one in self.urls and not OPEN.search(self.urls[one])]
        return max(came) - min(self.began.values())


@contextmanager
def visited(browser: Browser) -> Iterator[tuple[Page, Traffic, CDPSession]]:
    """A page that knows nothing yet, what comes to it, and the line to the browser."""
    page = new_page(browser)
    page.add_init_script(LISTEN)
    line, traffic = page.context.new_cdp_session(page), Traffic()
    line.on("Network.requestWillBeSent", traffic.begins)
    line.on("Network.dataReceived", traffic.goes_on)
    line.on("Network.loadingFinished", traffic.ends)
    line.send("Network.enable")
    try:
        yield page, traffic, line
    finally:
        page.context.close()
