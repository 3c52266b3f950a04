"""Offers the endpoints as MCP tools for agents, with `--mcp` and the package `mcp` (docs/api.md). One POST is one question.

Gradio has an MCP server, too. But it makes a second request to itself for each call, under one session for all callers, and waits
in one of the forty threads that should answer it: of sixty simultaneous calls, forty timed out. Here each caller has its own
session and address, and its job ends when it disconnects.
"""

import asyncio
import base64
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, get_type_hints
from uuid import uuid4

import anyio
import gradio as gr
from gradio.context import LocalContext
from gradio.route_utils import get_root_url
from gradio.utils import get_function_description
from gradio_client.utils import python_type_to_json_schema
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.analysis.provenance import own_version
from vizapp.errors import VizError
from vizapp.ui.programs.arguments import Picture
from vizapp.ui.programs.bodies import body_of, read
from vizapp.ui.programs.caller import Caller
from vizapp.ui.programs.endpoints import Answer
from vizapp.ui.programs.events import answered
from vizapp.ui.programs.keyword_calls import works_of

PATH = "/gradio_api/mcp"  # Gradio's own path, where clients look for tools
logging.getLogger("mcp").setLevel(logging.ERROR)  # its warnings quote strangers
THREADS = 40  # separate from the page's, so that no visitor waits for tools


def served(page: gr.Blocks) -> Middleware:
    """The middleware that `launch` puts inside the server. Its tools are the named endpoints of the page."""
    return Middleware(Tools, works_of(page))


INSTRUCTIONS = """
An attention microscope for Vision Transformers. predict names the classes that a network sees in a picture; analyse shows how its
attention spreads over the patches, layer by layer; explain makes one map by one method; compare puts several methods side by side
and tests them.

Each needs a picture. A path of your machine or a web address cannot be read here. Upload it as the field `files`:
curl -F files=@photo.jpg UPLOAD
and give the path that this answers in a list; or give a small one as data:image/png;base64,... Uploads are deleted after an hour.

Layers, heads, rows and columns count from 0. The built-in models know a toy world of drawn things; photos need another `model`.
""".strip()
_upload: ContextVar[str] = ContextVar("upload")  # the upload address, as the caller must write it


class Tools:
    """ASGI middleware: answers MCP clients, and passes everything else on."""

    def __init__(self, app: ASGIApp, works: Mapping[str, Callable[..., Answer]]) -> None:
        self.app = app
        # Stateless: there are no sessions that a stranger could fill up, and any replica can answer.
        self.manager = StreamableHTTPSessionManager(_server(works), stateless=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with self.manager.run():
                return await self.app(scope, receive, send)
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or path.rstrip("/") != PATH:
            return await self.app(scope, receive, send)
        _upload.set(get_root_url(Request(scope), PATH, scope.get("root_path") or None) + "/gradio_api/upload")
        if scope["method"] != "POST":  # a GET would keep a stream open that never carries a message
            refusal = PlainTextResponse("MCP clients POST here.\n", 405, {"allow": "POST"})
            return await refusal(scope, receive, send)
        body, again = await body_of(receive)
        try:
            read(body)
        except VizError as error:  # of some, the package prints a traceback
            said = {"jsonrpc": "2.0", "id": None, "error": {"code": types.PARSE_ERROR, "message": str(error)}}
            return await JSONResponse(said, 400)(scope, receive, send)
        await self.manager.handle_request(scope, again, send)


class _Server(Server):
    """Tells a client that introduces itself what the tools are for, and where it uploads."""

    @property
    def instructions(self) -> str:
        return INSTRUCTIONS.replace("UPLOAD", _upload.get())

    @instructions.setter
    def instructions(self, given: None) -> None:
        """Keep none: the package sets it once, and it differs for each caller."""


# Tells a client that asked for progress the share that is done, of how much, and what is next.
Report = Callable[[float, float, str], Coroutine[Any, Any, None]]
# Calls a tool by its name, with arguments, for the client of a request.
Call = Callable[[str, dict[str, Any], Request, Report], Awaitable[types.CallToolResult]]


def _server(works: Mapping[str, Callable[..., Answer]]) -> Server[Any]:
    """All that differs between versions 1 and 2 of the package: how a server learns its tools, and how it reports progress."""
    tools, call = [_tool(work) for work in works.values()], _calling(works)
    if hasattr(Server, "call_tool"):  # version 1
        server: Server[Any] = _Server("vizapp", own_version())

        @server.list_tools()
        async def list_tools() -> list[types.Tool]:
            return tools

        # The endpoint checks its arguments itself, with better messages.
        @server.call_tool(validate_input=False)
        async def call_tool(name: str, given: dict[str, Any]) -> types.CallToolResult:
            context = server.request_context
            token = context.meta.progressToken if context.meta else None

            async def report(share: float, total: float, what: str) -> None:
                if token is not None:
                    await context.session.send_progress_notification(token, share, total, what, str(context.request_id))

            return await call(name, given, context.request, report)

        return server

    async def listed(context: Any, asked: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def called(context: Any, asked: Any) -> types.CallToolResult:
        return await call(asked.name, asked.arguments or {}, context.request, context.session.report_progress)

    return _Server("vizapp", version=own_version(), on_list_tools=listed, on_call_tool=called)


def _calling(works: Mapping[str, Callable[..., Answer]]) -> Call:
    """The function that calls a tool for a client. A `VizError` is a result in words."""
    threads = anyio.CapacityLimiter(THREADS)

    async def call(name: str, given: dict[str, Any], request: Request, report: Report) -> types.CallToolResult:
        try:
            answer = await answer_of(name, given, request, report)
        except VizError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], isError=True)
        root = get_root_url(request, PATH, request.scope.get("root_path") or None)
        return types.CallToolResult(content=_content(answer, root), structuredContent=answer)

    async def answer_of(name: str, given: dict[str, Any], request: Request, report: Report) -> Answer:
        if name not in works:
            raise VizError("There is no tool '{name}'.", "There are: {names}.", name=name[:80], names=", ".join(works))
        visitor, work = uuid4().hex, works[name]
        caller = Caller(visitor, _telling(report))
        LocalContext.request.set(gr.Request(request=request, session_hash=visitor))  # with the caller's address
        try:
            return await anyio.to_thread.run_sync(
                answered, work, given, caller, abandon_on_cancel=True, limiter=threads
            )
        except anyio.get_cancelled_exc_class():  # the client has hung up
            work.__self__.session.leave(visitor)  # type: ignore[attr-defined]
            raise

    return call


def _tool(work: Callable[..., Answer]) -> types.Tool:
    """Describe an endpoint to an agent by its signature and docstring."""
    about, of_each, returns = get_function_description(work)
    hints, properties, required = get_type_hints(work), dict[str, Any](), list[str]()
    for name, one in inspect.signature(work).parameters.items():
        kind = {"type": "string"} if hints[name] == Picture else python_type_to_json_schema(hints[name])
        properties[name] = kind | {"description": of_each[name]}
        if one.default is one.empty:
            required.append(name)
        else:
            properties[name]["default"] = one.default
    return types.Tool(
        name=work.__name__,
        description=f"{about} Returns {' '.join(returns)}",
        inputSchema={"type": "object", "properties": properties, "required": required, "additionalProperties": False},
        annotations=types.ToolAnnotations(readOnlyHint=True, openWorldHint=False),
    )


def _telling(report: Report) -> Callable[[str, float], None]:
    """A function that reports a call's progress to its client. It may be called in any thread."""
    loop = asyncio.get_running_loop()

    def tell(what: str, share: float) -> None:
        asyncio.run_coroutine_threadsafe(report(share, 1.0, str(what)), loop)  # not waited for: the client may be gone

    return tell


def _content(answer: Answer, root: str) -> list[types.ContentBlock]:
    """The answer as text, and its picture. Files get their addresses."""
    shown: list[types.ContentBlock] = []
    for file in answer.get("files", {}).values():
        path = Path(file["path"])
        file["url"] = f"{root}/gradio_api/file={path}"
        if path.suffix == ".png":
            data = base64.b64encode(path.read_bytes()).decode()
            shown.append(types.ImageContent(type="image", data=data, mimeType="image/png"))
    return [types.TextContent(type="text", text=json.dumps(answer)), *shown]
