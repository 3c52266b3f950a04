"""Starts Gradio's server, with vizapp's middleware around it."""

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TextIO
from urllib.parse import urlsplit

import gradio as gr
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui import early, glossary, incoming, link, views
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.languages import launch_options
from vizapp.ui.programs.keyword_calls import named_calls
from vizapp.ui.server import bounds, folder, link_preview, queue_entry, sessions
from vizapp.ui.server.access import AccessLog
from vizapp.ui.server.address import any_port, is_free
from vizapp.ui.server.compression import Smaller
from vizapp.ui.server.connections import Limits, bounded
from vizapp.ui.server.guard import Guard, Hosts
from vizapp.ui.server.headers import Headers
from vizapp.ui.server.health import Health
from vizapp.ui.server.library_logs import hush
from vizapp.ui.server.listeners import Listening
from vizapp.ui.server.malformed_events import HANDLERS
from vizapp.ui.server.single_use import Once
from vizapp.ui.terminal import writing_to
from vizapp.ui.theme import CHINESE, CSS, theme

FRAMES = (
    "SPACE_ID",
    "JPY_PARENT_PID",
    "COLAB_RELEASE_TAG",
    "JUPYTERHUB_API_URL",
)  # Spaces and notebooks frame the page

TRIES = 5  # ports that others may take between our look and Gradio's start


def launch(
    page: gr.Blocks,
    *,
    host: str,
    port: int | Callable[[], int] = 0,
    public: bool = False,
    allowed: Iterable[str] = (),
    inside: Iterable[Middleware] = (),
    log: TextIO | None = None,
    **options: Any,
) -> str:
    """Start the server in a thread and return the page's address: the shared one if `share=True` asks for it.

    port     0 for any that is free; or finds one, and is asked again if somebody else takes that before Gradio does
    allowed  host names that a server on loopback answers to, besides those of this computer
    inside   further middleware, inside all bounds
    log      where this server says what it has to say; stderr if None
    """
    hush()
    hosts, limits = Hosts.of(host, allowed, os.environ), bounds.PUBLIC if public else bounds.HOME
    settings = launch_options(page)
    head = CHINESE + link.head() + incoming.head() + settings.pop("head", "")
    first = Middleware(early.Early, page, lambda: page.theme_css, head)
    app_kwargs = {"lifespan": _around(hosts, public, first, log), **settings.pop("app_kwargs", {})}
    # These stand inside Gradio's app: when an upload is refused, Gradio's parser must see the exception to delete its part.
    bounded_ = Middleware(bounds.Bounded, folder.current(), limits)
    own = [bounded_, named_calls(page), Middleware(Once, page._queue), *inside]
    app_kwargs["middleware"] = [*app_kwargs.get("middleware", ()), *own]
    app_kwargs["exception_handlers"] = HANDLERS
    queue_entry.widen(page)
    sessions.keep_little(page)
    url, shared = _launched(
        page,
        host,
        port or partial(any_port, host),
        server_name=f"[{host}]" if ":" in host else host,
        theme=theme(),
        css=CSS + glossary.style() + views.styles(),
        favicon_path=link_preview.ICON,
        quiet=True,
        prevent_thread_lock=True,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        mcp_server=False,  # ours is programs/tools.py
        ssr_mode=False,  # Gradio's Node server would stand before the guard, and request the page in the visitor's place
        max_threads=queue_entry.THREADS,
        state_session_capacity=sessions.MOST,
        max_file_size=limits.file,
        # Otherwise Gradio requests the whole page at the start, and fails if a busy machine takes longer than 3 s.
        _frontend=False,
        show_error=False,  # errors other than `VizError` go to the terminal only: they may name files of this computer
        app_kwargs=app_kwargs,
        **settings,
        **options,
    )
    link_preview.describe(page)
    with writing_to(log):
        early.make(page)
    config = page.server.config
    config.http_protocol_class = bounded(config.http_protocol_class, Limits())  # uvicorn reads it for each connection
    if shared:
        hosts.add(urlsplit(shared).hostname or "")
    return str(shared or url)


def _launched(page: gr.Blocks, host: str, port: int | Callable[[], int], **options: Any) -> tuple[str, str | None]:
    """Launch a page and return its own address and the shared one. Raises `VizError` if the server does not start."""
    tries = range(TRIES if callable(port) else 1)
    for number in tries:
        chosen = port() if callable(port) else port
        try:
            if not is_free(host, chosen):
                raise OSError(f"port {chosen} of {host} is taken")
            _, url, shared = page.launch(server_port=chosen, **options)
            return url, shared
        except VizError:
            raise
        except Exception as error:  # Gradio, its HTTP clients and the system each raise their own types
            if page.is_running:
                page.close(verbose=False)
            elif isinstance(error, OSError) and number != tries[-1] and not is_free(host, chosen):
                continue  # Gradio takes only a number, so until now the port was free for everybody
            raise VizError(
                "The server did not start: {why}.",
                "Is a proxy asked for the addresses of this computer (NO_PROXY=localhost,127.0.0.1)? If the machine is very "
                "busy, try again.",
                why=str(error).strip().rstrip(".") or type(error).__name__,
            ) from error
    raise AssertionError("each try returns or raises")


def _around(hosts: Hosts, public: bool, first: Middleware, log: TextIO | None) -> Any:
    """A lifespan that puts vizapp's middleware around Gradio's app before the first request.

    FastAPI's `middleware` option would not do: Gradio puts its own outside of it, and that answers some requests itself.
    """

    def surround(app: ASGIApp) -> ASGIApp:
        app = Listening(app, PROCESSOR.look_again)
        app = Guard(link_preview.Card(Health(app, str(folder.current().path))), hosts)
        app = Smaller(first.cls(app, *first.args, **first.kwargs))
        app = Headers(app, framed=any(one in os.environ for one in FRAMES))
        app = AccessLog(app) if public else app

        async def logged(scope: Scope, receive: Receive, send: Send) -> None:
            with writing_to(log):
                await app(scope, receive, send)

        return logged

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sessions.keep_named(app)
        # Gradio would keep the answer to the first request of /gradio_api/info, with the host that this names, for everybody.
        app.api_info = app.get_blocks().get_api_info()  # type: ignore[attr-defined]
        assert app.middleware_stack is not None, "built before the lifespan begins"
        app.middleware_stack = surround(app.middleware_stack)
        yield

    return lifespan
