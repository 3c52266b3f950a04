"""Writes a page without a server as one file, which needs nothing else when opened from a disk, a USB stick or a web server.

one_file(content(Wanted(models=["toy"], lessons=True)), "page.html")
vizapp.export(seen, "page.html")                    # of one analysis
"""

import os
from pathlib import Path

from vizapp.analysis import Analysis
from vizapp.browser import html
from vizapp.browser.cargo import Cargo, in_json
from vizapp.browser.content import content_of
from vizapp.errors import VizError, writing


def export(seen: Analysis, path: str | os.PathLike[str], *, drawn: bool = False) -> None:
    """Write an analysis as a page in one file: the whole viewer, which opens without a server, the internet or Python.

    The page contains the network if it runs in a browser (the networks of `vizapp.model.vit`, up to 64 MB in half precision),
    and can then analyse other pictures, too. An analysis by `vizapp.quantised(model)` has a page of half the size. For any
    other network, for an edited one, and for a picture that was fitted in another way than in training, it contains the maps
    of this picture as a server would send them: half precision, every layer and head, any query.

    Parameters
    ----------
    path
        ends with .html
    drawn
        whether the picture is a scene of the toy world: its networks know no others, and the page says so

    Raises
    ------
    VizError
        for another ending, and if `path` cannot be written

    Examples
    --------
    >>> vizapp.export(vizapp.analyse("toy", "example"), "page.html")
    """
    one_file(content_of(seen, drawn=drawn), path)


def one_file(cargo: Cargo, path: str | os.PathLike[str]) -> int:
    """Write the page and return its size in bytes. Raises `VizError` if it cannot be written."""
    path = Path(path)
    if path.suffix.lower() not in {".html", ".htm"}:
        raise VizError("A page is a file called .html, not '{name}'.", "Such as -o page.html.", name=path.name)
    cargo.about |= {"engine": cargo.add(html.worker().encode()), "app": cargo.add(html.app().encode())}
    # The description holds every sentence in every language, and compresses to a third. Only the unpacking script is plain.
    packed = {"app": cargo.about["app"], "about": cargo.add(in_json(cargo.about).encode())}
    made = html.page(
        cargo.about,
        style=f"<style>\n{html.style()}\n</style>",
        cargo=cargo.inlined(about=packed),
        script=f'<script type="text/plain" id="app">\n{html.unpack()}\n</script>',
        from_disk=True,
    ).encode()
    with writing(path):
        path.write_bytes(made)
    return len(made)
