"""What do weights of 8 bits a number cost?  python -m bench.eight_bits [--model NAME] [--pairs 11]

A network and its `vizapp.quantised` on the photographs of installed packages; and two pages of one file, with half precision and
with 8 bits, opened in turns. Writes bench/EIGHT_BITS.md.
"""

from __future__ import annotations

import argparse
import os
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser

import vizapp
from bench.__main__ import processor
from bench.alone import READY, UPLOAD
from bench.page import browser_running
from bench.pictures import write_photos
from bench.precision import DEIT, correlation
from bench.teaching import PHOTOS
from vizapp.browser.content import content_of
from vizapp.browser.network import pack_network
from vizapp.browser.one_file import one_file
from vizapp.model.spec import VisionModel

OUTPUT = Path(__file__).parent / "EIGHT_BITS.md"
SLOWER = 1.15  # at most: the weights are made float32 once, when the network is opened
TIMES = ("page opened, to its first map", "photo of one's own, to its map", "a pass alone")
# From the beginning of the navigation to the first painted map.
OPENED = f"""() => {{
  const look = () => (document.querySelector('{READY}') ? (window.opened = performance.now()) : requestAnimationFrame(look));
  look();
}}"""


def photographs() -> list[Path]:
    return [path for folder, names in PHOTOS for name in names if (path := folder / name).exists()]


def compared(model: VisionModel, small: VisionModel, photos: list[Path]) -> Iterator[list[str]]:
    """A row of the table for each photo, and one for all."""
    points, middle, worst, rollout, same = [], [], [], [], []
    for photo in photos:
        seen, other = vizapp.analyse(model, photo), vizapp.analyse(small, photo)
        (index, share), (there, _) = seen.best(1)[0], other.best(1)[0]
        label, now = seen.labels[index], dict(other.best(len(other.labels)))[index]
        off = np.concatenate([off_by(*both) for both in zip(rows_of(seen), rows_of(other), strict=True)])
        maps = [vizapp.explain(one, "rollout").scores.ravel() for one in (seen, other)]
        same.append(index == there)
        points.append(100 * abs(now - share))
        middle.append(100 * float(np.median(off)))
        worst.append(100 * float(off.max()))
        rollout.append(correlation(*maps))
        numbers = [
            f"{100 * share:.1f}",
            f"{100 * now:.1f}",
            f"{middle[-1]:.2f}",
            f"{worst[-1]:.1f}",
            f"{rollout[-1]:.4f}",
        ]
        yield [photo.stem, label, label if same[-1] else f"**{other.labels[there]}**", *numbers]
    yield [
        f"all {len(photos)}",
        "",
        f"the same on {sum(same)}",
        "",
        f"off by at most {max(points):.1f}",
        f"{median(middle):.2f}",
        f"{max(worst):.1f}",
        f"at least {min(rollout):.4f}",
    ]


def rows_of(seen: vizapp.Analysis) -> list[np.ndarray]:
    """Per layer: what each head of the classifier's query attends to, (heads, tokens)."""
    query = seen.trace.query(seen.trace.readout)
    return [layer.attend(query).numpy() for layer in seen.trace.layers]


def off_by(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Per head: the largest difference of a share, as a part of the row's largest share."""
    return np.abs(rows - others).max(-1) / rows.max(-1)


def timed(browser: Browser, page: Path, photo: Path) -> tuple[float, ...]:
    """Milliseconds of `TIMES`, in a browser window that has seen nothing before."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    window = context.new_page()
    window.set_default_timeout(120_000)
    window.add_init_script(f"({OPENED})()")
    window.goto(page.as_uri())
    window.wait_for_function("window.opened")
    opened = float(window.evaluate("window.opened"))
    window.evaluate("document.querySelector('.viz').viewer.use()")
    window.evaluate(f"void (window.uploaded = ({UPLOAD})())")
    window.set_input_files("#choose input[type=file]", photo)
    took, alone = window.evaluate("window.uploaded")
    context.close()
    return opened, took, alone


def pairs_of(half: Path, small: Path, count: int, folder: Path) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Times of both pages, which take turns in going first; a first pair does not count."""
    found = []
    (photo,) = write_photos(folder, 1)
    with browser_running() as browser:
        for turn in range(count + 1):
            order = (half, small) if turn % 2 else (small, half)
            times = {page: timed(browser, page, photo) for page in order}
            found.append((times[half], times[small]))
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.eight_bits", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default=f"file:{DEIT}?arch=deit_tiny_patch16_224")
    parser.add_argument("--pairs", type=int, default=11)
    asked = parser.parse_args()
    model = vizapp.load(asked.model, "cpu")
    small = vizapp.quantised(model)
    photos = photographs()
    rows = list(compared(model, small, photos))
    sizes, pages = [], []
    with TemporaryDirectory() as made:
        folder = Path(made)
        for title, one in (("half precision", model), ("8 bits", small)):
            packed = pack_network(one)
            pages.append(folder / f"{len(pages)}.html")
            whole = one_file(content_of(vizapp.analyse(one, photos[0])), pages[-1])
            sizes.append(
                [title, *(f"{size / 1e6:.2f}" for size in (len(packed), len(zlib.compress(packed, 9)), whole))]
            )
        pairs = pairs_of(pages[0], pages[1], asked.pairs, folder)
    OUTPUT.write_text(page(model.name, rows, sizes, pairs), "utf-8")
    print(OUTPUT.read_text("utf-8"))


def page(
    name: str, rows: list[list[str]], sizes: list[list[str]], pairs: list[tuple[tuple[float, ...], tuple[float, ...]]]
) -> str:
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    times = []
    for number, what in enumerate(TIMES):
        half, small = ([pair[side][number] for pair in pairs] for side in (0, 1))
        ratio = median(one / other for one, other in zip(small, half, strict=True))
        shown = f"{ratio:.2f}" if ratio <= SLOWER else f"**{ratio:.2f}**"
        times.append([what, f"{median(half):.0f}", f"{median(small):.0f}", shown])
    lines = [
        "# What do weights of 8 bits cost?",
        "",
        f"Made by `python -m bench.eight_bits` on {date.today()}: {name},",
        "and `vizapp.quantised` of it, which is what a page without a server carries.",
        "",
        "## The maps",
        "",
        "The photographs that gradio, scikit-image and matplotlib bring with them. The percentages are the probability of the",
        "class that the weights of training put first. *Median* and *worst* are over all layers and heads: how far a share of",
        "what the classifier's query attends to is off at most, in % of the largest share of its row. *r* is that of rollout.",
        "",
        *table(["photo", "class", "by 8 bits", "%", "% by 8 bits", "median", "worst", "r"], rows),
        "",
        "## The files",
        "",
        "MB. The page is one file with one picture, and has every sentence in both languages. Its own compression puts the lower",
        "bytes of half precision first, which deflates better.",
        "",
        *table(["weights", "network", "deflated", "page"], sizes),
        "",
        "## The time",
        "",
        f"Milliseconds in Chromium, from the disk ({processor()}, {os.cpu_count()} cores, load {load} at the end):",
        f"medians of {len(pairs)} pairs of fresh windows that take turns in going first. The ratio is the median of the pairs'",
        f"ratios, which other work on the machine disturbs less than it does the times. In bold what is above {SLOWER}.",
        "",
        *table(["", "half precision", "8 bits", "ratio"], times),
        "",
    ]
    return "\n".join(lines)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(one)} |" for one in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    main()
