"""What the site (mkdocs.yml) makes of links that leave docs/.

A picture, and a page of Markdown, comes along, under `repository/`. Anything else becomes a link to the repository, or plain
text where its address is not known (`repo_url`, which the workflow gives).
"""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?)\[([^][]*(?:\[[^][]*\][^][]*)*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
COMES_ALONG = {".md", ".png", ".gif", ".jpg", ".webp"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and pictures outside of docs/ to which its pages link, and those to which these link."""
    here = Path(config.docs_dir)
    known = {Path(one.abs_src_path or "") for one in files}
    waiting = [one for one in known if one.suffix == ".md"]
    while waiting:
        page = waiting.pop()
        for _, _, target, _ in LINK.findall(page.read_text("utf-8")):
            path = (page.parent / target).resolve()
            if path in known or path.suffix not in COMES_ALONG or here in path.parents or not path.is_file():
                continue
            known.add(path)
            inside = f"repository/{path.relative_to(ROOT).as_posix()}"
            files.append(File.generated(config, inside, abs_src_path=str(path)))
            waiting += [path] if path.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let each link lead to where its target is on the site."""
    source = Path(page.file.abs_src_path).resolve()
    places = {Path(one.abs_src_path).resolve(): one.src_uri for one in files if one.abs_src_path}

    def of_the_site(link: re.Match[str]) -> str:
        mark, text, target, anchor = link.group(1), link.group(2), link.group(3), link.group(4) or ""
        path = (source.parent / target).resolve()
        if path.is_dir() and (path / "README.md") in places:
            path /= "README.md"
        if path in places:
            return f"{mark}[{text}]({os.path.relpath(places[path], Path(page.file.src_uri).parent)}{anchor})"
        if not path.exists() or ROOT not in path.parents:
            return link.group()  # mkdocs says that it leads nowhere
        kind = "tree" if path.is_dir() else "blob"
        address = f"{config.repo_url.rstrip('/')}/{kind}/main/{path.relative_to(ROOT).as_posix()}"
        return f"{mark}[{text}]({address}{anchor})" if config.repo_url else text

    return LINK.sub(of_the_site, markdown)
