"""The page as it is seen before it is opened: its icon in a tab, and its description and picture where a link to it is shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

import gradio as gr
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import vizapp
from vizapp.ui.words import DEFAULT, words_for

ASSETS = Path(vizapp.__file__).parent / "assets"
ICON = ASSETS / "icon.svg"
PICTURE = ASSETS / "card.png"  # 1200 x 630, which is what most readers of links ask for


def head() -> str:
    """For the head of the page: what a search says of it."""
    return f'<meta name="description" content="{escape(_description())}" />\n'


def _description() -> str:
    return str(words_for(DEFAULT)["page"]["description"])


def describe(page: gr.Blocks) -> None:
    """Fill the fields of the page's head, once it is launched: Gradio has room for them, and leaves them empty.

    A picture needs a whole address, which only a Space is told of itself; elsewhere readers of links take a relative one or none.
    """
    host = os.environ.get("SPACE_HOST")
    page.config["simple_description"] = _description()
    page.config["thumbnail"] = f"https://{host}/{PICTURE.name}" if host else PICTURE.name


@dataclass(frozen=True)
class Card:
    """Answers with the picture, and passes everything else on."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_read and scope["path"].removeprefix(scope.get("root_path", "")) == f"/{PICTURE.name}":
            answer = FileResponse(PICTURE, headers={"cache-control": "public, max-age=86400"})
            return await answer(scope, receive, send)
        await self.app(scope, receive, send)
