"""The live viewer inside of a notebook's cell: an iframe that holds all that it needs, and reaches nothing else.

    seen                                   # the last line of a cell: at most 1 MB for a picture of 224 pixels
    vizapp.show(seen, size="full")         # every head of every query, as much as that takes

What a small one has: each head of what the classifier reads, and of any other query the mean of the heads. Behind the frame
stands the still picture, for places that show HTML and drop frames (a notebook that is not trusted, a page that renders it).
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.analysis.record import made_from
from vizapp.browser.cargo import Cargo, base64
from vizapp.browser.headers import Headers, header_of, in_each_language
from vizapp.browser.script import script
from vizapp.notebook import HEIGHT, still
from vizapp.render.small import shrunk, webp
from vizapp.ui.viewer import given
from vizapp.ui.words import DEFAULT, Words, all_words, tag_of

FOLDER = Path(__file__).parent
MOST = 1_000_000  # bytes of a small one
ROOM = 200_000  # bytes of factors that a small one may have: if all layers fit, nothing is missing
SIDE = 640  # pixels of the longer side of the picture of a small one
# No request to anywhere, whatever a script would do: the frame has its own origin, and this is its policy.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src blob: data:; connect-src blob:"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>vizapp</title></head><body><div class="viz" data-state="empty"></div>
$cargo
<script>
$script
</script></body></html>"""
# Both in one cell of a grid: the frame covers the picture, which is left where there is no frame.
CELL = """<div class="vizapp" style="display:grid">
<div style="grid-area:1/1;overflow:hidden;max-height:{height}px">{still}<p>{says}</p></div>
<iframe title="vizapp" sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen" \
style="grid-area:1/1;width:100%;height:{height}px;border:0;background:white" srcdoc="{page}"></iframe></div>"""


def cell(seen: Analysis, size: str = "small", height: int = HEIGHT) -> str:
    """HTML of a cell; the arguments are those of `vizapp.show`."""
    return _small(seen, height) if size == "small" else _cell(seen, in_each_language(seen, all_words()), height)


def _small(seen: Analysis, height: int) -> str:
    """With as much as fits: all of a network that is small itself, else the mean of the heads, of the last layers first."""
    known, file = all_words(), _picture(seen.picture)
    if seen.trace.nbytes <= 4 * ROOM:  # half precision, or less where matrices are smaller
        made = in_each_language(seen, known, room=ROOM, file=file)
        whole = _cell(seen, made, height)
        if len(whole) <= MOST and all(layer["kind"] != "asked" for layer in header_of(made[0])["layers"]):
            return whole
    means = _cell(seen, in_each_language(seen, known, room=0, room_for_means=MOST, file=file), height)
    if len(means) <= MOST:
        return means
    bare = _cell(seen, in_each_language(seen, known, room=0, file=file), height)
    left = (MOST - len(bare)) * 3 // 4 * 97 // 100  # base64: four letters of three bytes; the header grows a little
    return _cell(seen, in_each_language(seen, known, room=0, room_for_means=left, file=file), height)


def _cell(seen: Analysis, made: tuple[bytes, Headers], height: int) -> str:
    """HTML of a payload in every language."""
    known, cargo = all_words(), Cargo()
    said = {"languages": {one: _language(words) for one, words in known.items()}, "colours": given.colour_tables()}
    cargo.about = {
        "payload": cargo.add(made[0]),
        "headers": made[1],
        "about": made_from(seen),  # goes into what is saved
        "said": cargo.add(json.dumps(said, ensure_ascii=False).encode()),
        "style": cargo.add(_style().encode()),
        "viewer": cargo.add(given.BUNDLE.read_bytes()),
    }
    parts = {"policy": POLICY, "cargo": cargo.inlined(base64), "script": script(FOLDER / "cell" / "bundle.js")}
    page = re.sub(r"\$(\w+)", lambda found: parts[found[1]], PAGE)
    says = escape(known[DEFAULT]["export"]["still"])
    return CELL.format(height=height, still=still(seen), says=says, page=escape(page))


def _language(words: Words) -> dict[str, Any]:
    # Nobody can be asked: where the page with a server says that it has lost something, here it was not sent.
    lost = {"asked_lost": words["export"]["notSent"]}
    return {
        "tag": tag_of(words.language),
        "viewer": dict(words["viewer"]) | lost,
        "why": words["export"]["inCell"],
        "metrics": given.metric_list(words),
    }


@cache
def _style() -> str:
    own = ((FOLDER / folder).read_text("utf-8") for folder in ("page/page.css", "cell/cell.css"))
    return "\n".join((*own, given.style()))


def _picture(picture: np.ndarray) -> tuple[bytes, str]:
    """The picture as a small file, with its type: a photograph of 224 pixels without loss would take a tenth of all."""
    return webp(shrunk(picture, SIDE)), "image/webp"
