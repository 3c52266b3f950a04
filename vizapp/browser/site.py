"""Writes a page without a server as a folder of files, for GitHub Pages, a static Space or any web server.

Files are named by a hash of their content, so browsers may keep them for ever; only index.html is requested anew. Networks and
pictures are loaded when a visitor opens them.
"""

from pathlib import Path

from vizapp.browser import html
from vizapp.browser.cargo import Cargo, named
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
    """Write the site into a folder that is empty, missing, or holds an older site. Returns its size in bytes.

    Raises `VizError` if it cannot be written, and for a folder with other files, which the site could overwrite.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (folder / ".nojekyll").exists():
        raise VizError("'{folder}' holds other files.", "Name an empty folder, or a new one.", folder=folder)
    worker = html.worker().encode()
    cargo.about["worker"] = named("engine", worker, "js")
    files = (
        html.beside(cargo.about)
        | {
            cargo.about["worker"]: worker,
            "README.md": SPACE.encode(),  # Hugging Face reads its front matter
            ".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n",  # the Hub accepts binary files through LFS only
            ".nojekyll": b"",  # GitHub Pages then serves the files as they are
            **{f"data/{name}": data for name, data in cargo.files()},
        }
    )
    with writing(folder):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        for old in (*folder.glob("*-*.js"), *folder.glob("*-*.css"), *folder.glob("data/*.bin")):
            old.unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
    return sum(map(len, files.values()))
