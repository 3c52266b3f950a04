"""The page's icon in a tab, and the description and picture that other sites show beside a link to it."""

import os
from dataclasses import dataclass
from pathlib import Path

import gradio as gr
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.words import DEFAULT, words_for

ASSETS = Path(__file__).parents[2] / "assets"
ICON = ASSETS / "icon.svg"
PICTURE = ASSETS / "card.png"  # 1200 x 630, the size that most sites ask for


def describe(page: gr.Blocks) -> None:
    """Fill the description and the picture in the page's head, which Gradio leaves empty. Call it after the launch.

    The picture needs an absolute address. Only a Space knows its own; elsewhere it stays relative, which some sites ignore.
    """
    host = os.environ.get("SPACE_HOST")
    page.config["simple_description"] = words_for(DEFAULT).say("page", "description")
    page.config["thumbnail"] = f"https://{host}/{PICTURE.name}" if host else PICTURE.name


@dataclass(frozen=True)
class Card:
    """ASGI middleware: serves the picture, and passes every other request on."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_read and scope["path"].removeprefix(scope.get("root_path", "")) == f"/{PICTURE.name}":
            answer = FileResponse(PICTURE, headers={"cache-control": "public, max-age=86400"})
            return await answer(scope, receive, send)
        await self.app(scope, receive, send)
