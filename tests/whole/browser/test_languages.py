"""A page per language on one server: which one a visitor gets, what stays shared, the way to another, how Chinese is set."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from support.serving import Server
from support.together import together
from support.viz import Viz
from vizapp.ui import words
from vizapp.ui.gradio_words import UNSAID
from vizapp.ui.languages import in_every_language, launch_options, preferred
from vizapp.ui.words import Words, languages, words_for

TABLE = '[page]\nlanguage = "{LANGUAGE}"\nhelp = "{LANGUAGE}-help"\ncompare = "{LANGUAGE}-compare"\n'


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


LOOK = """(css) => { const one = getComputedStyle(document.querySelector(css));
  return [one.fontFamily, parseFloat(one.lineHeight) / parseFloat(one.fontSize), one.fontStyle]; }"""


def is_set_as_english(page: Any) -> None:
    family, height, _ = page.evaluate(LOOK, ".viz-status")
    assert "PingFang" not in family
    assert height == pytest.approx(1.35)


def is_set_as_chinese(page: Any) -> None:
    """Named letters, nothing slanted, lines apart where there is something to read."""
    for css, lines in (("#heading details p", 1.7), ("#concepts p", 1.7), (".viz-status", 1.5)):
        family, height, style = page.evaluate(LOOK, css)
        assert "PingFang SC" in family
        assert "Noto Sans CJK SC" in family
        assert (height, style) == (pytest.approx(lines), "normal")


def the_switch_has_room(page: Any, width: int) -> None:
    """Beside the tabs and the network: on none of them, and nothing moves for it. It is gone then."""
    area = page.locator("#languages a").first.bounding_box()
    assert min(area["width"], area["height"]) >= 24
    assert area["x"] + area["width"] <= width
    for other in page.locator("#tabs button[role=tab], #model-chip").all():
        box = other.bounding_box()
        beside = area["x"] >= box["x"] + box["width"] or area["x"] + area["width"] <= box["x"]
        assert beside or area["y"] >= box["y"] + box["height"]
    top = "document.querySelector('.viz').getBoundingClientRect().top"
    shown = page.evaluate(top)
    page.evaluate("document.querySelector('#languages').remove()")
    assert page.evaluate(top) == shown


def test_the_switch_takes_along_what_is_shown_and_is_remembered(server: Server, browser: Any) -> None:
    """By keyboard: the same layer in Chinese, Chinese at the next visit, and back."""
    visitor = browser.new_context(locale="en", viewport={"width": 1280, "height": 800})
    page = visitor.new_page()
    page.goto(f"{server.url}#layer=1&head=1")
    page.wait_for_selector(SHOWN)
    page.wait_for_function("location.hash.includes('picture=')")
    is_set_as_english(page)
    hash_ = page.evaluate("location.hash")
    links = page.locator("#languages a")
    assert links.all_inner_texts() == [words_for(one)["page"]["language"] for one in languages() if one != "en"]
    assert page.get_by_role("link", name="中文", exact=True).count() == 1
    page.get_by_role("link", name="中文").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/zh\?lang=zh#"), wait_until="commit")
    page.wait_for_selector(SHOWN)
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert page.evaluate("location.hash") == hash_
    assert page.evaluate("document.querySelector('.viz').viewer.state.get('layer')") == 1
    is_set_as_chinese(page)
    the_switch_has_room(page, 1280)
    page.goto(server.url)
    page.wait_for_url(re.compile(r"/zh\?lang=zh"), wait_until="commit")
    page.get_by_role("link", name="English", exact=True).click()
    page.wait_for_url(re.compile(r":\d+/\?lang=en"), wait_until="commit")
    page.wait_for_function("document.documentElement.lang === 'en'")
    visitor.close()


def test_the_switch_has_room_on_a_phone(browser: Any, server: Server) -> None:
    visitor = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    page = visitor.new_page()
    for language in ("en", "zh"):
        page.goto(f"{server.url}?lang={language}")
        page.wait_for_selector(SHOWN)
        the_switch_has_room(page, 360)
    visitor.close()


@pytest.fixture(scope="module")
def two_more(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The languages xx and yy-zz, each one file, for as long as these tests run."""
    folder = tmp_path_factory.mktemp("words")
    for name in ("xx", "yy_zz"):
        (folder / f"{name}.toml").write_text(TABLE.replace("{LANGUAGE}", name), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "__path__", [*words.__path__, str(folder)])
        yield


def served(page: gr.Blocks, **options: Any) -> str:
    """Its address; Gradio takes the first port that it can bind."""
    _, url, _ = page.launch(
        server_name="127.0.0.1", quiet=True, prevent_thread_lock=True, **launch_options(page), **options
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


def test_the_rest_of_the_address_goes_along_and_other_addresses_are_left_alone(url: str) -> None:
    first = httpx.get(f"{url}?__theme=dark&lang=xx&view=1")
    assert first.status_code == 307
    assert first.headers["location"] == "xx?__theme=dark&lang=xx&view=1", "relative: it holds behind a proxy, too"
    assert httpx.get(f"{url}xx?lang=en&view=1").headers["location"] == "./?lang=en&view=1"
    assert httpx.head(url, headers={"accept-language": "xx"}).status_code == 200, "asked by those who watch a server"
    assert httpx.get(f"{url}config", headers={"accept-language": "xx"}).status_code == 200
    assert httpx.get(f"{url}gradio_api/info", headers={"accept-language": "xx"}).json()["named_endpoints"].keys() == {
        "/analyse"
    }, "the API is offered once, and its answers are English"


@pytest.mark.parametrize(
    ("options", "said", "started"), [({"locale": "xx"}, "xx", "xx"), ({"locale": "en-US"}, "en", "en")]
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


SHOWN = '#viewer .viz[data-state="ready"]'  # in Gradio's component: the first map may be there before it


# Keeps what a screen reader is told of the events of the page.
HEAR = """() => {
  const one = document.querySelector(".sr-only[role=status]");
  window.heard = [];
  new MutationObserver(() => heard.push(one.textContent)).observe(one, { characterData: true, childList: true, subtree: true });
}"""


@pytest.mark.parametrize("language", languages())
def test_a_screen_reader_is_told_words_and_no_keys(visit: Callable[..., Viz], language: str) -> None:
    """Gradio has "common.complete" in no table of words, and told it after each event."""
    viz = visit(f"?lang={language}", locale="de-DE")
    viz.page.evaluate(HEAR)
    viz.page.click("#lesson-two")
    said = words_for(language)["page"]["gradio_complete"]
    viz.until(lambda: {said, UNSAID} & {*viz.page.evaluate("heard")})
    assert UNSAID not in viz.page.evaluate("heard")
