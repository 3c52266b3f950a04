"""Prepares JavaScript for the inside of a page."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def script(path: Path) -> str:
    """A file's text for the inside of a script element: nothing in it ends the element or begins a comment."""
    return path.read_text("utf-8").replace("</script", "<\\/script").replace("<!--", "<\\!--")
