"""The page at its address: the language of a visit, what others are told of it, and what a browser keeps."""

import re
from collections.abc import Iterator
from html import unescape

import brotli
import httpx
import pytest
from starlette.datastructures import Headers

from support.serving import Server
from support.together import together
from vizapp.server import head
from vizapp.ui.words import languages, tag_of, words_for

OWN = re.compile(r'(?:href|src)="((?:app|page)-\w+\.(?:js|css))"')


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """A visitor who goes where the server leads."""
    with httpx.Client(base_url=f"{server.url}page", follow_redirects=True, timeout=server.http.timeout) as client:
        yield client


@together(
    ("address", "accepts", "language"),
    [
        ("/", None, "en"),
        ("/", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("/", "fr,de;q=0.7", "en"),
        ("/?lang=zh", "en", "zh"),
        ("/?lang=en", "zh", "en"),
        ("/?lang=nonsense", "zh", "zh"),
        ("/zh", "en", "zh"),
        ("/zh/", "en", "zh"),
        ("/zh?lang=en", "zh", "en"),
        ("?lang=zh", "en", "zh"),
    ],
)
def test_the_address_decides_then_the_browser(
    http: httpx.Client, address: str, accepts: str | None, language: str
) -> None:
    """As at the address of the old page; its title, its description and its sentence for browsers without scripts are of that
    language, and there is no other's."""
    answer = http.get(f"{http.base_url}".rstrip("/") + address, headers={"accept-language": accepts} if accepts else {})
    said = words_for(language)["page"]
    assert answer.status_code == 200
    assert answer.url.path == ("/page/zh" if language == "zh" else "/page/")
    assert f'<html lang="{tag_of(language)}">' in answer.text
    for name, content in (
        ('name="description"', said["description"]),
        ('property="og:title"', said["window"]),
        ('property="og:description"', said["description"]),
    ):
        assert content in unescape(re.findall(f'<meta {name} content="([^"]*)"', answer.text)[0])
    assert f"<title>{said['window']}</title>" in answer.text
    assert said["description"] in unescape(answer.text.partition("<noscript>")[2].partition("</noscript>")[0])
    other = words_for("en" if language == "zh" else "zh")["page"]
    assert other["tab_methods"] not in answer.text
    assert other["language"] in answer.text, "but the link to it"


def test_the_way_to_another_language_is_relative_and_takes_the_query_along(server: Server) -> None:
    asked = {"accept-language": "zh"}
    for address, place in (
        ("page", "./page/?view=1"),
        ("page/", "zh?view=1"),
        ("page/zh/", "../zh?view=1"),
    ):
        answer = httpx.get(f"{server.url}{address}?view=1", headers=asked)
        assert (answer.status_code, answer.headers["location"]) == (307, place)
        assert answer.headers["vary"] == "Accept-Language"
    assert httpx.get(f"{server.url}page/zh?lang=en").headers["location"] == "./?lang=en"
    assert "Accept-Language" in httpx.get(f"{server.url}page/").headers["vary"]
    assert httpx.get(f"{server.url}page/nothing").status_code == 404


def test_others_are_told_what_it_is_in_whole_addresses(server: Server) -> None:
    """Of a link to it sites show title, description and picture; search engines find the other languages."""
    page = httpx.get(f"{server.url}page/zh").text
    told = dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', page))
    assert told["url"] == f"{server.url}page/zh"
    picture = httpx.get(told["image"])
    assert picture.headers["content-type"] == "image/png"
    links = dict(re.findall(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]*)">', page))
    assert links.keys() == {*map(tag_of, languages()), "x-default"}
    assert {httpx.get(f"{server.url}page/{one}").status_code for one in links.values()} == {200}
    assert httpx.get(f"{server.url}page/{re.findall(r'rel=.icon. href=.([^>]*).>', page)[0]}").status_code == 200
    proxied = {"x-forwarded-proto": "https", "x-forwarded-host": "a.example, b", "x-forwarded-prefix": "/deep/in"}
    page = httpx.get(f"{server.url}page/zh", headers=proxied).text
    assert '<meta property="og:url" content="https://a.example/deep/in/page/zh">' in page


@together("said", ['a"><script>', "a b", "", "a/../../b?c"])
def test_what_a_proxy_says_is_read_as_an_address_or_not_at_all(said: str) -> None:
    heads = [(f"x-forwarded-{one}".encode(), said.encode()) for one in ("host", "proto", "prefix")]
    scope = {"type": "http", "scheme": "http", "headers": [(b"host", b"here:1"), *heads]}
    assert Headers(scope=scope)["x-forwarded-host"] == said
    assert head.address_of(scope) == "http://here:1/"


def test_a_browser_keeps_scripts_for_ever_and_asks_for_the_page(server: Server) -> None:
    url = f"{server.url}page/"
    page = httpx.get(url, headers={"accept-encoding": "br"})
    assert page.headers["content-encoding"] == "br"
    assert page.headers["cache-control"] == "no-cache"
    again = httpx.get(url, headers={"if-none-match": page.headers["etag"], "accept-encoding": "gzip"})
    assert (again.status_code, again.content) == (304, b"")
    assert httpx.get(f"{url}zh").headers["etag"] != page.headers["etag"]
    own = OWN.findall(page.text)
    assert len(own) == 2
    assert OWN.findall(httpx.get(f"{url}zh").text) == own, "the same for all languages"
    for one in own:
        plain = httpx.get(url + one, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert "immutable" in plain.headers["cache-control"]
        assert plain.headers["vary"] == "Accept-Encoding"
        with httpx.stream("GET", url + one, headers={"accept-encoding": "gzip, br"}) as answer:
            assert answer.headers["content-encoding"] == "br"
            raw = b"".join(answer.iter_raw())
        assert len(raw) < 0.4 * len(plain.content)
        assert brotli.decompress(raw) == plain.content
