"""A page without a server in one file: opened from a disk, a USB stick or any web server, it asks for nothing else.

one_file(content(Wanted(models=["toy"], lessons=True)), "page.html")
vizapp.export(seen, "page.html")                    # of one analysis
"""

from __future__ import annotations

import os
from pathlib import Path

from vizapp.analysis import Analysis
from vizapp.browser import html
from vizapp.browser.cargo import Cargo
from vizapp.browser.content import content_of
from vizapp.errors import VizError, writing


def export(seen: Analysis, path: str | os.PathLike[str]) -> None:
    """Write an analysis as a page in one file: the whole viewer, which anybody can open without a server, a network or Python.

    path  ends with .html

    The network is in it where it runs in a browser (the networks of `vizapp.model.vit`, up to 64 MB in half precision), and then
    the page looks at other pictures, too. Of any other network, of an edited one, and of a picture that was fitted otherwise than
    the network was trained, the page has the maps of this picture as a server would send them: half precision, every layer and
    head, any query. Raises `VizError` for another ending, and where `path` cannot be written.
    """
    one_file(content_of(seen), path)


def one_file(cargo: Cargo, path: str | os.PathLike[str]) -> int:
    """Write the page; returns how many bytes it has. Raises `VizError` where it cannot be written."""
    path = Path(path)
    if path.suffix.lower() not in {".html", ".htm"}:
        raise VizError("A page is a file called .html, not '{name}'.", "Such as -o page.html.", name=path.name)
    cargo.about |= {"engine": cargo.add(html.worker().encode()), "app": cargo.add(html.app().encode())}
    made = html.page(
        cargo.about,
        style=f"<style>\n{html.style()}\n</style>",
        cargo=cargo.inlined(),
        scripts=f"<script>\n{html.unpack()}\n</script>",
    ).encode()
    with writing(path):
        path.write_bytes(made)
    return len(made)
