"""The page in one file, opened from the disk: from a picture to its map, a hand while the network works, and a camera.

The picture of the camera is Chromium's own. Its frames, the network and the hand share the processors with what measures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from bench.measure import Result
from bench.page import browser_running, opened
from bench.pictures import write_photos
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file

NETWORKS = {
    "toy": "toy",
    "DeiT-Ti": "timm:deit_tiny_patch16_224?pretrained=no",
    "ViT-S/16": "timm:vit_small_patch16_224?pretrained=no",
}
CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
READY = '.viz[data-state="ready"]'
WATCHED = 12.0  # seconds of camera
# From the file that is chosen to the painted map; then the pass alone, on the same picture in the same Worker.
UPLOAD = """async () => {
  const { viewer } = document.querySelector(".viz");
  const before = viewer.payload;
  const begun = await new Promise((go) => addEventListener("change", () => go(performance.now()), { capture: true, once: true }));
  while (viewer.payload === before) await new Promise(requestAnimationFrame);
  const took = performance.now() - begun;
  const { desk } = document.querySelector("#moving").moving;
  const { width, height } = viewer.payload.bitmap;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  canvas.drawImage(viewer.payload.bitmap, 0, 0);
  const passes = [];
  for (let i = 0; i < 3; i++) {
    passes.push((await desk.glance(desk.shown.model, canvas.getImageData(0, 0, width, height))).took);
  }
  return [took, passes.sort((a, b) => a - b)[1]];
}"""
# The layer slider while the network looks at another picture.
SCRUB = """async () => {
  const { desk } = document.querySelector("#moving").moving;
  const { model } = desk.shown;
  const times = [];
  const slider = document.querySelector(".viz-layer");
  for (const picture of desk.about.pictures.map(({ name }) => name)) {
    if (picture === desk.shown.picture) continue;
    let isRunning = true;
    const running = desk.look({ picture, model }).finally(() => (isRunning = false));
    while (isRunning) {
      const [one] = await probe.timed(() => {
        slider.value = (slider.value % slider.max) + 1;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      });
      if (isRunning) times.push(one);
    }
    await running;
    await probe.settle();
  }
  return times;
}"""


def measure(repeats: int) -> list[Result]:
    results: list[Result] = []
    with TemporaryDirectory() as folder:
        photos = write_photos(Path(folder), repeats + 1)
        for title, name in NETWORKS.items():
            with page_of(name, photos[:6], Path(folder) / "page.html") as page:
                results += measure_upload(page, photos, title)
                scrubbed = page.evaluate(f"({SCRUB})()")
                results.append(
                    Result(f"{title}: layer slider to painted frame, while a pass runs", "ms", tuple(scrubbed), 20)
                )
                results += measure_camera(page, title)
    return results


def measure_upload(page: Page, photos: list[Path], title: str) -> list[Result]:
    """The first picture does not count."""
    times: list[tuple[float, float]] = []
    for photo in photos:
        page.evaluate(f"void (window.uploaded = ({UPLOAD})())")
        page.set_input_files("#choose input[type=file]", photo)
        times.append(page.evaluate("window.uploaded"))
    rest = tuple(whole - alone for whole, alone in times[1:])
    return [
        Result(f"{title}: picture to first map, less the pass", "ms", rest, 150 if title == "toy" else None),
        Result(f"{title}: the pass alone beside each", "ms", tuple(alone for _, alone in times[1:])),
    ]


def measure_camera(page: Page, title: str) -> list[Result]:
    """Shown frames a second are at least 0.8 / (a pass): from one frame to the next it takes at most 1.25 passes."""
    page.click("#choose .webcam")
    page.wait_for_function("document.querySelector('#moving').moving.shown.length > 3")
    page.evaluate("document.querySelector('#moving').moving.shown.shift = () => 0")  # keep them all
    page.wait_for_timeout(1e3 * WATCHED)
    shown = page.evaluate("document.querySelector('#moving').moving.shown")
    page.click("#moving .end")
    passes = median(one["took"] for one in shown)
    between = tuple((then["at"] - now["at"]) / passes for now, then in pairwise(shown))
    return [
        Result(f"{title}: camera, from one shown frame to the next", "x pass", between, 1.25),
        Result(f"{title}: camera, shown frames", "1/s", (1e3 / (passes * median(between)),)),
    ]


@contextmanager
def page_of(name: str, photos: list[Path], path: Path) -> Iterator[Page]:
    """The page of a network, with its first map painted, and the probe in place."""
    one_file(content(Wanted((name,), photos, languages=("en",))), path)
    with browser_running(*CAMERA) as browser:
        yield opened(browser, path.as_uri(), READY, bypass_csp=True)
