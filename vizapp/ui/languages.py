"""One server, a page per language. A visitor gets the language of `?lang=` in the address, else the browser's, else English.

English stands at the address itself, another language one step below: /, /zh. All are pages of one `gr.Blocks`: one queue,
one set of files, one session store. The first request already sends the browser to its page, so it never shows another
language for a moment. Choices, tables and toasts that Python makes are in the language of that page. With English alone, none
of this is set up. `gr.I18n` would leave choices, tables and toasts in English; texts swapped on load would show English first.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import gradio as gr
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.words import DEFAULT, Words, languages, tag_of, words_for

NO_MENU = "<style>.nav-holder { display: none; }</style>"  # Gradio's menu of pages: languages do not belong there
# A language of `?lang=` also holds for the next visit, unless the address is a link to a view, which has a hash. The switch
# beside the tabs asks for a language and takes the current view along as the hash.
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
    """Call `build(words)` for each language, and join the pages to one app. The API is offered once, with English answers."""
    home = _page(build, DEFAULT)
    for one in languages():
        if one == DEFAULT:
            continue
        page = _page(build, one)  # made outside of `route`: inside, it would be rendered twice
        for event in page.fns.values():
            event.api_visibility = "private"
        with home.route(one, one, show_in_navbar=False):
            page.render()
    home.current_page = ""  # `route` leaves it at the last page
    return home


def _page(build: Callable[[Words], gr.Blocks], language: str) -> gr.Blocks:
    """Build the page in a language, and set `<html lang>`: Gradio would write the browser's language there."""
    page = build(words_for(language))
    with page:
        page.load(
            None, js=f"() => {{ document.documentElement.lang = {tag_of(language)!r}; }}", api_visibility="private"
        )
    return page


def words_of(event: Any) -> Words:
    """Return the words of the page that an event of `in_every_language` belongs to; English if there is no such event."""
    asked = getattr(event, "page", "")
    return words_for(asked if asked in languages() else DEFAULT)


def switch(words: Words) -> str:
    """Make the HTML of the links to each other language, by its own name; "" if there is only one language."""
    links = []
    for one in languages():
        page, tag = words_for(one)["page"], tag_of(one)
        if one != words.language:
            links.append(
                f'<a href="?lang={one}" data-language="{one}" hreflang="{tag}" lang="{tag}">{page["language"]}</a>'
            )
    return f'<span id="languages">{"".join(links)}</span>' if links else ""


def launch_options(page: gr.Blocks) -> dict[str, Any]:
    """Return the arguments of `launch` for a page of `in_every_language`; none if that is English alone."""
    paths = [path for path, *_ in page.pages if path]
    if not paths:
        return {}
    return {
        "app_kwargs": {"middleware": [Middleware(Doorman, paths=tuple(paths))]},
        "head": NO_MENU + REMEMBER.replace("$known", json.dumps([DEFAULT, *paths])),
    }


def preferred(header: str, known: Sequence[str]) -> str | None:
    """Choose from the `known` languages by an Accept-Language header such as "zh-CN,zh;q=0.9,en;q=0.8"; None: none fits."""
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


def page_for(said: Iterable[str], headers: Headers, here: str, paths: Sequence[str]) -> str:
    """Choose the page of a visitor, "" or one of `paths`: that of `?lang=`, else the requested one, else the one that the browser
    prefers."""
    known = (DEFAULT, *paths)
    chosen = next((one for one in said if one in known), None)
    if chosen is None:
        chosen = here or preferred(headers.get("accept-language", ""), known) or DEFAULT
    return "" if chosen == DEFAULT else chosen


def language_of(headers: Headers, query: str = "") -> str:
    """Choose the language of an answer that is not a page: that of the address, else of the page that sent the request (its
    `Referer`, if that is on this server), else the one that the browser prefers, else English.

    A browser in English may show the Chinese page.
    """
    known = (DEFAULT, *(one for one in languages() if one != DEFAULT))
    page = urlsplit(headers.get("referer", ""))
    said = parse_qs(query).get("lang", [])
    if page.netloc and page.netloc == headers.get("host"):
        said += [*parse_qs(page.query).get("lang", []), page.path.rstrip("/").rpartition("/")[2], DEFAULT]
    chosen = next((one for one in said if one in known), None)
    return chosen or preferred(headers.get("accept-language", ""), known) or DEFAULT


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
        wanted = page_for(parse_qs(query).get("lang", []), Headers(scope=scope), here, self.paths)
        if wanted != here:
            # Relative, so that it also works behind a proxy that removes a part of the address.
            place = (wanted or "./") + (f"?{query}" if query else "")
            return await RedirectResponse(place, headers={"vary": "Accept-Language"})(scope, receive, send)
        await self.app(scope, receive, send)
