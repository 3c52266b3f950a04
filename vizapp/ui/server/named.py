"""Calls of the API with arguments by name, /gradio_api/call/v2/: what is wrong with them is said, where Gradio answers 500."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

NAMED = "/gradio_api/call/v2/"


@dataclass(frozen=True)
class NamedCalls:
    """ASGI middleware: an endpoint or an argument that there is not is a slip of the caller."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or not path.startswith(NAMED):
            return await self.app(scope, receive, send)
        try:
            await self.app(scope, receive, send)
        except KeyError:
            await JSONResponse({"error": "There is no endpoint of this name."}, 404)(scope, receive, send)
        except TypeError as error:  # of the arguments' names, before anything has begun
            said = str(error).partition(". Please")[0]
            await JSONResponse({"error": f"{said}."}, 422)(scope, receive, send)
