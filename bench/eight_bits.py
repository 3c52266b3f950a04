"""What do weights of 8 bits a number cost?  python -m bench.eight_bits [--model NAME] [--pairs 11]

A network and its `vizapp.quantised` on the photographs of installed packages; and two pages of one file, with half precision and
with 8 bits, opened in turns. Writes its part of bench/results.json, and bench/EIGHT_BITS.md.
"""

import argparse
import zlib
from datetime import date
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Browser

import vizapp
from bench.__main__ import conditions
from bench.alone import READY, UPLOAD
from bench.measure import in_turns, over
from bench.page import browser_running, new_page
from bench.pages import keep
from bench.pictures import photographs, write_photos
from bench.precision import DEIT, correlation
from bench.results import FILE
from vizapp.browser.content import content_of
from vizapp.browser.network import pack_network
from vizapp.browser.one_file import one_file
from vizapp.model.spec import VisionModel

OUTPUT = FILE
TIMES = ("page opened, to its first map", "photo of one's own, to its map", "a pass alone")
# From the beginning of the navigation to the first painted map.
OPENED = f"""() => {{
  const look = () => (document.querySelector('{READY}') ? (window.opened = performance.now()) : requestAnimationFrame(look));
  look();
}}"""


def compared(model: VisionModel, small: VisionModel, photo: Path) -> dict[str, Any]:
    """What 8 bits change of one photo, in percent but for the correlation of the two rollouts."""
    seen, other = vizapp.analyse(model, photo), vizapp.analyse(small, photo)
    (index, share), (there, _) = seen.best(1)[0], other.best(1)[0]
    off = np.concatenate([off_by(*both) for both in zip(rows_of(seen), rows_of(other), strict=True)])
    return {
        "photo": photo.stem,
        "label": seen.labels[index],
        "by_8_bits": other.labels[there],
        "percent": round(100 * share, 3),
        "percent_by_8_bits": round(100 * dict(other.best(len(other.labels)))[index], 3),
        "median": round(100 * float(np.median(off)), 2),
        "worst": round(100 * float(off.max()), 1),
        "r": round(correlation(*(vizapp.explain(one, "rollout").scores.ravel() for one in (seen, other))), 4),
    }


def rows_of(seen: vizapp.Analysis) -> list[np.ndarray]:
    """Per layer: what each head of the classifier's query attends to, (heads, tokens)."""
    query = seen.trace.query(seen.trace.readout)
    return [layer.attend(query).numpy() for layer in seen.trace.layers]


def off_by(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Per head: the largest difference of a share, as a part of the row's largest share."""
    return np.abs(rows - others).max(-1) / rows.max(-1)


def timed(browser: Browser, page: Path, photo: Path) -> tuple[float, ...]:
    """Milliseconds of `TIMES`, in a browser window that has seen nothing before."""
    window = new_page(browser, bypass_csp=True)
    window.add_init_script(f"({OPENED})()")
    window.goto(page.as_uri())
    window.wait_for_function("window.opened")
    opened = float(window.evaluate("window.opened"))
    window.evaluate("document.querySelector('.viz').viewer.use()")
    window.evaluate(f"void (window.uploaded = ({UPLOAD})())")
    window.set_input_files("#choose input[type=file]", photo)
    took, alone = window.evaluate("window.uploaded")
    window.context.close()
    return opened, took, alone


def pairs_of(half: Path, small: Path, count: int, folder: Path) -> list[list[tuple[float, ...]]]:
    """Times of both pages, which take turns in going first; a first pair does not count."""
    found = []
    (photo,) = write_photos(folder, 1)
    with browser_running() as browser:
        for turn in range(count + 1):
            found.append(in_turns(turn, *(partial(timed, browser, page, photo) for page in (half, small))))
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.eight_bits", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default=f"file:{DEIT}?arch=deit_tiny_patch16_224")
    parser.add_argument("--pairs", type=int, default=11)
    asked = parser.parse_args()
    model = vizapp.load(asked.model, "cpu")
    small = vizapp.quantised(model)
    photos = list(photographs().values())
    files, pages = [], []
    with TemporaryDirectory() as made:
        folder = Path(made)
        for title, one in (("half precision", model), ("8 bits", small)):
            packed = pack_network(one)
            pages.append(folder / f"{len(pages)}.html")
            whole = one_file(content_of(vizapp.analyse(one, photos[0])), pages[-1])
            sizes = {"network": len(packed), "deflated": len(zlib.compress(packed, 9)), "page": whole}
            files.append({"weights": title} | {name: round(size / 1e6, 2) for name, size in sizes.items()})
        pairs = pairs_of(pages[0], pages[1], asked.pairs, folder)
    times = []
    for number, what in enumerate(TIMES):
        of_half, of_small = ([pair[side][number] for pair in pairs] for side in (0, 1))
        medians = {"half": round(median(of_half)), "small": round(median(of_small))}
        times.append({"what": what, **medians, "ratio": round(median(over(of_small, of_half)), 2)})
    rows = [compared(model, small, photo) for photo in photos]
    found = {
        "date": str(date.today()),
        "model": model.name,
        "conditions": conditions(),
        "pairs": len(pairs),
        "photographs": rows,
        "points": round(max(abs(one["percent_by_8_bits"] - one["percent"]) for one in rows), 1),
        "files": files,
        "times": times,
    }
    keep("eight_bits", found, OUTPUT)
    print(OUTPUT.with_name("EIGHT_BITS.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
