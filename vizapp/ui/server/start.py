"""Start the server: Gradio's, and around it what decides who may ask and what is told."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from vizapp.errors import VizError
from vizapp.ui import early, glossary, incoming, link, views
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.languages import launch_options
from vizapp.ui.programs.named import named_calls
from vizapp.ui.server import bounds, card, entry, folder, sessions
from vizapp.ui.server.access import AccessLog
from vizapp.ui.server.connections import Limits, bounded
from vizapp.ui.server.guard import Guard, Hosts
from vizapp.ui.server.headers import Headers
from vizapp.ui.server.health import Health
from vizapp.ui.server.listeners import Listening
from vizapp.ui.server.once import Once
from vizapp.ui.server.smaller import Smaller
from vizapp.ui.server.stray import HANDLERS
from vizapp.ui.theme import CHINESE, CSS, theme

FRAMES = (
    "SPACE_ID",
    "JPY_PARENT_PID",
    "COLAB_RELEASE_TAG",
    "JUPYTERHUB_API_URL",
)  # Spaces and notebooks frame the page


def launch(
    page: gr.Blocks,
    *,
    host: str,
    port: int,
    public: bool = False,
    allowed: Iterable[str] = (),
    inside: Iterable[Middleware] = (),
    **options: Any,
) -> str:
    """Start the server in a thread; the page's address, the shared one if `share=True` asks for it.

    allowed  names besides those of this computer that a server on loopback answers to
    inside   what answers besides Gradio, within all bounds
    """
    hosts, limits = Hosts.of(host, allowed, os.environ), bounds.PUBLIC if public else bounds.HOME
    settings = launch_options(page)
    head = CHINESE + link.head() + incoming.head() + settings.pop("head", "")
    first = Middleware(early.Early, page, lambda: page.theme_css, head)
    app_kwargs = {"lifespan": _around(hosts, public, first), **settings.pop("app_kwargs", {})}
    # Inside of Gradio's app: where an upload is refused, its parser must hear it.
    bounded_ = Middleware(bounds.Bounded, folder.current(), limits)
    own = [bounded_, named_calls(page), Middleware(Once, page._queue), *inside]
    app_kwargs["middleware"] = [*app_kwargs.get("middleware", ()), *own]
    app_kwargs["exception_handlers"] = HANDLERS
    entry.widen(page)
    sessions.keep_little(page)
    url, shared = _launched(
        page,
        server_name=f"[{host}]" if ":" in host else host,
        server_port=port,
        theme=theme(),
        css=CSS + glossary.style() + views.styles(),
        favicon_path=card.ICON,
        quiet=True,
        prevent_thread_lock=True,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        mcp_server=False,  # ours is programs/tools.py
        ssr_mode=False,  # its Node server would stand before the guard, and ask for the page in a visitor's place
        max_threads=entry.THREADS,
        state_session_capacity=sessions.MOST,
        max_file_size=limits.file,
        # Else Gradio asks for the whole page, and gives up for good if a busy machine does not have it within 3 s.
        _frontend=False,
        show_error=False,  # what no `VizError` says is for the terminal: it may name any file of this computer
        app_kwargs=app_kwargs,
        **settings,
        **options,
    )
    card.describe(page)
    early.make(page)
    config = page.server.config
    config.http_protocol_class = bounded(config.http_protocol_class, Limits())  # asked for with each connection
    if shared:
        hosts.add(urlsplit(shared).hostname or "")
    return str(shared or url)


def _launched(page: gr.Blocks, **options: Any) -> tuple[str, str | None]:
    """The addresses of a page, its own and the shared one, when it answers. Raises `VizError` if it does not come to that."""
    try:
        _, url, shared = page.launch(**options)
    except VizError:
        raise
    except Exception as error:  # of Gradio, of its clients for HTTP, of the system: each has its own kinds
        if page.is_running:
            page.close(verbose=False)
        raise VizError(
            "The server did not start: {why}.",
            "Is a proxy asked for the addresses of this computer (NO_PROXY=localhost,127.0.0.1)? If the machine is very "
            "busy, try again.",
            why=str(error).strip().rstrip(".") or type(error).__name__,
        ) from error
    return url, shared


def _around(hosts: Hosts, public: bool, first: Middleware) -> Any:
    """Put what is ours around all that Gradio has, its own middleware included, before the first request comes.

    `middleware` of FastAPI would stand inside: Gradio puts its own before it, which answer some requests themselves.
    """

    def surround(app: ASGIApp) -> ASGIApp:
        app = Listening(app, PROCESSOR.look_again)
        app = Guard(card.Card(Health(app, str(folder.current().path))), hosts)
        app = Smaller(first.cls(app, *first.args, **first.kwargs))
        app = Headers(app, framed=any(one in os.environ for one in FRAMES))
        return AccessLog(app) if public else app

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sessions.keep_named(app)
        assert app.middleware_stack is not None, "built before the lifespan begins"
        app.middleware_stack = surround(app.middleware_stack)
        yield

    return lifespan
