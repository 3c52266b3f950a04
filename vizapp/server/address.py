"""The page and its files at /page, as middleware inside the server's bounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.browser import html
from vizapp.server import calls
from vizapp.server.offered import about, photos
from vizapp.ui.early import Opening, openings_of
from vizapp.ui.link import Links
from vizapp.ui.session import Session

PLACE, INDEX = "page", "index.html"
FOR_EVER, ANEW = "public, max-age=31536000, immutable", "no-cache"  # the name of a script says what is in it
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}


def offer(page: Any) -> list[Middleware]:
    """Add the questions of the page to a `gr.Blocks` of ui/app.py, and return the middleware that serves it."""
    session: Session = page.vizapp_session
    assert session.start is not None, "a page begins with something"
    links = Links(session, session.start, photos())
    calls.add(page, calls.Calls(session, links))
    return [Middleware(OnePage, session=session, links=links, openings=openings_of(page))]


class OnePage:
    """ASGI middleware: answers requests for the page and its scripts."""

    def __init__(self, app: ASGIApp, session: Session, links: Links, openings: Mapping[str, Opening]) -> None:
        self.app, self._session, self._links, self._openings = app, session, links, openings
        self._files: dict[str, bytes] = {}
        self._begins = 0  # how many languages had their first maps when these were made

    def _made(self) -> dict[str, bytes]:
        """Make the files at the first request, and again once there are more of the maps that a visit begins with."""
        begins = sum(one.value is not None for one in self._openings.values())
        if not self._files or self._begins != begins:
            self._files = html.beside(about(self._session, self._links, self._openings), "served")
            self._begins = begins
        return self._files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = scope.get("path", "").removeprefix(scope.get("root_path", "")).lstrip("/")
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or here.partition("/")[0] != PLACE:
            return await self.app(scope, receive, send)
        if here == PLACE:  # its files have addresses beside its own
            query = scope["query_string"].decode("latin-1")
            return await RedirectResponse(f"./{PLACE}/" + (f"?{query}" if query else ""))(scope, receive, send)
        name = here.removeprefix(f"{PLACE}/") or INDEX
        files = await run_in_threadpool(self._made)  # the words of all languages take a moment
        if name not in files:
            return await Response(status_code=404)(scope, receive, send)
        headers = {"cache-control": ANEW if name == INDEX else FOR_EVER, "content-type": KINDS[Path(name).suffix]}
        await Response(files[name], headers=headers)(scope, receive, send)
