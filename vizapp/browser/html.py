"""The HTML of a page without a server, with its parts inside the file or beside it."""

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from vizapp.browser.cargo import in_html, named
from vizapp.browser.cargo import script as script_in
from vizapp.ui import glossary
from vizapp.ui.incoming import style as incoming_style
from vizapp.ui.link import style as link_style
from vizapp.ui.theme import CHINESE
from vizapp.ui.viewer.resources import BUNDLE
from vizapp.ui.viewer.resources import style as viewer_style

FOLDER = Path(__file__).parent
# Makes the browser enforce the promise that a visitor's picture stays in the page: no other server is loaded from or sent to.
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
$script
<script type="application/json" id="needs">$needs</script>
<script>
$first
</script>
</body>
</html>
"""


def page(about: dict[str, Any], *, style: str, cargo: str, script: str, from_disk: bool) -> str:
    """A whole page. `style` and `cargo` are HTML that contains them or links to them.

    script     HTML of the page's script, of a type that browsers do not run: needs/ runs it where the page can run
    from_disk  whether it opens from a disk, without a web server
    """
    first = next(iter(about["languages"].values()))
    said = {
        name: {"tag": one["tag"], "browser": one["export"]["needsBrowser"], "server": one["export"]["needsWebServer"]}
        for name, one in about["languages"].items()
    }
    parts = {
        "tag": first["tag"],
        "policy": POLICY,
        "title": escape(first["page"]["window"]),
        "description": escape(first["page"]["description"], quote=True),
        "style": style,
        "needs": in_html({"opensFromDisk": from_disk, "languages": said}),
        "first": script_in(FOLDER / "needs" / "bundle.js"),
        "cargo": cargo,
        "script": script,
    }
    return re.sub(r"\$(\w+)", lambda found: parts[found[1]], PAGE)


def beside(about: dict[str, Any], entry: str = "page") -> dict[str, bytes]:
    """The page as files beside each other: index.html, and its script and style, which are named by their content."""
    script, css = app(entry).encode(), style().encode()
    names = named("app", script, "js"), named("page", css, "css")
    index = page(
        about,
        style=f'<link rel="stylesheet" href="{names[1]}">',
        cargo=f'<script type="application/json" id="about">{in_html(about)}</script>',
        script=f'<script type="text/plain" id="app" src="{names[0]}"></script>',
        from_disk=False,  # browsers give a page on a disk no other file to read
    )
    return {"index.html": index.encode(), names[0]: script, names[1]: css}


@cache
def style() -> str:
    """All CSS: of the page, which defines the colours that Gradio's theme defines elsewhere, and of the viewer."""
    own = sorted((FOLDER / "page").glob("*.css"), key=lambda path: path.name != "page.css")  # page.css is first
    own.insert(
        1, FOLDER.parent / "ui" / "views" / "methods.css"
    )  # the tab of the served page, and then what is other here
    chinese = re.sub(r"</?style>", "", CHINESE)
    return "\n".join(
        (
            *(path.read_text("utf-8") for path in own),
            viewer_style(),
            glossary.style(),
            link_style(),
            incoming_style(),
            chinese,
        )
    )


def app(entry: str = "page") -> str:
    """The JavaScript of the page: the viewer, and what stands around it; `entry`: "page", or "served" for one with a server."""
    return script_in(BUNDLE) + "\n" + script_in(FOLDER / entry / "bundle.js")


def worker() -> str:
    """The JavaScript of the thread that runs networks, with its kernels."""
    return script_in(FOLDER / "engine" / "bundle.js")


def unpack() -> str:
    """The JavaScript that unpacks and runs `app`, where that is on board."""
    return script_in(FOLDER / "unpack" / "bundle.js")
