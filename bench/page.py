"""The page in Chromium: from an upload to the first heatmap, and from a moved hand to the painted frame."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch
from playwright.sync_api import Browser, Page, sync_playwright

import vizapp
from bench.capture import MODEL, plain
from bench.measure import BESIDE, Result, in_turns, over, ratios, repeated
from bench.pictures import write_photos
from bench.server import ROOT, running, started
from bench.yardstick import UPLOAD
from vizapp.core.capture.forward import capture
from vizapp.model.spec import VisionModel
from vizapp.picture import read_picture
from vizapp.ui.viewer.payload import Packed, pack

PROBE = (Path(__file__).parent / "probe.js").read_text("utf-8")
READY = '#viewer .viz[data-state="ready"]'  # in Gradio's component: the first map may be there before it
EVENTS = 90
VIEW = {"width": 1280, "height": 800}
LONGEST = 180_000  # milliseconds
PARTS = {  # of the way from upload to heatmap, as the page sees it
    "sent": "upload sent and stored",
    "answered": "queue, model, packing, until the page asks for the maps",
    "opened": "until their first byte",
    "shown": "until they are painted",
}
NETWORKS = {"ViT-B/16": MODEL, "toy": "toy"}


def measure(repeats: int) -> list[Result]:
    return [result for title, name in NETWORKS.items() for result in measure_page(name, title, repeats)]


def beside(before: Path, repeats: int) -> list[Result]:
    """The first map and the hover here, over those in another checkout."""
    return [one for title, name in NETWORKS.items() for one in beside_page(before, name, title, repeats)]


def beside_page(before: Path, name: str, title: str, pairs: int) -> list[Result]:
    """The same of one network: two servers, and two pages of one browser."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        browser = stack.enter_context(browser_running())
        urls = [stack.enter_context(running(name, root))[0] for root in (ROOT, before)]
        pages = [opened(browser, url) for url in urls]
        found = []
        for turn, photo in enumerate(write_photos(Path(folder), pairs + 1)):
            maps = in_turns(turn, *(partial(first_map, page, photo) for page in pages))
            hands = in_turns(turn, *(partial(hovered, page) for page in pages))
            found.append([one / other for one, other in (maps, *zip(*hands, strict=True))])
    figures = zip(*found[1:], strict=True)  # the first does not count: the browser compiles
    what = ("upload to first heatmap", "hover to painted frame", "hover, the viewer's own work")
    return [Result(f"{title}: {words}", BESIDE, ratios) for words, ratios in zip(what, figures, strict=True)]


def first_map(page: Page, photo: Path) -> float:
    """Milliseconds from an upload to its first heatmap."""
    page.bring_to_front()
    return float(uploaded(page, photo)["total"])


def hovered(page: Page) -> tuple[float, float]:
    """Milliseconds from a moved hand to the painted frame, and of it the viewer's own: medians."""
    page.bring_to_front()
    painted, own = zip(*page.evaluate(f"probe.hover({EVENTS // 3 or 1})"), strict=True)
    return median(painted), median(own)


def measure_page(name: str, title: str, repeats: int) -> list[Result]:
    model = vizapp.load(name, "cpu")
    with TemporaryDirectory() as folder, started(name) as (url, _), open_page(url) as page:
        photos = write_photos(Path(folder), repeats + 1)
        size = Packed.of(pack(vizapp.analyse(model, photos[0]))).first
        bare = ("-m", "bench.yardstick", "--bytes", str(size))
        results = measure_server(model, photos[0], title, repeats)
        with running(name, program=bare) as (bare_url, _):
            bare_page = page.context.browser.new_page()
            bare_page.goto(bare_url)
            bare_page.wait_for_selector("#viewer")
            results += measure_upload(page, bare_page, model, photos, title)
            bare_page.close()
        for method in ("attention", "rollout"):
            page.evaluate(f'document.querySelector(".viz").viewer.state.set({{method: "{method}"}})')
            page.evaluate("probe.settle()")
            results += measure_hand(page, f"{title}, {method}")
    return results


def measure_upload(page: Page, bare: Page, model: VisionModel, photos: list[Path], title: str) -> list[Result]:
    """Each upload beside a plain forward pass and an upload to a bare Gradio page (yardstick.py); the first does not count."""
    pixels = torch.randn(1, 3, *model.preprocess.size)
    parts: list[dict[str, float]] = []
    forward: list[float] = []
    yardstick: list[float] = []
    for photo in photos:
        forward.append(median(repeated(lambda: plain(model, pixels), 3)))
        parts.append(uploaded(page, photo))
        yardstick.append(uploaded(bare, photo, f"({UPLOAD})()"))
    del parts[0], forward[0], yardstick[0]
    totals = [one["total"] for one in parts]
    allowed = [1.1 * pass_ + 1.2 * least for pass_, least in zip(forward, yardstick, strict=True)]
    rest = tuple(total - pass_ for total, pass_ in zip(totals, forward, strict=True))
    return [
        Result(
            f"{title}: upload to first heatmap", "times 1.1 plain passes and 1.2 bare uploads", over(totals, allowed), 1
        ),
        Result(f"{title}: the same upload to a bare Gradio page that has its answer ready", "ms", tuple(yardstick)),
        Result(f"{title}: upload to first heatmap, less a plain forward pass", "ms", rest, 400),
        Result(f"{title}: upload to first heatmap", "ms", tuple(totals)),
        *[Result(f"{title}: of it, {words}", "ms", tuple(one[part] for one in parts)) for part, words in PARTS.items()],
        Result(f"{title}: plain forward pass beside each", "ms", tuple(forward)),
    ]


def uploaded(page: Page, photo: Path, probe: str = "probe.upload()") -> Any:
    """What a probe in the page says of an upload."""
    page.evaluate(f"void (window.uploaded = {probe})")
    page.set_input_files("#picture input[type=file]", photo)
    return page.evaluate("window.uploaded")


def measure_server(model: VisionModel, photo: Path, title: str, repeats: int) -> list[Result]:
    """What the server does for one picture, step by step, in this process."""
    seen = vizapp.analyse(model, photo)
    pixels, _ = model.preprocess(seen.picture)
    steps = {
        "read": lambda: read_picture(photo),
        "preprocess": lambda: model.preprocess(seen.picture),
        "forward + capture": lambda: capture(model, pixels),
        "pack": lambda: pack(seen),
    }
    results = [Result(f"{title}: server, {step}", "ms", repeated(run, repeats)) for step, run in steps.items()]
    _, (packing,) = ratios(lambda: plain(model, pixels), [steps["pack"]], repeats)
    return [Result(f"{title}: packing", "x plain forward pass", packing, 0.1), *results]


def measure_hand(page: Page, title: str) -> list[Result]:
    """Hovering and the layer slider, with the requests that they cause."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.evaluate("probe.hover(10)")  # does not count: the browser compiles
    hovered = page.evaluate(f"probe.hover({EVENTS})")
    slid = page.evaluate(f"probe.slide({EVENTS})")
    return [
        Result(f"{title}: hover to painted frame", "ms", tuple(one[0] for one in hovered), 20),
        Result(f"{title}: of it, the viewer's own work", "ms", tuple(one[1] for one in hovered)),
        Result(f"{title}: layer slider to painted frame", "ms", tuple(one[0] for one in slid), 20),
        Result(f"{title}: of it, the viewer's own work", "ms", tuple(one[1] for one in slid)),
        Result(f"{title}: requests during {2 * EVENTS + 10} events", "requests", (float(len(requests)),), 0),
    ]


@contextmanager
def open_page(url: str) -> Iterator[Page]:
    """The page in a browser of its own, with its first picture painted and the probe in place."""
    with browser_running() as browser:
        yield opened(browser, url)


def opened(browser: Browser, url: str, ready: str = READY, **options: Any) -> Page:
    """The same in a browser that runs; `options` of its context."""
    page = new_page(browser, **options)
    page.goto(url)
    page.wait_for_selector(ready)
    page.evaluate(PROBE)
    page.evaluate("probe.settle()")
    return page


def new_page(browser: Browser, **options: Any) -> Page:
    """An empty page, of a visitor who has seen nothing before."""
    page = browser.new_context(viewport=VIEW, **options).new_page()
    page.set_default_timeout(LONGEST)
    return page


@contextmanager
def browser_running(*more: str) -> Iterator[Browser]:
    """A headless browser; `more` arguments of its command."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")  # else the one that Playwright brought
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", *more])
        yield browser
        browser.close()
