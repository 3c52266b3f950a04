"""The page and its files at /page, as middleware inside the server's bounds."""

from collections.abc import Mapping
from typing import Any

from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.browser import html
from vizapp.browser.cargo import in_html, named
from vizapp.server import calls
from vizapp.server.offered import about, photos
from vizapp.ui.early import Opening, openings_of
from vizapp.ui.link import Links
from vizapp.ui.session import Session

PLACE = "page"
FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}  # the name says what is in it
ANEW = {"cache-control": "no-cache"}


def offer(page: Any) -> list[Middleware]:
    """Add the questions of the page to a `gr.Blocks` of ui/app.py, and return the middleware that serves it."""
    session: Session = page.vizapp_session
    assert session.start is not None, "a page begins with something"
    links = Links(session, session.start, photos())
    calls.offer(page, calls.Calls(session, links))
    return [Middleware(OnePage, session=session, links=links, openings=openings_of(page))]


class OnePage:
    """ASGI middleware: answers requests for the page and its scripts."""

    def __init__(self, app: ASGIApp, session: Session, links: Links, openings: Mapping[str, Opening]) -> None:
        self.app, self._session, self._links, self._openings = app, session, links, openings
        self._made: dict[str, tuple[bytes, str]] = {}
        self._begins = 0  # how many languages had their first maps when it was made

    def _files(self) -> dict[str, tuple[bytes, str]]:
        """Path -> content and type. Made at the first request, and kept once the maps are made that a visit begins with."""
        if not self._made or self._begins != self._opened():
            self._begins = self._opened()
            self._made = self._make()
        return self._made

    def _opened(self) -> int:
        return sum(one.value is not None for one in self._openings.values())

    def _make(self) -> dict[str, tuple[bytes, str]]:
        app, style = html.app("served").encode(), html.style().encode()
        names = {"app": named("app", app, "js"), "style": named("page", style, "css")}
        told = about(self._session, self._links, self._openings)
        whole = html.page(
            told,
            style=f'<link rel="stylesheet" href="{names["style"]}">',
            cargo=f'<script type="application/json" id="about">{in_html(told)}</script>',
            script=f'<script type="text/plain" id="app" src="{names["app"]}"></script>',
            from_disk=False,
        )
        return {
            "": (whole.encode(), "text/html; charset=utf-8"),
            names["app"]: (app, "text/javascript; charset=utf-8"),
            names["style"]: (style, "text/css; charset=utf-8"),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = scope.get("path", "").removeprefix(scope.get("root_path", "")).lstrip("/")
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or here.partition("/")[0] != PLACE:
            return await self.app(scope, receive, send)
        if here == PLACE:  # its files have addresses beside its own
            query = scope["query_string"].decode("latin-1")
            return await RedirectResponse(f"./{PLACE}/" + (f"?{query}" if query else ""))(scope, receive, send)
        name = here.removeprefix(f"{PLACE}/")
        files = self._files()
        if name not in files:
            return await Response(status_code=404)(scope, receive, send)
        content, kind = files[name]
        await Response(content, media_type=kind, headers=FOR_EVER if name else ANEW)(scope, receive, send)
