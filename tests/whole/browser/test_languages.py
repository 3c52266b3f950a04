"""A page per language on one server: which one a visitor gets, by the address and by the browser, and what stays shared."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from support.together import together
from vizapp.ui import words
from vizapp.ui.languages import in_every_language, launch_options, preferred
from vizapp.ui.words import Words, languages

TABLE = """
from vizapp.ui.words.en import SECTIONS as ENGLISH

SECTIONS = {**ENGLISH, "page": {**ENGLISH["page"], "help": "{LANGUAGE}-help", "compare": "{LANGUAGE}-compare"}}
TEXTS = {}
"""


def small_page(said: Words) -> gr.Blocks:
    """Two sentences, an event of the start and one of a button, whose answers are of the page's language."""
    with gr.Blocks(title="small", analytics_enabled=False) as page:
        gr.HTML(f"<p id=help>{said['page']['help']}</p>")
        started, pressed = (
            gr.Textbox(label="started", elem_id="started"),
            gr.Textbox(label="pressed", elem_id="pressed"),
        )
        button = gr.Button(said["page"]["compare"], elem_id="go")
        page.load(lambda: said.language, None, started, api_name="analyse")
        button.click(lambda: f"{said.language} again", None, pressed, api_visibility="private")
    page.queue(max_size=32)
    return page


def test_english_alone_is_as_it_was(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One Blocks, as `build` made it, with nothing in front of it."""
    (tmp_path / "en.py").touch()  # its table is loaded already
    monkeypatch.setattr(words, "__path__", [str(tmp_path)])
    built: list[gr.Blocks] = []

    def build(said: Words) -> gr.Blocks:
        built.append(small_page(said))
        return built[-1]

    assert languages() == ("en",)
    page = in_every_language(build)
    assert built == [page]
    assert launch_options(page) == {}
    assert [path for path, *_ in page.pages] == [""]


@pytest.fixture(scope="module")
def two_more(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The languages xx and yy-zz, each one file, for as long as these tests run."""
    folder = tmp_path_factory.mktemp("words")
    for name in ("xx", "yy_zz"):
        (folder / f"{name}.py").write_text(TABLE.replace("{LANGUAGE}", name), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "__path__", [*words.__path__, str(folder)])
        yield


def served(page: gr.Blocks, **options: Any) -> str:
    """Its address; Gradio takes the first port that it can bind."""
    _, url, _ = page.launch(
        server_name="127.0.0.1",
        quiet=True,
        prevent_thread_lock=True,
        **launch_options(page),
        **options,
    )
    return url


@pytest.fixture(scope="module")
def url(cache: Path, two_more: None) -> Iterator[str]:
    page = in_every_language(small_page)
    yield served(page)
    page.close(verbose=False)


def asked(url: str, accepts: str | None = None) -> httpx.Response:
    return httpx.get(url, headers={"accept-language": accepts} if accepts else {}, follow_redirects=True)


@together(
    ("query", "accepts", "wanted"),
    [
        ("", None, "en"),
        ("", "xx", "xx"),
        ("", "xx-CN,xx;q=0.9,en;q=0.8", "xx"),
        ("", "en-GB,en;q=0.9,xx;q=0.8", "en"),
        ("", "fr,de;q=0.7", "en"),
        ("", "fr, yy-ZZ;q=0.3, en;q=0.2", "yy_zz"),
        ("?lang=xx", "en", "xx"),
        ("?lang=en", "xx", "en"),
        ("?lang=nonsense", "xx", "xx"),
        ("xx", "en", "xx"),
        ("xx?lang=en", "xx", "en"),
        ("xx?lang=yy_zz", None, "yy_zz"),
        ("?lang=../etc&lang=xx", None, "xx"),
    ],
)
def test_the_address_decides_then_the_browser(url: str, query: str, accepts: str | None, wanted: str) -> None:
    answer = asked(url + query, accepts)
    assert answer.status_code == 200
    said = {"en": "What do the words mean?", "xx": "xx-help", "yy_zz": "yy_zz-help"}
    assert [one for one, words in said.items() if words in answer.text] == [wanted], "its own language, and no other"


def test_the_rest_of_the_address_goes_along(url: str) -> None:
    first = httpx.get(f"{url}?__theme=dark&lang=xx&view=1")
    assert first.status_code == 307
    assert first.headers["location"] == "xx?__theme=dark&lang=xx&view=1", "relative: it holds behind a proxy, too"
    assert httpx.get(f"{url}xx?lang=en&view=1").headers["location"] == "./?lang=en&view=1"


def test_head_and_other_addresses_are_left_alone(url: str) -> None:
    assert httpx.head(url, headers={"accept-language": "xx"}).status_code == 200, "asked by those who watch a server"
    assert httpx.get(f"{url}config", headers={"accept-language": "xx"}).status_code == 200
    assert httpx.get(f"{url}gradio_api/info", headers={"accept-language": "xx"}).json()["named_endpoints"].keys() == {
        "/analyse"
    }, "the API is offered once, and its answers are English"


def test_one_queue_for_all_languages(cache: Path, two_more: None) -> None:
    page = in_every_language(small_page)
    try:
        assert {path for path, *_ in page.pages} == {"", *languages()} - {"en"} > {"xx", "yy_zz"}
        assert page.current_page == "", "what is added to it later, the API, is of the English page"
        assert page.app.get_blocks()._queue is page._queue
        assert page._queue.max_size == 32
    finally:
        page.close(verbose=False)


@pytest.mark.parametrize(
    ("options", "said", "started"),
    [({"locale": "xx"}, "xx", "xx"), ({"locale": "en-US"}, "en", "en")],
)
def test_a_browser_sees_its_language_from_the_first_moment(
    browser: Any, url: str, options: dict[str, str], said: str, started: str
) -> None:
    """Its own sentences, its own answers, its own `lang`; the start ran once; no menu of pages."""
    visitor = browser.new_context(**options)
    page = visitor.new_page()
    errors: list[str] = []
    calls: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: calls.append(request.url) if "queue/join" in request.url else None)
    page.goto(url + "#l=3")
    page.wait_for_function("document.querySelector('#started textarea')?.value")
    assert page.locator("#started textarea").input_value() == started
    page.click("#go")
    page.wait_for_function("document.querySelector('#pressed textarea').value")
    assert page.locator("#pressed textarea").input_value() == f"{started} again"
    assert len(calls) == 2, "the start, once, and the button"
    assert page.evaluate("document.documentElement.lang") == said
    assert page.evaluate("location.hash") == "#l=3"
    shown = page.inner_text("body")
    assert ("xx-compare" in shown) == (said == "xx")
    assert "Home" not in shown
    assert errors == []
    visitor.close()


def test_a_language_that_was_asked_for_is_that_of_the_next_visit(browser: Any, url: str) -> None:
    """A language from a link (with a hash) is not remembered, and the language in the address takes precedence."""
    visitor = browser.new_context(locale="xx")
    page = visitor.new_page()

    def opened(query: str) -> str:
        page.goto("about:blank")
        page.goto(url + query)
        page.wait_for_function("document.querySelector('#started textarea')?.value")
        return str(page.locator("#started textarea").input_value())

    assert opened("?lang=en#layer=1") == "en"
    assert opened("") == "xx", "a link is not remembered"
    assert opened("?lang=en") == "en"
    assert opened("#layer=1") == "en", "what was asked for is"
    assert opened("?lang=xx#layer=1") == "xx", "a link wins"
    visitor.close()


class Prefixed:
    """A proxy that serves an app below /app and takes that away, as nginx does: the address itself stays with it."""

    def __init__(self, behind: str) -> None:
        self.behind = behind.rstrip("/")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"].removeprefix("/app")
        query = f"?{scope['query_string'].decode()}" if scope["query_string"] else ""
        headers = [(key, value) for key, value in scope["headers"] if key != b"host"]
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        async with httpx.AsyncClient(timeout=30) as http:
            answer = await http.request(scope["method"], self.behind + path + query, headers=headers, content=body)
        kept = [
            (k.encode(), v.encode())
            for k, v in answer.headers.items()
            if k not in ("content-encoding", "content-length")
        ]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": kept})
        await send({"type": "http.response.body", "body": answer.content})


def test_behind_a_proxy_with_a_prefix(cache: Path, two_more: None, browser: Any) -> None:
    import threading

    import uvicorn

    page = in_every_language(small_page)
    line = socket.create_server(("127.0.0.1", 0))
    port = line.getsockname()[1]
    behind = served(page, root_path=f"http://127.0.0.1:{port}/app")
    server = uvicorn.Server(uvicorn.Config(Prefixed(behind), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([line],), daemon=True)
    thread.start()
    visitor = browser.new_context(locale="xx").new_page()
    try:
        visitor.goto(f"http://127.0.0.1:{port}/app/", wait_until="commit")
        visitor.wait_for_function("document.querySelector('#started textarea')?.value")
        assert visitor.url == f"http://127.0.0.1:{port}/app/xx"
        assert visitor.locator("#started textarea").input_value() == "xx"
    finally:
        visitor.context.close()
        server.should_exit = True
        thread.join(10)
        page.close(verbose=False)


def test_the_best_of_the_known_languages() -> None:
    known = ("en", "pt_br", "zh")
    assert preferred("zh-TW,zh;q=0.9", known) == "zh"
    assert preferred("pt-BR", known) == "pt_br"
    assert preferred("pt", known) is None
    assert preferred("zh;q=0, en;q=0.1", known) == "en", "zero means: not this one"
    assert preferred("zh;q=nonsense", known) is None
    assert preferred("", known) is None
    assert preferred("*", known) is None
