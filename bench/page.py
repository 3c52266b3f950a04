"""The page in Chromium: from an upload to the first heatmap, and from a moved hand to the painted frame."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch
from playwright.sync_api import Browser, Page, sync_playwright

import vizapp
from bench.capture import MODEL
from bench.measure import Result, ratios, repeated
from bench.pictures import write_photos
from bench.server import running, started
from bench.yardstick import UPLOAD
from vizapp.core.capture.forward import capture
from vizapp.model.spec import VisionModel
from vizapp.picture import read_picture
from vizapp.ui.viewer.payload import Packed, pack

PROBE = (Path(__file__).parent / "probe.js").read_text("utf-8")
READY = '#viewer .viz[data-state="ready"]'  # in Gradio's component: the first map may be there before it
EVENTS = 90
PARTS = {  # of the way from upload to heatmap, as the page sees it
    "sent": "upload sent and stored",
    "answered": "queue, model, packing, until the page asks for the maps",
    "opened": "until their first byte",
    "shown": "until they are painted",
}


def measure(repeats: int) -> list[Result]:
    return [*measure_page(MODEL, "ViT-B/16", repeats), *measure_page("toy", "toy", repeats)]


def measure_page(name: str, title: str, repeats: int) -> list[Result]:
    model = vizapp.load(name, "cpu")
    with TemporaryDirectory() as folder, started(name) as (url, _), open_page(url) as page:
        photos = write_photos(Path(folder), repeats + 1)
        size = Packed.of(pack(vizapp.analyse(model, photos[0]))).first
        bare = ("-m", "bench.yardstick", "--bytes", str(size))
        results = measure_server(model, photos[0], title, repeats)
        with running(name, program=bare) as (bare_url, _):
            beside = page.context.browser.new_page()
            beside.goto(bare_url)
            beside.wait_for_selector("#viewer")
            results += measure_upload(page, beside, model, photos, title)
            beside.close()
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
        page.evaluate("void (window.uploaded = probe.upload())")
        page.set_input_files("#picture input[type=file]", photo)
        parts.append(page.evaluate("window.uploaded"))
        bare.evaluate(f"void (window.uploaded = ({UPLOAD})())")
        bare.set_input_files("#picture input[type=file]", photo)
        yardstick.append(bare.evaluate("window.uploaded"))
    del parts[0], forward[0], yardstick[0]
    allowed = [1.1 * plain + 1.2 * least for plain, least in zip(forward, yardstick, strict=True)]
    over = tuple(one["total"] / most for one, most in zip(parts, allowed, strict=True))
    rest = tuple(one["total"] - plain for one, plain in zip(parts, forward, strict=True))
    return [
        Result(f"{title}: upload to first heatmap", "times 1.1 plain passes and 1.2 bare uploads", over, 1),
        Result(f"{title}: the same upload to a bare Gradio page that has its answer ready", "ms", tuple(yardstick)),
        Result(f"{title}: upload to first heatmap, less a plain forward pass", "ms", rest, 400),
        Result(f"{title}: upload to first heatmap", "ms", tuple(one["total"] for one in parts)),
        *[Result(f"{title}: of it, {words}", "ms", tuple(one[part] for one in parts)) for part, words in PARTS.items()],
        Result(f"{title}: plain forward pass beside each", "ms", tuple(forward)),
    ]


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
    """The page in a headless browser, with its first picture painted and the probe in place."""
    with browser_running() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(120_000)
        page.goto(url)
        page.wait_for_selector(READY)
        page.evaluate(PROBE)
        page.evaluate("probe.settle()")
        yield page


@contextmanager
def browser_running(*more: str) -> Iterator[Browser]:
    """A headless browser; `more` arguments of its command."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")  # else the one that Playwright brought
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", *more])
        yield browser
        browser.close()


def plain(model: VisionModel, pixels: torch.Tensor) -> Any:
    with torch.no_grad():
        return model.net(pixels)
