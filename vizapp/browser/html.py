"""The HTML of a page without a server: what every such page has, with its parts inside or beside it."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from vizapp.browser.script import script
from vizapp.ui import glossary
from vizapp.ui.link import style as link_style
from vizapp.ui.theme import CHINESE
from vizapp.ui.viewer.given import BUNDLE
from vizapp.ui.viewer.given import style as viewer_style

FOLDER = Path(__file__).parent
# The promise that a visitor's picture goes nowhere, kept by the browser: nothing may be asked of, or sent to, anybody else.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; media-src blob:; connect-src 'self' blob:; worker-src 'self' blob:; form-action 'none'; "
    "base-uri 'none'"
)
PAGE = """<!doctype html>
<html lang="$tag">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<meta name="description" content="$description">
<link rel="icon" href="data:,">
$style
</head>
<body>
<noscript><p>$description</p></noscript>
$cargo
$scripts
</body>
</html>
"""


def page(about: dict[str, Any], *, style: str, cargo: str, scripts: str) -> str:
    """A whole page: `style`, `cargo` and `scripts` are HTML that holds them, or says where they are."""
    first = next(iter(about["languages"].values()))
    parts = {
        "tag": first["tag"],
        "policy": POLICY,
        "title": escape(first["page"]["window"]),
        "description": escape(first["page"]["description"], quote=True),
        "style": style,
        "cargo": cargo,
        "scripts": scripts,
    }
    return re.sub(r"\$(\w+)", lambda found: parts[found[1]], PAGE)


@cache
def style() -> str:
    """All CSS: of the page, which brings the colours that Gradio's theme has elsewhere, and of what the viewer shows."""
    own = sorted((FOLDER / "page").glob("*.css"), key=lambda path: path.name != "page.css")  # which has the colours
    chinese = re.sub(r"</?style>", "", CHINESE)
    return "\n".join(
        (*(path.read_text("utf-8") for path in own), viewer_style(), glossary.style(), link_style(), chinese)
    )


def app() -> str:
    """The JavaScript of the page: the viewer, and what stands around it."""
    return script(BUNDLE) + "\n" + script(FOLDER / "page" / "bundle.js")


def worker() -> str:
    """The JavaScript of the thread that runs networks, with its kernels."""
    return script(FOLDER / "engine" / "bundle.js")


def unpack() -> str:
    """The JavaScript that unpacks and runs `app`, where that is on board."""
    return script(FOLDER / "unpack" / "bundle.js")
