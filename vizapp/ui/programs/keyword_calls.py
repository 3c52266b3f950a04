"""Explains wrong names in calls with arguments by name, /gradio_api/call/v2/NAME, where Gradio would answer 500."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui.programs.arguments import check_names
from vizapp.ui.programs.bodies import body_of, read

CALL = re.compile(r"/gradio_api/call/v2/([^/]*)/?")


def works_of(page: gr.Blocks) -> dict[str, Callable[..., Any]]:
    """Name -> endpoint, for the endpoints that a page offers to programs (see events.py)."""
    offered = [one.fn for one in page.fns.values() if one.api_visibility == "public"]
    works = [work for fn in offered if (work := getattr(fn, "__wrapped__", None))]
    return {work.__name__: work for work in works}


def named_calls(page: gr.Blocks) -> Middleware:
    """The middleware that `launch` puts inside the server."""
    return Middleware(NamedCalls, works_of(page))


class NamedCalls:
    """ASGI middleware: answers calls of unknown endpoints, and calls with unknown or missing arguments, with a sentence."""

    def __init__(self, app: ASGIApp, works: Mapping[str, Callable[..., Any]]) -> None:
        self.app, self.works = app, works

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        asked = CALL.fullmatch(path) if scope["type"] == "http" and scope["method"] == "POST" else None
        if asked is None:
            return await self.app(scope, receive, send)
        if (work := self.works.get(asked[1])) is None:
            known = ", ".join(self.works)
            error = VizError("There is no endpoint '{name}'.", "There are: {known}.", name=asked[1][:80], known=known)
            return await JSONResponse({"error": str(error)}, 404)(scope, receive, send)
        body, again = await body_of(receive)
        try:
            check_names(work, _object(body))
        except VizError as error:
            return await JSONResponse({"error": str(error)}, 422)(scope, receive, send)
        await self.app(scope, again, send)


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        found = read(body)
    except VizError:
        found = None
    if not isinstance(found, dict):
        raise VizError("Arguments are sent as an object of JSON.", 'Such as {"picture": "..."}.')
    return found
