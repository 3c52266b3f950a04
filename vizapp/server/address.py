"""The page and its files at /page, as middleware inside the server's bounds.

English stands at the address itself, another language one step below: /page/, /page/zh. `?lang=` chooses, then the address, then
what the browser prefers. All links are relative, so they also hold behind a proxy that removes a part of the address.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.browser import html
from vizapp.recent import Recent
from vizapp.server import calls, visits
from vizapp.server.files import File
from vizapp.server.head import address_of, head
from vizapp.server.offered import about, photos
from vizapp.ui.early import Opening, openings_of
from vizapp.ui.languages import page_for
from vizapp.ui.link import Links
from vizapp.ui.session import Session
from vizapp.ui.words import DEFAULT, languages, words_for

PLACE = "page/"  # of the page below the server's address; "" is that address itself
INDEX = "index.html"
ADDRESSES = 16  # under which the server is known: what a link to it shows names one


def offer(page: Any) -> list[Middleware]:
    """Add the questions of the page to a `gr.Blocks` of ui/app.py, and return the middleware that serves it."""
    session: Session = page.vizapp_session
    assert session.start is not None, "a page begins with something"
    links = Links(session, session.start, photos())
    calls.add(page, calls.Calls(session, links))
    visits.offer(page, session)
    openings = openings_of(page)
    return [Middleware(OnePage, about=partial(about, session, links, openings, page.app_id), openings=openings)]


class OnePage:
    """ASGI middleware: answers requests for the page and its scripts.

    about  describes the page in a language; anew once its first maps are made
    """

    def __init__(self, app: ASGIApp, about: Callable[[str], dict[str, Any]], openings: Mapping[str, Opening]) -> None:
        self.app, self._about, self._openings = app, about, openings
        self._scripts: dict[str, File] = {}
        self._pages: Recent[tuple[str, str, bool], File] = Recent(ADDRESSES * len(languages()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", "")).lstrip("/")
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or not f"{path}/".startswith(PLACE):
            return await self.app(scope, receive, send)
        answer = await self._answer(path, Headers(scope=scope), scope)
        await (answer or self.app)(scope, receive, send)

    async def _answer(self, path: str, asked: Headers, scope: Scope) -> Response | None:
        query = scope["query_string"].decode("latin-1")
        if path == PLACE.rstrip("/") != PLACE:  # its files have addresses beside its own
            return _other(f"./{PLACE}", query)
        name = path.removeprefix(PLACE)
        here, others = name.rstrip("/"), tuple(one for one in languages() if one != DEFAULT)
        if here in ("", *others):
            wanted = page_for(parse_qs(query).get("lang", []), asked, here, others)
            if wanted != name:
                return _other(("../" if name != here else "") + (wanted or "./"), query)
            return (await self._page(wanted or DEFAULT, scope)).answer(asked)
        if not self._scripts:
            await self._page(DEFAULT, scope)
        return self._scripts[name].answer(asked) if name in self._scripts else None

    async def _page(self, language: str, scope: Scope) -> File:
        opening = self._openings.get(language)
        key = language, address_of(scope), bool(opening and opening.value)
        found = self._pages.get(key)
        if found is None:
            found = await run_in_threadpool(self._made, language, key[1])  # all words of a language take a moment
            self._pages.keep(key, found)
        return found

    def _made(self, language: str, address: str) -> File:
        told = self._about(language) | {"root": "../" * PLACE.count("/") or "./"}
        made = html.beside(told, "served", head(words_for(language), address, PLACE))
        index = made.pop(INDEX)
        for name, content in made.items():  # the same for all languages
            self._scripts.setdefault(name, File(name, content))
        return File(INDEX, index, by="Accept-Language" if language == DEFAULT else "")


def _other(place: str, query: str) -> Response:
    return RedirectResponse(place + (f"?{query}" if query else ""), headers={"vary": "Accept-Language"})
