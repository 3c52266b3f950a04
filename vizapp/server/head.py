"""What the head of the page says to others than its visitor: to sites that show a link to it, and to search engines."""

import re
from collections.abc import Mapping
from html import escape

from starlette.datastructures import Headers
from starlette.types import Scope

from vizapp.browser import html
from vizapp.ui.server.link_preview import PICTURE
from vizapp.ui.words import DEFAULT, Words, languages, tag_of

SCHEME, HOST, FOLDER = re.compile(r"https?"), re.compile(r"[\w.:\[\]-]+"), re.compile(r"(?:/[\w.~-]+)*")


def address_of(scope: Scope) -> str:
    """The server's address as the visitor has it, with a slash at the end; a proxy says it by X-Forwarded-Proto, -Host, -Prefix.

    It is only written into the answer to the same request, so whoever invents a name has it for themselves.
    """
    asked = Headers(scope=scope)

    def said(name: str, known: re.Pattern[str], own: str) -> str:
        first = asked.get(f"x-forwarded-{name}", "").partition(",")[0].strip()
        return first if first and known.fullmatch(first) else own

    host = asked.get("host", "")
    scheme = said("proto", SCHEME, scope.get("scheme", "http"))
    authority = said("host", HOST, host if HOST.fullmatch(host) else "localhost")
    folder = said("prefix", FOLDER, scope.get("root_path", "")).rstrip("/")
    return f"{scheme}://{authority}{folder}/"


def head(words: Words, address: str, place: str) -> str:
    """HTML for the head of the page in one language.

    address  of the server, with a slash at the end
    place    of the page below it, "" or with a slash at the end
    """
    said, own = words["page"], "" if words.language == DEFAULT else words.language
    told = {
        "og:type": "website",
        "og:title": said["window"],
        "og:description": said["description"],
        "og:url": f"{address}{place}{own}",
        "og:image": f"{address}{PICTURE.name}",  # sites take an absolute address only
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:locale": tag_of(words.language),
        "twitter:card": "summary_large_image",
    }
    back = "../" * place.count("/")
    known = [DEFAULT, *(one for one in languages() if one != DEFAULT)]
    others = {tag_of(one): "./" if one == DEFAULT else one for one in known} | {"x-default": "./"}
    names = " ".join((words.language, *(one for one in known if one != words.language)))
    return "\n".join(
        (
            *(_meta(name, content) for name, content in told.items()),
            *(f'<link rel="alternate" hreflang="{tag}" href="{href}">' for tag, href in others.items()),
            f'<link rel="icon" href="{back}favicon.ico">',
            f'<script data-languages="{names}">{html.language()}</script>',
        )
    )


def _meta(name: str, content: str) -> str:
    by = "name" if name.startswith("twitter:") else "property"
    return f'<meta {by}="{name}" content="{escape(content, quote=True)}">'


def elsewhere(words: Mapping[str, Words], language: str) -> dict[str, dict[str, object]]:
    """The other languages, as far as the links to their pages need them."""
    return {
        name: {"tag": tag_of(name), "page": {"language": one["page"]["language"]}}
        for name, one in words.items()
        if name != language
    }
