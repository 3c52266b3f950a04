"""The page as it is seen before it is opened: its icon in a tab, and its description and picture where a link to it is shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import gradio as gr
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.words import DEFAULT, words_for

ASSETS = Path(__file__).parents[2] / "assets"
ICON = ASSETS / "icon.svg"
PICTURE = ASSETS / "card.png"  # 1200 x 630, which is what most readers of links ask for


def describe(page: gr.Blocks) -> None:
    """Fill the fields of the page's head, once it is launched: Gradio has room for them, and leaves them empty.

    A picture needs a whole address, which only a Space is told of itself; elsewhere readers of links take a relative one or none.
    """
    host = os.environ.get("SPACE_HOST")
    page.config["simple_description"] = words_for(DEFAULT).say("page", "description")
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
