"""Make the pictures of the page that README shows: assets/screenshots/*.png and film.gif, of a page that runs.

python launch.py --no-browser &        # in another terminal
python docs/shots.py [http://127.0.0.1:7860]
"""

import io
import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "assets" / "screenshots"
SIZE = {"width": 1280, "height": 800}
FILM_WIDTH = 880
COLOURS = 250
LARGEST = 3_000_000  # bytes of the film
READY = """() => {
  const viewer = document.querySelector('.viz')?.viewer;
  return viewer?.payload?.complete && !viewer.waiting && !viewer.asking;
}"""
SCENE = "#v=1&picture=lesson/clutter/16&model=toy"


class Shots:
    """A page, and the frames of a film that is made of it."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.frames: list[tuple[Image.Image, int]] = []  # and how long each stays, in milliseconds

    def open(self, hash_: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(self.url + hash_)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_function(READY, timeout=60_000)
        self.page.wait_for_timeout(900)

    def shot(self) -> Image.Image:
        return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")

    def save(self, name: str) -> None:
        few = self.shot().quantize(250, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(FOLDER / f"{name}.png", optimize=True)

    def frame(self, milliseconds: int) -> None:
        shot = self.shot()
        height = round(shot.height * FILM_WIDTH / shot.width)
        self.frames.append((shot.resize((FILM_WIDTH, height), Image.Resampling.LANCZOS), milliseconds))

    def set(self, changes: str) -> None:
        self.page.evaluate(f"document.querySelector('.viz').viewer.state.set({changes})")
        self.page.wait_for_timeout(200)

    def mark(self, places: list[tuple[float, float]]) -> None:
        box = self.page.locator(".viz-picture").bounding_box()
        for x, y in places:
            self.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            self.page.wait_for_timeout(150)
            self.frame(450)
        self.page.evaluate("scrollTo(0, 0)")

    def film(self, name: str) -> None:
        octree = {
            "method": Image.Quantize.FASTOCTREE,
            "dither": Image.Dither.NONE,
        }  # keeps the few yellow patches yellow
        pictures = [picture.quantize(COLOURS, **octree) for picture, _ in self.frames]
        pictures[0].save(
            FOLDER / f"{name}.gif",
            save_all=True,
            append_images=pictures[1:],
            duration=[milliseconds for _, milliseconds in self.frames],
            loop=0,
            optimize=True,
        )
        size = (FOLDER / f"{name}.gif").stat().st_size
        assert size <= LARGEST, f"the film has {size} bytes"
        print(f"{name}.gif: {len(pictures)} frames, {size / 1e6:.1f} MB")


def guess(one: Shots) -> None:
    """Chapter 3, and where CLS will look, told and scored."""
    one.open("#v=1&picture=lesson/clutter/8&model=toy&layer=4&chapter=cls")
    one.frame(1400)
    one.mark([(0.45, 0.4), (0.62, 0.72), (0.71, 0.96)])
    one.page.locator(".viz-taps button").click()
    one.page.wait_for_timeout(900)
    one.page.evaluate("scrollTo(0, 0)")
    one.page.wait_for_timeout(900)


def compared(one: Shots) -> None:
    """The tab Methods after a run of the quick methods."""
    one.open(f"{SCENE}&tab=methods")
    one.page.locator("#methods-go").click()
    one.page.locator("#methods-more-box").wait_for(timeout=120_000)  # there are numbers to show
    one.page.wait_for_timeout(900)
    one.page.evaluate("scrollTo(0, 0)")


def main(url: str) -> None:
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        one = Shots(browser.new_page(viewport=SIZE), url)
        one.open(SCENE)
        one.save("page")
        for layer in range(5):  # CLS gathers on the object
            one.set(f"{{ layer: {layer} }}")
            one.frame(900)
        one.open(f"{SCENE}&layer=4&steps=1&step=5")
        one.page.locator("[data-step=softmax] .viz-step-body").wait_for()
        one.page.locator("[data-step=softmax]").evaluate("(step) => step.scrollIntoView()")
        one.page.wait_for_timeout(600)
        one.save("steps")
        one.frame(2200)
        guess(one)
        one.save("textbook")
        one.frame(2600)
        one.page.locator(".viz-options button").first.click()
        one.page.locator(".viz-curves").wait_for()
        for n in (2, 3):
            one.page.locator(".viz-task:not([data-done]) button").click()
            one.page.wait_for_function(
                "(n) => document.querySelectorAll('.viz-curves figure:first-child polyline').length === n", arg=n
            )
            one.settle()
        one.page.locator(".viz-curves").scroll_into_view_if_needed()
        one.settle()
        one.frame(2200)
        one.open("#v=1&picture=lesson/shortcut/13&model=shortcut&chapter=shortcut")
        one.mark([(0.3, 0.6), (0.5, 0.6), (0.05, 0.95)])
        one.page.locator(".viz-taps button").click()
        one.page.locator(".viz-mark").wait_for()
        one.page.evaluate("scrollTo(0, 0)")
        one.page.wait_for_timeout(900)
        one.frame(1600)
        box = one.page.locator(".viz-mark").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        one.page.mouse.move(x, y)
        one.page.mouse.down()
        for away in (60, 140, 220):
            one.page.mouse.move(x - away / 2, y + away * 0.7)
            one.page.wait_for_timeout(80)
            one.frame(250)
        one.page.mouse.up()
        one.page.wait_for_function("document.querySelector('.viz').viewer.payload?.lesson?.isBare")
        one.settle()
        one.frame(3000)
        one.film("film")
        compared(one)
        one.page.locator(".methods-grid figure[data-method=chefer] button").click()
        picture = one.page.locator(".methods-large .methods-picture").bounding_box()
        one.page.mouse.move(picture["x"] + 0.68 * picture["width"], picture["y"] + 0.75 * picture["height"])
        one.page.wait_for_timeout(300)
        one.save("methods")
        other = Shots(browser.new_page(viewport=SIZE), f"{url}?lang=zh")
        other.open(SCENE)
        other.save("page.zh")
        guess(other)
        other.save("textbook.zh")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7860")
