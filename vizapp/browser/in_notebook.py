"""The live viewer inside a notebook's cell: an iframe that contains all it needs, and loads nothing else.

    seen                                   # the last line of a cell: at most 1 MB for a picture of 224 pixels
    vizapp.show(seen, size="full")         # every head of every query, whatever its size

A small one has each head of the classifier's query, and for any other query the mean of the heads. A still picture stands behind
the frame, for places that show HTML but drop frames (an untrusted notebook, a page that renders it).
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.analysis.notebook import HEIGHT, still
from vizapp.analysis.record import made_from
from vizapp.browser.cargo import Cargo, base64, script
from vizapp.browser.translated_headers import Headers, in_each_language
from vizapp.render.small import shrunk, webp
from vizapp.ui.viewer import resources
from vizapp.ui.viewer.payload import Packed
from vizapp.ui.words import DEFAULT, Words, all_words, tag_of

FOLDER = Path(__file__).parent
MOST = 1_000_000  # bytes of a small one
ROOM = 200_000  # bytes for factors in a small one; if all layers fit, it has every head of every query
SIDE = 640  # pixels of the longer side of the picture of a small one
# The policy of the frame, which has its own origin: no request to anywhere, whatever a script tries.
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
# Sets each frame to the height that it reports for its content. Where scripts are blocked, a frame keeps its first height.
GROWS = """<script>
window.vizappFrames ??= addEventListener("message", ({ data, source }) => {
  if (data?.vizapp !== "height" || !(data.height > 0)) return;
  const own = (one) => one.contentWindow === source;
  const frame = [...document.querySelectorAll("iframe.vizapp-grows")].find(own);
  if (frame) frame.style.height = `${Math.min(Math.max(data.height, 200), 6000)}px`;
}) ?? true;
</script>"""
# Frame and picture share one cell of a grid: the frame covers the picture, which remains if frames are dropped.
CELL = """<div class="vizapp" style="display:grid">
<div style="grid-area:1/1;overflow:hidden;max-height:{height}px">{still}<p>{says}</p></div>
<iframe title="vizapp" class="{grows}" sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen" \
style="grid-area:1/1;width:100%;height:{height}px;border:0;background:white" srcdoc="{page}"></iframe></div>{script}"""


def cell(seen: Analysis, size: str = "small", height: int | None = None) -> str:
    """HTML of a cell; the arguments are those of `vizapp.show`."""
    return _small(seen, height) if size == "small" else _cell(seen, in_each_language(seen, all_words()), height)


def _small(seen: Analysis, height: int | None) -> str:
    """A cell with as much as fits: everything for a small network, otherwise the mean of the heads, last layers first."""
    known, file = all_words(), _picture(seen.picture)
    if seen.trace.nbytes <= 4 * ROOM:  # half precision, or less where matrices are smaller
        made = in_each_language(seen, known, room=ROOM, file=file)
        whole = _cell(seen, made, height)
        if len(whole) <= MOST and Packed.of(made[0]).is_complete:
            return whole
    means = _cell(seen, in_each_language(seen, known, room=0, room_for_means=MOST, file=file), height)
    if len(means) <= MOST:
        return means
    bare = _cell(seen, in_each_language(seen, known, room=0, file=file), height)
    left = (MOST - len(bare)) * 3 // 4 * 97 // 100  # base64: four letters of three bytes; the header grows a little
    return _cell(seen, in_each_language(seen, known, room=0, room_for_means=left, file=file), height)


def _cell(seen: Analysis, made: tuple[bytes, Headers], height: int | None) -> str:
    """HTML of a payload in every language; `height` None: that of its content."""
    known, cargo = all_words(), Cargo()
    said = {"languages": {one: _language(words) for one, words in known.items()}, "colours": resources.colour_tables()}
    cargo.about = {
        "payload": cargo.add(made[0]),
        "headers": made[1],
        "about": made_from(seen),  # the provenance for saved files
        "said": cargo.add(json.dumps(said, ensure_ascii=False).encode()),
        "style": cargo.add(_style().encode()),
        "viewer": cargo.add(resources.BUNDLE.read_bytes()),
    }
    parts = {"policy": POLICY, "cargo": cargo.inlined(base64), "script": script(FOLDER / "cell" / "bundle.js")}
    page = re.sub(r"\$(\w+)", lambda found: parts[found[1]], PAGE)
    says = escape(known[DEFAULT]["export"]["still"])
    sized = {"grows": "vizapp-grows", "script": GROWS} if height is None else {"grows": "", "script": ""}
    return CELL.format(height=height or HEIGHT, still=still(seen), says=says, page=escape(page), **sized)


def _language(words: Words) -> dict[str, Any]:
    # There is no server: a sentence that says that the server has lost something must say that it was not sent.
    lost = {"asked_lost": words["export"]["notSent"]}
    return {
        "tag": tag_of(words.language),
        "viewer": dict(words["viewer"]) | lost,
        "why": words["export"]["inCell"],
        "metrics": resources.metric_list(words),
    }


@cache
def _style() -> str:
    own = ((FOLDER / folder).read_text("utf-8") for folder in ("page/page.css", "cell/cell.css"))
    return "\n".join((*own, resources.style()))


def _picture(picture: np.ndarray) -> tuple[bytes, str]:
    """The picture as a small file, and its type. A lossless photograph of 224 pixels would take a tenth of `MOST`."""
    return webp(shrunk(picture, SIDE)), "image/webp"
