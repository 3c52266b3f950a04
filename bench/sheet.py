"""A sheet for a class: two pages of A4 with maps of the built-in network; one to fill in, one with the answers.

    python -m bench.sheet [-o teaching-sheet.pdf] [--lang en]

A name that ends in .html gives the page itself, to be printed from any browser; a PDF is printed by Chromium, through playwright.
"""

import argparse
import base64
import shutil
from collections.abc import Callable
from html import escape
from pathlib import Path

import cv2
import numpy as np

import vizapp
from bench.teaching import depth
from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui.words import Words, words_for

GUESSED = (16, 3, 8)  # numbers of the lesson "Among clutter", of which the patches are guessed
ORDERED = 5  # the one whose layers are to be put in order
SHUFFLED = (2, 4, 0, 3, 1)  # layers, as they stand on the sheet
SPOILED = 13  # of "A shortcut"
SIDE = 448  # pixels of a picture

LINE = "<div class=line></div>"
STYLE = """
@page { size: A4; margin: 12mm 14mm; }
body { margin: 0; color: #111;
  font: 10.5pt/1.35 system-ui, "DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
h2 { font-size: 11.5pt; margin: 4mm 0 1.5mm; }
p { margin: 0 0 2mm; }
.who { display: flex; gap: 8mm; margin-bottom: 3mm; }
.who span { flex: 1; border-bottom: 1px solid #777; padding-bottom: 1mm; }
.row { display: flex; gap: 4mm; break-inside: avoid; }
figure { margin: 0; flex: 1; max-width: 62mm; }
.lines { max-width: none; }
img { width: 100%; display: block; }
figcaption { font-size: 9.5pt; }
.picture { position: relative; }
.picture svg { position: absolute; inset: 0; width: 100%; height: 100%; }
table { border-collapse: collapse; width: 100%; }
td, th { border: 1px solid #777; padding: 1.2mm 2mm; font-weight: 400; text-align: center; }
.line { border-bottom: 1px solid #777; height: 9mm; }
.answers { break-before: page; }
"""


def picture(pixels: np.ndarray, grid: tuple[int, int] | None = None) -> str:
    """HTML of (h, w, 3) RGB, with the lines between its patches."""
    data = base64.b64encode(cv2.imencode(".jpg", pixels[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())
    lines = ""
    if grid:
        rows, cols = grid
        every = "".join(f"M{x} 0V{rows}" for x in range(1, cols)) + "".join(f"M0 {y}H{cols}" for y in range(1, rows))
        path = f'<path d="{every}" stroke="#fffa" stroke-width=".04"/>'
        lines = f'<svg viewBox="0 0 {cols} {rows}" preserveAspectRatio="none">{path}</svg>'
    return f'<div class="picture"><img src="data:image/jpeg;base64,{data.decode()}" alt="">{lines}</div>'


def figure(inside: str, caption: str = "") -> str:
    return f"<figure>{inside}<figcaption>{escape(caption)}</figcaption></figure>"


def sheet(words: Words) -> str:
    """The whole sheet as one HTML page."""
    model = vizapp.load("toy")
    clutter = LESSONS["clutter"]

    def seen_of(number: int) -> Analysis:
        return vizapp.analyse(model, clutter.example(number, SIDE).picture)

    def say(key: str, **values: object) -> str:
        return escape(words.say("sheet", key, **values), quote=False)

    def painted(seen: Analysis, layer: int = -1) -> str:
        return picture(vizapp.paint(seen, vizapp.explain(seen, "attention", layer=layer)))

    guessed = [seen_of(number) for number in GUESSED]
    ordered = seen_of(ORDERED)
    example = clutter.example(ORDERED, SIDE)
    layers = depth(ordered, ordered.frame.mask_of(example.truth))
    n = len(ordered.trace.layers)
    spoiled = vizapp.load("shortcut")
    with_mark = vizapp.analyse(spoiled, LESSONS["shortcut"].example(SPOILED, SIDE).picture)
    without = vizapp.analyse(spoiled, LESSONS["shortcut"].example(SPOILED, SIDE, is_bare=True).picture)
    letters = "ABCDEFG"

    def said_of(seen: Analysis) -> str:
        label, share = seen.top(1)[0]
        return words.say("sheet", "says", label=words.translate(label), share=f"{share:.0%}")

    def row(cells: list[str]) -> str:
        return f'<div class="row">{"".join(cells)}</div>'

    def table(value: Callable[[int], str]) -> str:
        head = "".join(f"<th>{layer + 1}</th>" for layer in range(n))
        body = "".join(f"<td>{value(layer)}</td>" for layer in range(n))
        return f"<table><tr><th>{say('layer')}</th>{head}</tr><tr><th>{say('share')}</th>{body}</tr></table>"

    def on_object(layer: int) -> str:
        return f"{layers['object'][layer]:.0%}"

    covers = f"{ordered.frame.mask_of(example.truth).mean():.0%}"
    right = ", ".join(letters[i] for i in sorted(range(n), key=lambda i: SHUFFLED[i]))
    tasks = [
        f"<h1>{say('title')}</h1><div class=who><span>{say('name')}</span><span>{say('date')}</span></div>",
        f"<p>{say('hello')}</p><h2>1. {say('guess')}</h2>",
        row([figure(picture(one.picture, one.trace.layout.grid)) for one in guessed]),
        f"<h2>2. {say('order')}</h2>",
        row([figure(painted(ordered, layer), letters[i]) for i, layer in enumerate(SHUFFLED)]),
        f"<p>{say('order_line')}</p>",
        f"<h2>3. {say('fill')}</h2>{table(lambda layer: '&nbsp;')}",
        f"<h2>4. {say('shortcut')}</h2>",
        row([figure(picture(with_mark.picture), said_of(with_mark)), f"<figure class=lines>{LINE * 5}</figure>"]),
    ]
    answers = [
        f"<h1>{say('answers')}</h1><h2>1.</h2>",
        row([figure(painted(one), said_of(one)) for one in guessed]),
        f"<p>{say('guess_answer')}</p>",
        f"<h2>2.</h2><p>{say('order_answer', order=right)}</p>",
        f"<h2>3.</h2>{table(on_object)}<p>{say('fill_answer', area=covers)}</p><h2>4.</h2>",
        row([figure(painted(one), said_of(one)) for one in (with_mark, without)]),
        f"<p>{say('shortcut_answer')}</p>",
    ]
    head = f'<meta charset="utf-8"><title>{say("title")}</title><style>{STYLE}</style>'
    body = f'<body>{"".join(tasks)}<div class="answers">{"".join(answers)}</div></body>'
    return f'<!doctype html><html lang="{words.language}">{head}{body}</html>'


def printed(html: str, path: Path) -> None:
    """Print a page to a PDF. Raises `VizError` where there is no Chromium."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise _no_chromium(path) from None
    with sync_playwright() as tools:
        try:
            browser = tools.chromium.launch(executable_path=found_chromium(), args=["--no-sandbox"])
        except Error:
            raise _no_chromium(path) from None
        page = browser.new_page()
        page.set_content(html)
        page.pdf(path=str(path), format="A4", print_background=True, prefer_css_page_size=True)
        browser.close()


def found_chromium() -> str | None:
    """A Chromium of the system; None: playwright's own."""
    names = ("chromium", "google-chrome", "chromium-browser")
    return next((place for name in names if (place := shutil.which(name))), None)


def _no_chromium(path: Path) -> VizError:
    return VizError(
        "A PDF is printed by Chromium, which is not here.",
        "Write {html} instead and print it from a browser.",
        html=path.with_suffix(".html").name,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sheet", description=str(__doc__))
    parser.add_argument("-o", "--output", type=Path, default=Path("teaching-sheet.pdf"))
    parser.add_argument("--lang", default="en")
    given = parser.parse_args()
    try:
        html = sheet(words_for(given.lang))
        if given.output.suffix == ".html":
            given.output.write_text(html, "utf-8")
        else:
            printed(html, given.output)
    except VizError as error:
        raise SystemExit(str(error)) from None
    print(given.output)


if __name__ == "__main__":
    main()
