"""A page without a server as a folder of files, for GitHub Pages, a static Space or any web server.

What changes with its content is called by it, so that a browser may keep it for ever; index.html is what is asked for anew.
Networks and pictures come when they are looked at.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from vizapp.browser import html
from vizapp.browser.cargo import SHORT, Cargo, in_html
from vizapp.errors import VizError, writing

SPACE = """---
title: vizapp
emoji: \U0001f52c
colorFrom: indigo
colorTo: purple
sdk: static
app_file: index.html
pinned: false
license: mit
short_description: An attention microscope for Vision Transformers
---

Where does a Vision Transformer look? Every layer, every head, every patch, computed in the visitor's browser. Made by
`vizapp export --site`.
"""


def site(cargo: Cargo, folder: str | Path) -> int:
    """Write the site into a folder that is empty or not there, or holds an older one; returns how many bytes it has.

    Raises `VizError` where it cannot be written, and for a folder with other files, which could be lost among these.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (folder / ".nojekyll").exists():
        raise VizError("'{folder}' holds other files.", "Name a folder that is empty, or not there.", folder=folder)
    app, style, worker = (html.app().encode(), html.style().encode(), html.worker().encode())
    names = {
        "app": _named("app", app, "js"),
        "style": _named("page", style, "css"),
        "worker": _named("engine", worker, "js"),
    }
    cargo.about["worker"] = names["worker"]
    index = html.page(
        cargo.about,
        style=f'<link rel="stylesheet" href="{names["style"]}">',
        cargo=f'<script type="application/json" id="about">{in_html(cargo.about)}</script>',
        scripts=f'<script src="{names["app"]}"></script>',
    )
    files = {
        "index.html": index.encode(),
        names["app"]: app,
        names["style"]: style,
        names["worker"]: worker,
        "README.md": SPACE.encode(),  # its head is what Hugging Face reads; others pass it by
        ".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n",  # the hub takes what is no text through LFS only
        ".nojekyll": b"",  # GitHub Pages takes the files as they are
        **{f"data/{name}": data for name, data in cargo.files()},
    }
    with writing(folder):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        for old in (*folder.glob("*-*.js"), *folder.glob("*-*.css"), *folder.glob("data/*.bin")):
            old.unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
    return sum(map(len, files.values()))


def _named(name: str, data: bytes, kind: str) -> str:
    return f"{name}-{hashlib.sha256(data).hexdigest()[:SHORT]}.{kind}"
