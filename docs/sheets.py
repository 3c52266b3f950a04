"""Make the sheets that docs/page.md shows: the states of the page in one window, light above dark.

python launch.py --no-browser &        # in another terminal
python docs/sheets.py [http://127.0.0.1:7860] [--full FOLDER] [--only NAME ...]

With --full each screenshot is kept in its own size as well, to be looked at before its sheet is.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import sync_playwright
from shots import SCENE, Shots, compared, guess

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.checkpoints import save_vit

FOLDER = Path(__file__).parent / "windows"
LARGEST = 200_000  # bytes of a sheet
ROW = 260  # the height of a screenshot on a sheet
WIDEST = 400  # its width
GAP = 8
WINDOWS = {
    "1280x800": ("en", 1280, 800),
    "1366x657": ("en", 1366, 657),
    "1920x1080": ("en", 1920, 1080),
    "390x844": ("en", 390, 844),
    "844x390": ("en", 844, 390),
    "1280x800-zh": ("zh", 1280, 800),
}


def rest(one: Shots) -> None:
    """The first screen."""
    one.open(SCENE)


def steps(one: Shots) -> None:
    """How one number is made, at the softmax."""
    one.open(f"{SCENE}&layer=4&steps=1&step=5")
    one.page.locator("[data-step=softmax] .viz-step-body").wait_for()
    one.page.locator("[data-step=softmax]").evaluate("(step) => step.scrollIntoView()")
    one.page.wait_for_timeout(600)


def deep(one: Shots) -> None:
    """A network of 24 layers with random weights, by a link to which the visitor agrees."""
    name = save_vit(
        Path(tempfile.gettempdir()) / "vit-24.safetensors", depth=24, img_size=112, num_heads=6, embed_dim=96
    )
    one.page.evaluate("(name) => localStorage.setItem('vizapp-models', JSON.stringify([name]))", name)
    one.open(f"#v=1&picture=lesson/clutter/16&model={quote(name)}")


STATES: tuple[Callable[[Shots], None], ...] = (rest, steps, guess, compared, deep)


def sheet(shots: list[list[Image.Image]]) -> Image.Image:
    """Lay the rows of screenshots on one picture."""
    width, height = shots[0][0].size
    scale = min(ROW / height, WIDEST / width)
    size = round(width * scale), round(height * scale)
    most = len(shots[0])
    laid = Image.new("RGB", (most * (size[0] + GAP) - GAP, len(shots) * (size[1] + GAP) - GAP), "#888")
    for y, row in enumerate(shots):
        for x, shot in enumerate(row):
            laid.paste(shot.resize(size, Image.Resampling.LANCZOS), (x * (size[0] + GAP), y * (size[1] + GAP)))
    return laid


def main() -> None:
    """Make all sheets, or those that are named."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("url", nargs="?", default="http://127.0.0.1:7860")
    said.add_argument("--full", type=Path)
    said.add_argument("--only", nargs="+", choices=WINDOWS, default=list(WINDOWS))
    given = said.parse_args()
    for folder in (FOLDER, *([given.full] if given.full else [])):
        folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in given.only:
            language, width, height = WINDOWS[name]
            rows = []
            for scheme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
                )
                page.goto(f"{given.url}?lang={language}")
                one, rows_of = Shots(page, f"{given.url}?lang={language}"), []
                for state in STATES:
                    state(one)
                    rows_of.append(one.shot())
                    if given.full:
                        rows_of[-1].save(given.full / f"{name}-{scheme}-{state.__name__}.png")
                rows.append(rows_of)
                page.close()
            path = FOLDER / f"{name}.webp"
            sheet(rows).save(path, quality=70, method=6)
            size = path.stat().st_size
            assert size <= LARGEST, f"{path.name} has {size} bytes"
            print(f"{path.name}: {size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
