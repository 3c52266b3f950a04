"""One server, a page per language. A visitor gets the one of `?lang=` in the address, else the browser's, else English.

English stands at the address itself, another language one step below: /, /zh. All are pages of one `gr.Blocks`: one queue,
one set of files, one session store. The browser is sent to its page with its first request, so it never shows another
language for a moment, and choices, tables and toasts that Python makes are of that page. With English alone there is
nothing of all this (docs/decisions/0017).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import gradio as gr
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.words import DEFAULT, Words, languages, tag_of, words_for

NO_MENU = "<style>.nav-holder { display: none; }</style>"  # Gradio's menu of pages, in which languages are none
# A language that was asked for by `?lang=` is that of the next visit, too; not if a link asked for it, which has a hash. The
# switch beside the tabs asks for one and takes along what is shown, which is the hash.
REMEMBER = """<script>(() => {
  const known = $known, query = new URLSearchParams(location.search), told = query.get("lang");
  addEventListener("click", (event) => {
    const chosen = event.target.closest?.("[data-language]")?.dataset.language;
    if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try { localStorage.setItem("vizapp-language", chosen); } catch {}
    window.vizappLink?.write();
    const query = new URLSearchParams(location.search);
    query.set("lang", chosen);
    location.assign(`${location.pathname}?${query}${location.hash}`);
  });
  const last = location.pathname.split("/").at(-1), here = known.includes(last) ? last : known[0];
  try {
    if (known.includes(told)) return location.hash || localStorage.setItem("vizapp-language", told);
    const wanted = localStorage.getItem("vizapp-language");
    if (!known.includes(wanted) || wanted === here) return;
    query.set("lang", wanted);
    location.replace(`${location.pathname}?${query}${location.hash}`);
  } catch {} // a browser may keep nothing
})();</script>
"""


def in_every_language(build: Callable[[Words], gr.Blocks]) -> gr.Blocks:
    """`build(words)` for each language, as one app. Calls of the API are offered once, with English answers."""
    home = _page(build, DEFAULT)
    for one in languages():
        if one == DEFAULT:
            continue
        page = _page(build, one)  # made outside of `route`, where it would be rendered twice
        for event in page.fns.values():
            event.api_visibility = "private"
        with home.route(one, one, show_in_navbar=False):
            page.render()
    home.current_page = ""  # `route` leaves it at the last one
    return home


def _page(build: Callable[[Words], gr.Blocks], language: str) -> gr.Blocks:
    """The page in a language, and the page's own word for which it is: Gradio writes the browser's into `<html lang>`."""
    page = build(words_for(language))
    with page:
        page.load(
            None, js=f"() => {{ document.documentElement.lang = {tag_of(language)!r}; }}", api_visibility="private"
        )
    return page


def switch(words: Words) -> str:
    """HTML of the way to each other language, in its own name and its own tongue; "" where there is one language."""
    links = []
    for one in languages():
        page, tag = words_for(one)["page"], tag_of(one)
        if one != words.language:
            links.append(
                f'<a href="?lang={one}" data-language="{one}" hreflang="{tag}" lang="{tag}">{page["language"]}</a>'
            )
    return f'<span id="languages">{"".join(links)}</span>' if links else ""


def launch_options(page: gr.Blocks) -> dict[str, Any]:
    """What `launch` must be told for a page of `in_every_language`; nothing if that is English alone."""
    paths = [path for path, *_ in page.pages if path]
    if not paths:
        return {}
    return {
        "app_kwargs": {"middleware": [Middleware(Doorman, paths=tuple(paths))]},
        "head": NO_MENU + REMEMBER.replace("$known", json.dumps([DEFAULT, *paths])),
    }


def preferred(header: str, known: Sequence[str]) -> str | None:
    """The best of the `known` languages by an Accept-Language header such as "zh-CN,zh;q=0.9,en;q=0.8"; None: none of them."""
    wishes: list[tuple[float, int, str]] = []
    for part in header.split(","):
        tag, _, rest = part.strip().partition(";")
        try:
            weight = float(rest.partition("q=")[2] or 1)
        except ValueError:
            weight = 0.0
        wishes.append((-weight, len(wishes), tag.strip().lower()))
    for weight, _, tag in sorted(wishes):
        for candidate in (tag, tag.partition("-")[0]):
            found = next((one for one in known if tag_of(one).lower() == candidate), None)
            if found is not None and weight < 0:
                return found
    return None


@dataclass(frozen=True)
class Doorman:
    """ASGI middleware: sends a visitor to the page of their language.

    paths  the languages besides English, each the address of a page
    """

    app: ASGIApp
    paths: tuple[str, ...]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = scope.get("path", "").removeprefix(scope.get("root_path", "")).strip("/")
        if scope["type"] != "http" or scope["method"] != "GET" or here not in ("", *self.paths):
            return await self.app(scope, receive, send)
        query = scope["query_string"].decode("latin-1")
        wanted = self._wanted(parse_qs(query).get("lang", []), Headers(scope=scope), here)
        if wanted != here:
            # Relative, so that it holds behind a proxy that takes a part of the address away.
            place = (wanted or "./") + (f"?{query}" if query else "")
            return await RedirectResponse(place, headers={"vary": "Accept-Language"})(scope, receive, send)
        await self.app(scope, receive, send)

    def _wanted(self, said: Iterable[str], headers: Headers, here: str) -> str:
        """The page to show: what the address says, else the page asked for, else what the browser prefers."""
        known = (DEFAULT, *self.paths)
        chosen = next((one for one in said if one in known), None)
        if chosen is None:
            chosen = here or preferred(headers.get("accept-language", ""), known) or DEFAULT
        return "" if chosen == DEFAULT else chosen
